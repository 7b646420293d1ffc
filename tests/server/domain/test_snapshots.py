"""Snapshots, list entries and records of rooms."""

from __future__ import annotations

from engine.record import parse, verify, write
from engine.registry import GAMES
from protocol.commands import Abort, OfferDraw, Resign, Takeback
from protocol.types import TimeControl
from server.domain import snapshots
from server.domain.endings import check_deadline
from server.domain.seating import set_presence
from tests.server.domain.helpers import ANN, BEN, NOW, arbitrated, do, play, running, waiting

FISCHER = TimeControl(kind="fischer", base=9000)


def test_snapshot_shows_a_player_more_than_a_watcher() -> None:
    room = play(running(private=True, code="sesame", clock=FISCHER), "a4b4")
    watcher = snapshots.snapshot(room, None, NOW)
    assert (watcher.your_seat, watcher.your_move, watcher.code) == (None, False, "")
    player = snapshots.snapshot(room, 1, NOW)
    assert (player.your_seat, player.your_move, player.code, player.ply) == (1, True, "sesame", 1)
    assert [played.move for played in player.moves] == ["a4b4"]


def test_snapshot_shows_the_running_clock() -> None:
    room = play(running(clock=FISCHER), "a4b4")
    seen = snapshots.snapshot(room, None, NOW + 500)
    assert (seen.left, seen.running, seen.elapsed) == ((9000, 8500), 1, 500)
    less = snapshots.snapshot(room, None, NOW + 500, uncharged=200)
    assert (less.left, less.elapsed) == ((9000, 8700), 300)


def test_snapshot_without_clocks_shows_no_times() -> None:
    seen = snapshots.snapshot(running(), None, NOW + 500)
    assert (seen.left, seen.running, seen.elapsed) == (None, None, 0)


def test_snapshot_shows_offers_and_claims() -> None:
    room = do(do(play(running(), "a4b4"), ANN, Takeback).room, BEN, OfferDraw).room
    seen = snapshots.snapshot(set_presence(room, 1, False, NOW).room, 0, NOW)
    assert (seen.offers.draw, seen.offers.takeback, seen.offers.rematch) == (1, 0, None)
    assert seen.claim_at == (NOW + 60_000, None)
    assert [seat and seat.online for seat in seen.seats] == [True, False]


def test_snapshot_after_a_flag_shows_no_time() -> None:
    late = check_deadline(running(clock=FISCHER), NOW + 9500).room
    assert snapshots.snapshot(late, 0, NOW + 9500).left == (0, 9000)


def test_time_per_move_is_not_taken_from_the_time_left() -> None:
    room = running(clock=TimeControl(kind="bank", per_move=1000, bank=5000))
    assert snapshots.times_left(room, NOW + 800) == (5000, 5000)
    assert snapshots.times_left(room, NOW + 1500) == (4500, 5000)
    assert snapshots.times_left(room, NOW + 60_000) == (0, 5000)
    assert snapshots.times_left(waiting(clock=FISCHER).room, NOW + 60_000) == (9000, 9000)


def test_watchers_with_a_delay_see_an_earlier_ply() -> None:
    room = running(delay=2)
    assert snapshots.visible_ply(room) == 0
    room = play(room, "a4b4", "d1c1", "d4c4")
    assert snapshots.visible_ply(room) == snapshots.room_info(room).ply == 1
    over = do(room, ANN, Resign).room
    assert snapshots.visible_ply(over) == 3


def test_list_entry_tells_players_result_and_watchers() -> None:
    entry = snapshots.room_info(do(running(), ANN, Resign).room, watchers=4)
    assert (entry.status, entry.result, entry.reason, entry.ended_at) == ("ended", "0-1", "resigned", NOW)
    assert ([seat and seat.name for seat in entry.seats], entry.watchers) == (["ann", "ben"], 4)
    assert snapshots.room_info(arbitrated()).players == ("Ann", "Ben")


def test_list_entry_names_the_last_opponent_only_while_waiting() -> None:
    assert snapshots.room_info(waiting(met="p-eve").room).met == "p-eve"
    assert snapshots.room_info(running(met="p-eve")).met == ""


def test_finished_game_is_a_record_that_verifies() -> None:
    room = play(running("cohcoh", options={"n": 2, "k": 2}), "a1", "a2", "b1")
    record = parse(write(snapshots.record(room)))
    verify(record)
    assert (record.result, record.reason, record.seats) == ("0-1", "line", ("ann", "ben"))


def test_aborted_game_is_a_record_without_a_result() -> None:
    record = parse(write(snapshots.record(do(running(), ANN, Abort).room)))
    verify(record)
    assert (record.result, record.reason) == ("*", "aborted")


def test_record_has_clock_date_and_times_of_moves() -> None:
    record = snapshots.record(play(running(clock=FISCHER), "a4b4", now=NOW + 2000))
    assert (record.clock, record.date) == ("9+0", "2027-01-15T08:00:00Z")
    (played,) = record.moves
    assert (played.left, played.took, played.charged) == (7000, 2000, None)


def test_game_list_describes_every_game() -> None:
    listed = snapshots.game_list()
    assert [game.name for game in listed] == list(GAMES)
    assert all(game.options and game.move_form and game.position_form for game in listed)
