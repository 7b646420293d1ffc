"""Resignation, abort, claim and deadlines."""

from __future__ import annotations

from protocol.commands import Abort, Claim, Resign
from protocol.types import TimeControl
from server.domain.endings import check_deadline
from server.domain.room import BOTH_AWAY_TIMEOUT_MS
from server.domain.seating import set_presence
from tests.server.domain.helpers import (
    ANN,
    BEN,
    EVE,
    MINUTE_MS,
    NOW,
    arbitrated,
    arbitrated_running,
    do,
    play,
    refused,
    running,
    waiting,
)

FISCHER = TimeControl(kind="fischer", base=10_000)


def test_resignation_wins_for_the_opponent() -> None:
    for player, winner in ((ANN, 1), (BEN, 0)):
        end = do(running(), player, Resign).room.ended
        assert end is not None
        assert (end.reason, end.winner) == ("resigned", winner)


def test_abort_is_possible_before_the_second_move() -> None:
    room = running()
    end = do(play(room, "a4b4"), BEN, Abort).room.ended
    assert end is not None
    assert (end.reason, end.result, end.seat) == ("aborted", "*", 1)
    assert refused(play(room, "a4b4", "d1c1"), BEN, Abort).code == "too_late"
    assert do(waiting().room, ANN, Abort).room.status == "ended"


def test_arbiter_can_abort_at_any_time() -> None:
    room = play(arbitrated_running(), "a4b4", "d1c1", "b4b3")
    aborted = do(room, EVE, Abort).room
    assert aborted.ended is not None
    assert (aborted.ended.result, aborted.ended.reason) == ("*", "aborted")
    assert refused(aborted, EVE, Abort).code == "game_over"
    assert do(arbitrated(), EVE, Abort).room.status == "ended"


def test_players_cannot_abort_a_game_with_an_arbiter() -> None:
    refusal = refused(arbitrated_running(), ANN, Abort)
    assert (refusal.code, str(refusal)) == ("bad_request", "only the arbiter can abort this game: resign instead")


def test_game_against_an_absent_player_can_be_claimed_after_a_delay() -> None:
    room = running(clock=TimeControl(kind="fischer", base=5 * MINUTE_MS))
    assert refused(room, ANN, Claim).code == "too_early"
    away = set_presence(room, 1, False, NOW).room
    assert (away.claim_at(0), away.claim_at(1)) == (NOW + 30_000, None)
    early = refused(away, ANN, Claim, NOW + 29_999)
    assert (early.code, early.retry_after) == ("too_early", 1)
    moved = play(away, "a4b4", now=NOW + 20_000)
    assert moved.claim_at(0) == NOW + 30_000
    end = do(moved, ANN, Claim, NOW + 30_000).room.ended
    assert end is not None
    assert (end.reason, end.winner) == ("abandoned", 0)


def test_player_who_does_not_move_cannot_claim() -> None:
    away = set_presence(running(), 1, False, NOW).room
    refusal = refused(away, ANN, Claim, NOW + 2 * MINUTE_MS)
    assert (refusal.code, str(refusal)) == ("too_early", "it is your turn: make your move, then claim the game")


def test_no_claim_against_a_player_who_returned() -> None:
    away = set_presence(running(), 1, False, NOW).room
    back = set_presence(away, 1, True, NOW + 20_000).room
    assert refused(back, ANN, Claim, NOW + 2 * MINUTE_MS).code == "too_early"


def test_waiting_room_has_no_claim() -> None:
    assert set_presence(waiting().room, 0, False, NOW).room.claim_at(1) is None


def test_game_without_players_ends_without_a_result() -> None:
    room = set_presence(set_presence(running(), 0, False, NOW).room, 1, False, NOW + 5).room
    assert check_deadline(room, NOW + 4 + BOTH_AWAY_TIMEOUT_MS).events == ()
    end = check_deadline(room, NOW + 5 + BOTH_AWAY_TIMEOUT_MS).room.ended
    assert end is not None
    assert (end.reason, end.result) == ("abandoned", "*")


def test_waiting_room_expires() -> None:
    room = waiting(expiry=MINUTE_MS).room
    assert check_deadline(room, NOW + MINUTE_MS - 1).events == ()
    end = check_deadline(room, NOW + MINUTE_MS).room.ended
    assert end is not None
    assert end.reason == "aborted"


def test_flag_falls_after_the_time_and_the_credit() -> None:
    room = running(clock=TimeControl(kind="fischer", base=1000))
    assert check_deadline(room, NOW + 1499).events == ()
    late = check_deadline(room, NOW + 1500).room
    assert late.ended is not None
    assert (late.ended.reason, late.ended.winner) == ("time", 1)


def test_uncharged_time_delays_the_flag() -> None:
    room = running(clock=TimeControl(kind="fischer", base=1000))
    assert check_deadline(room, NOW + 1500, uncharged=200).events == ()
    assert check_deadline(room, NOW + 1700, uncharged=200).room.status == "ended"


def test_ended_room_has_no_further_events() -> None:
    over = do(running(), ANN, Resign).room
    assert check_deadline(over, NOW + 10**9).events == ()
