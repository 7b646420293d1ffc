"""A room by its commands, one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.record import RULE_REASONS, parse, verify, write
from engine.registry import GAMES
from protocol.commands import (
    Abort,
    AnswerDraw,
    Claim,
    Join,
    Leave,
    Move,
    OfferDraw,
    Rematch,
    Resign,
    RoomCommand,
    Takeback,
)
from protocol.events import Ended, Fouled, Moved, Presence, Seated, Started, TakenBack, Unseated
from protocol.types import END_REASONS, Options, Seat, TimeControl
from server.domain import creation, snapshots
from server.domain.decide import decide
from server.domain.decision import Refusal
from server.domain.endings import check_deadline, resume
from server.domain.room import BOTH_AWAY_TIMEOUT_MS, Room, apply, replay
from server.domain.seating import set_presence
from tests.server.rooms import ANN, BEN, EVE, NOW, do, made, move, play, refused, running

MINUTE = 60_000


def test_a_copy_has_everything() -> None:
    room = running()
    copy = room.copy()
    assert all(getattr(copy, name) is getattr(room, name) for name in Room.__slots__)


@given(steps=st.lists(st.tuples(st.integers(0, 30), st.integers(-1, 15)), max_size=40))
def test_every_version_of_a_room_stays_what_it_was(steps: list[tuple[int, int]]) -> None:
    """A room that goes on in several ways, by moves and moves taken back, as it does in tests and after a conflict."""
    versions: list[tuple[Room, list[str]]] = [(running("cohcoh", options={"n": 4, "k": 4}), [])]
    for pick, cell in steps:
        room, moves = versions[pick % len(versions)]
        if room.status == "ended":
            continue
        if cell < 0 and moves:
            back = TakenBack(room="r1", seq=room.seq + 1, at=NOW, ply=len(moves) // 2, position="", turn=0)
            versions.append((apply(room, back), moves[: len(moves) // 2]))
        else:
            texts = room.game.legal(room.state)
            text = texts[cell % len(texts)]
            versions.append((play(room, text), [*moves, text]))
        for known, expected in versions:
            assert [made.move for made in known.moves] == expected
            assert known.ply == len(expected)


def test_a_game_begins_when_both_are_here() -> None:
    room = made().room
    assert room.status == "waiting"
    events = do(room, BEN, Join).events
    assert [type(event) for event in events] == [Seated, Started]


def test_a_game_does_not_begin_without_its_founder() -> None:
    room = set_presence(made().room, 0, False, NOW).room
    joined = do(room, BEN, Join)
    assert joined.room.status == "waiting"
    assert set_presence(joined.room, 0, True, NOW).room.status == "running"


def test_seats_can_be_chosen_and_are_taken_once() -> None:
    room = made().room
    assert refused(room, BEN, Join, seat=0).code == "seat_taken"
    assert refused(room, ANN, Join).code == "already_seated"
    assert do(room, BEN, Join, seat=1).room.seats[1] == Seat(player=BEN.id, name="ben")
    assert refused(running(), EVE, Join).code == "seat_taken"


def test_a_private_room_asks_for_its_code_and_an_invited_name_needs_none() -> None:
    room = made(private=True, code="sesame").room
    assert refused(room, BEN, Join, code="wrong").code == "bad_code"
    assert do(room, BEN, Join, code="sesame").room.status == "running"
    invited = made(private=True, code="sesame", invite="Ben").room
    assert do(invited, BEN, Join).room.status == "running"
    assert refused(invited, EVE, Join, code="sesame").code == "not_invited"


@pytest.mark.parametrize(
    ("game", "options", "clock", "code"),
    [
        ("chess", {}, {}, "unknown_game"),
        ("conga", {"stones": 99}, {}, "bad_options"),
        ("conga", {"stnes": 9}, {}, "bad_options"),
        ("cohcoh", {"n": 3, "k": 4}, {}, "bad_options"),
        ("cohcoh", {"start": "nonsense"}, {}, "bad_options"),
        ("cohcoh", {"n": 2, "k": 2, "start": "ww.. b"}, {}, "bad_options"),
        ("mancala", {"start": "0,0,0,0,0,0/0,0,0,0,0,0 24,24 1"}, {}, "bad_options"),
        ("conga", {}, {"kind": "fischer"}, "bad_clock"),
        ("conga", {}, {"kind": "move", "per_move": 5}, "bad_clock"),
        ("conga", {}, {"kind": "none", "base": 5000}, "bad_clock"),
        ("conga", {}, {"kind": "bank", "per_move": 500}, "bad_clock"),
    ],
)
def test_rooms_that_cannot_be_are_refused(game: str, options: Options, clock: dict[str, int], code: str) -> None:
    with pytest.raises(Refusal) as caught:
        creation.resolve_options(game, options, TimeControl(**clock))  # type: ignore[arg-type]
    assert caught.value.code == code


def test_a_move_says_everything_about_itself() -> None:
    (moved,) = move(running(clock=TimeControl(kind="fischer", base=1000, increment=10)), ANN, "a4b4", NOW + 300).events
    assert moved == Moved(
        room="r1",
        seq=5,
        at=NOW + 300,
        ply=1,
        side=0,
        move="a4b4",
        position=".,b1,b2,b7/.,.,.,./.,.,.,./.,.,.,w10 w",
        turn=1,
        took=300,
        charged=300,
        left=(710, 1000),
    )


def test_moves_are_refused_for_a_reason_each() -> None:
    room = running()
    assert refused(made().room, ANN, Move, ply=0, move="a4b4").code == "not_running"
    assert refused(room, EVE, Move, ply=0, move="a4b4").code == "not_seated"
    assert refused(room, BEN, Move, ply=0, move="d1c1").code == "not_your_turn"
    assert refused(room, ANN, Move, ply=1, move="a4b4").code == "stale"
    assert refused(room, ANN, Move, ply=0, move="hello").code == "invalid_notation"
    assert refused(room, ANN, Move, ply=0, move="a4a3a2").code == "invalid_notation"
    assert refused(room, ANN, Move, ply=0, move="d1c1").code == "illegal_move"
    assert refused(play(room, "a4b4"), ANN, Move, ply=0, move="a4b4").code == "stale"
    ended = do(room, ANN, Resign).room
    assert refused(ended, ANN, Move, ply=0, move="a4b4").code == "game_over"


def test_illegal_moves_are_counted_where_the_room_says_so() -> None:
    room = running(illegal=2)
    first = refused(room, ANN, Move, ply=0, move="zz")
    assert first.decision is not None
    assert first.decision.room.fouls == (1, 0)
    second = refused(first.decision.room, ANN, Move, ply=0, move="d1c1")
    assert second.decision is not None
    assert [type(event) for event in second.decision.events] == [Fouled, Ended]
    assert second.decision.room.ended is not None
    assert (second.decision.room.ended.winner, second.decision.room.ended.reason) == (1, "illegal_moves")


def test_extra_turns_are_the_engines_word() -> None:
    room = play(running("mancala"), "3")  # the last stone falls into the own store
    assert room.turn == 0
    assert refused(room, BEN, Move, ply=1, move="1").code == "not_your_turn"
    assert move(room, ANN, "1").room.turn == 1


def test_the_rules_end_a_game() -> None:
    room = running("cohcoh", options={"n": 2, "k": 2})
    events = move(play(room, "a1", "a2"), ANN, "b1").events
    assert isinstance(events[-1], Ended)
    assert (events[-1].result, events[-1].reason, events[-1].winner) == ("0-1", "line", 1)


def test_repetition_is_a_draw() -> None:
    room = running(options={"stones": 1, "start": "b1,.,.,./.,.,.,./.,.,.,./.,.,.,w1 b"})
    room = play(room, "a4a3", "d1d2", "a3a4", "d2d1", "a4a3", "d1d2", "a3a4")
    assert room.status == "running"
    room = play(room, "d2d1")
    assert room.ended is not None
    assert (room.ended.reason, room.ended.result) == ("repetition", "1/2-1/2")


def test_the_ply_limit_is_a_draw() -> None:
    room = play(running(options={"max_plies": 2}), "a4b4", "d1c1")
    assert room.ended is not None
    assert room.ended.reason == "ply_limit"


def test_draws_are_offered_answered_and_forgotten_with_a_move() -> None:
    room = running()
    offered = do(room, ANN, OfferDraw).room
    assert refused(offered, ANN, OfferDraw).code == "bad_request"
    assert refused(offered, ANN, AnswerDraw, accept=True).code == "no_offer"
    for agreed in (do(offered, BEN, AnswerDraw, accept=True).room, do(offered, BEN, OfferDraw).room):
        assert agreed.ended is not None
        assert (agreed.ended.reason, agreed.ended.result) == ("agreed", "1/2-1/2")
    assert do(offered, BEN, AnswerDraw, accept=False).room.draw_offer is None
    assert play(offered, "a4b4").draw_offer is None


def test_a_takeback_needs_both_and_goes_to_the_askers_last_turn() -> None:
    room = play(running(), "a4b4", "d1c1")
    assert refused(running(), ANN, Takeback).code == "too_early"
    asked = do(room, ANN, Takeback).room
    assert refused(asked, ANN, Takeback).code == "bad_request"
    back = do(asked, BEN, Takeback).room
    assert (back.ply, back.turn, back.status) == (0, 0, "running")
    assert do(asked, BEN, Takeback, accept=False).room.takeback_offer is None
    assert refused(room, BEN, Takeback, accept=False).code == "no_offer"
    only_mine = do(do(room, BEN, Takeback).room, ANN, Takeback).room
    assert (only_mine.ply, only_mine.turn) == (1, 1)


def test_two_who_ask_for_a_takeback_at_once_do_not_agree() -> None:
    room = play(running(), "a4b4", "d1c1")
    asked = do(room, ANN, Takeback, ply=0).room
    assert refused(asked, BEN, Takeback, ply=1).code == "stale"
    assert do(asked, BEN, Takeback, ply=0).room.ply == 0
    assert refused(room, BEN, Takeback, ply=0).code == "stale", "an answer to what is not asked any more"


def test_a_takeback_in_a_row_of_extra_turns_takes_one_move() -> None:
    room = play(running("mancala"), "3", "1")
    back = do(do(room, ANN, Takeback).room, BEN, Takeback).room
    assert (back.ply, back.turn) == (1, 0)


def test_abort_only_before_the_second_move() -> None:
    room = running()
    ended = do(play(room, "a4b4"), BEN, Abort).room.ended
    assert ended is not None
    assert (ended.reason, ended.result) == ("aborted", "*")
    assert refused(play(room, "a4b4", "d1c1"), BEN, Abort).code == "too_late"
    assert do(made().room, ANN, Abort).room.status == "ended"


def test_a_player_who_is_gone_can_be_claimed_against_after_the_grace() -> None:
    room = running(clock=TimeControl(kind="fischer", base=5 * MINUTE))
    assert refused(room, ANN, Claim).code == "too_early"
    (told,), gone = set_presence(room, 1, False, NOW)
    assert isinstance(told, Presence)
    assert (told.claim_at, snapshots.snapshot(gone, 0, NOW).claim_at) == (NOW + 30_000, (NOW + 30_000, None))
    assert refused(gone, ANN, Claim, NOW + 29_999).retry_after == 1
    ended = do(gone, ANN, Claim, NOW + 30_000).room.ended
    assert ended is not None
    assert (ended.reason, ended.winner) == ("abandoned", 0)
    back = set_presence(gone, 1, True, NOW + 20_000).room
    assert refused(back, ANN, Claim, NOW + MINUTE).code == "too_early"


def test_a_game_both_have_left_is_over_some_day() -> None:
    room = set_presence(set_presence(running(), 0, False, NOW).room, 1, False, NOW + 5).room
    assert room.deadline == NOW + 5 + BOTH_AWAY_TIMEOUT_MS
    assert check_deadline(room, room.deadline - 1).events == ()
    assert check_deadline(room, room.deadline).room.ended is not None


def test_rooms_nobody_joins_expire() -> None:
    room = made(expiry=MINUTE).room
    assert check_deadline(room, NOW + MINUTE - 1).events == ()
    assert check_deadline(room, NOW + MINUTE).room.status == "ended"


def test_a_flag_falls_after_the_time_and_the_credit() -> None:
    room = running(clock=TimeControl(kind="fischer", base=1000))
    assert room.deadline == NOW + 1000 + 500
    late = check_deadline(room, NOW + 1500).room
    assert late.ended is not None
    assert (late.ended.reason, late.ended.winner) == ("time", 1)
    assert snapshots.snapshot(late, 0, NOW + 1500).left == (0, 1000)


def test_a_move_after_the_time_loses() -> None:
    late = refused(running(clock=TimeControl(kind="move", per_move=1000)), ANN, Move, NOW + 1001, ply=0, move="a4b4")
    assert late.code == "too_late"
    assert late.decision is not None
    assert late.decision.room.ended is not None


def test_after_an_outage_the_running_clock_gets_its_time_back() -> None:
    room = play(running(clock=TimeControl(kind="fischer", base=10_000)), "a4b4", now=NOW + 1000)
    back = resume(room, NOW + MINUTE, NOW + 3000).room
    assert snapshots.times_left(back, NOW + MINUTE) == (9000, 8000)
    assert back.away == (NOW + MINUTE, NOW + MINUTE)


def test_after_an_outage_nobody_is_here_even_if_the_clock_was_set_back() -> None:
    room = play(running(clock=TimeControl(kind="fischer", base=10_000)), "a4b4", now=NOW + 1000)
    back = resume(room, NOW - MINUTE, NOW + 3000).room
    assert (back.away, back.clocks) == ((NOW - MINUTE, NOW - MINUTE), room.clocks)


def test_a_move_is_charged_until_it_came_and_the_next_turn_begins_when_it_is_dealt_with() -> None:
    room = running(clock=TimeControl(kind="move", per_move=1000))
    late = NOW + 5000
    with pytest.raises(Refusal, match="your time ran out"):
        move(room, ANN, "a4b4", late)
    moved = decide(room, ANN, Move(id=1, room="r1", ply=0, move="a4b4"), late, waited=4500)
    assert (moved.room.moves[0].took, moved.room.clocks[2]) == (500, late)
    assert apply(room, moved.events[0]) == moved.room


@pytest.mark.parametrize("kind", [AnswerDraw, OfferDraw, Takeback, Resign, Abort, Claim])
def test_out_of_time_nothing_but_the_loss_is_left(kind: type[RoomCommand]) -> None:
    room = do(running(clock=TimeControl(kind="move", per_move=1000)), BEN, OfferDraw).room
    fields = {"accept": True} if kind is AnswerDraw else {}
    refusal = refused(room, ANN, kind, NOW + 1001, **fields)
    assert refusal.code == "too_late"
    assert refusal.decision is not None
    assert refusal.decision.events[0].reason == "time"  # type: ignore[union-attr]


def test_a_rematch_swaps_the_seats() -> None:
    over = do(running(), ANN, Resign).room
    assert refused(running(), ANN, Rematch).code == "too_early"
    assert refused(over, BEN, Rematch, accept=False).code == "no_offer"
    offered = do(over, BEN, Rematch).room
    assert do(offered, ANN, Rematch, accept=False).room.rematch_offer is None
    agreed = do(offered, ANN, Rematch)
    assert agreed.room.next == "r2"
    assert refused(agreed.room, ANN, Rematch).code == "too_late"
    again = creation.create_rematch(agreed.room, "r2", NOW, (True, True)).room
    assert [seat and seat.name for seat in again.seats] == ["ben", "ann"]
    assert (again.status, again.setup.previous) == ("running", "r1")


def test_a_rematch_waits_for_who_is_gone() -> None:
    agreed = do(do(do(running(), ANN, Resign).room, BEN, Rematch).room, ANN, Rematch).room
    again = creation.create_rematch(agreed, "r2", NOW, (True, False))
    assert replay(again.events) == again.room
    assert (again.room.status, again.room.away) == ("waiting", (NOW, None)), "ben, who has the first seat now, is gone"
    assert set_presence(again.room, 0, True, NOW + MINUTE).room.status == "running"


def test_whoever_leaves_before_the_start_gives_the_seat_back() -> None:
    left = do(made().room, ANN, Leave)
    assert [type(event) for event in left.events] == [Unseated, Ended]
    assert do(running(), ANN, Leave).room.away == (NOW, None)


def test_watchers_with_a_delay_see_the_game_some_plies_late() -> None:
    room = running(delay=2)
    assert (room.horizon, snapshots.room_info(room).ply) == (room.seq, 0)
    room = play(room, "a4b4", "d1c1")
    assert (room.horizon, snapshots.room_info(room).ply) == (room.moves[0].seq - 1, 0)
    room = play(room, "d4c4")
    assert (room.horizon, snapshots.room_info(room).ply) == (room.moves[1].seq - 1, 1)
    over = do(room, ANN, Resign).room
    assert (over.horizon, snapshots.room_info(over).ply) == (over.seq, 3)


def test_a_snapshot_is_complete_and_keeps_secrets() -> None:
    room = play(running(private=True, code="sesame", clock=TimeControl(kind="fischer", base=9000)), "a4b4")
    seen = snapshots.snapshot(room, None, NOW + 500)
    assert (seen.your_seat, seen.your_move, seen.code, seen.left, seen.running) == (None, False, "", (9000, 8500), 1)
    mine = snapshots.snapshot(room, 1, NOW)
    assert (mine.your_seat, mine.your_move, mine.code, mine.ply) == (1, True, "sesame", 1)
    assert [played.move for played in mine.moves] == ["a4b4"]


def test_a_finished_game_is_a_record_that_verifies() -> None:
    room = play(running("cohcoh", options={"n": 2, "k": 2}), "a1", "a2", "b1")
    record = parse(write(snapshots.record(room)))
    verify(record)
    assert (record.result, record.reason, record.seats) == ("0-1", "line", ("ann", "ben"))
    aborted = parse(write(snapshots.record(do(running(), ANN, Abort).room)))
    verify(aborted)
    assert (aborted.result, aborted.reason) == ("*", "aborted")


def test_the_engines_reasons_are_among_ours() -> None:
    assert set(RULE_REASONS) <= set(END_REASONS)


def test_an_end_that_nobody_could_read_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    room = play(running("cohcoh", options={"n": 2, "k": 2}), "a1", "a2")
    monkeypatch.setattr(type(room.game), "reason", lambda game, state: "boxes")
    with pytest.raises(ValueError, match="cohcoh ended with reason 'boxes': expected one of no_moves, "):
        play(room, "b1")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_played_to_its_end(game: str) -> None:
    room: Room = running(game, options={"max_plies": 30} if game == "conga" else {})
    while room.status == "running":
        room = play(room, room.game.legal(room.state)[0])
    assert room.ended is not None
    verify(snapshots.record(room))
