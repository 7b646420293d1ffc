"""The first events of rooms, and the games that cannot be created."""

from __future__ import annotations

import pytest

from engine.registry import create
from protocol.commands import Rematch, Resign
from protocol.events import Created, Ended, Seated
from protocol.types import Options, Player, RatingChange, TimeControl
from server.domain import creation
from server.domain.decision import Refusal
from server.domain.room import Room, apply, replay
from server.domain.seating import set_presence
from tests.server.domain.helpers import ANN, BEN, EVE, MINUTE_MS, NOW, created, do, running

MOVE_10_S = TimeControl(kind="move", per_move=10_000)


def agreed(room: Room) -> Room:
    """Return a finished room whose players have agreed to a rematch."""
    return do(do(do(room, ANN, Resign).room, BEN, Rematch).room, ANN, Rematch).room


def test_options_are_completed_with_defaults() -> None:
    assert creation.resolve_options("conga", {"stones": 5}, TimeControl()) == {"stones": 5, "max_plies": 400}


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
def test_game_that_cannot_be_played_is_refused(game: str, options: Options, clock: dict[str, int], code: str) -> None:
    with pytest.raises(Refusal) as caught:
        creation.resolve_options(game, options, TimeControl(**clock))  # type: ignore[arg-type]
    assert caught.value.code == code


def test_rated_game_needs_an_account_a_clock_and_the_usual_start() -> None:
    account = Player(id="p1", name="ann", account=True)
    creation.check_rated({}, MOVE_10_S, account)
    creation.check_rated({}, MOVE_10_S, None)  # an arbiter does not play
    with pytest.raises(Refusal) as guest:
        creation.check_rated({}, MOVE_10_S, ANN)
    assert guest.value.code == "account_needed"
    with pytest.raises(Refusal) as position:
        creation.check_rated({"start": "..."}, MOVE_10_S, account)
    assert position.value.code == "bad_options"
    creation.check_rated({"start": "..."}, MOVE_10_S, None, openings=True)
    with pytest.raises(Refusal) as unlimited:
        creation.check_rated({}, TimeControl(), account)
    assert unlimited.value.code == "bad_clock"


def test_rematch_without_a_clock_is_casual() -> None:
    """Logs of older releases have rated games without a clock."""
    for clock, rated in ((TimeControl(), False), (MOVE_10_S, True)):
        old = agreed(running(clock=clock, rated=True))
        assert creation.create_rematch(old, "r2", NOW, (True, True)).room.setup.rated == rated


def test_rematch_of_an_opening_is_casual() -> None:
    start = create("conga").dump(create("conga").start())
    old = agreed(running(clock=MOVE_10_S, rated=True, options={"start": start}))
    assert not creation.create_rematch(old, "r2", NOW, (True, True)).room.setup.rated


def test_creator_takes_the_chosen_seat() -> None:
    decision = creation.create_room(created(), ANN, 1)
    assert [type(event) for event in decision.events] == [Created, Seated]
    assert [seat and seat.name for seat in decision.room.seats] == [None, "ann"]
    assert replay(decision.events) == decision.room


def test_arbiter_creates_a_room_with_empty_seats() -> None:
    decision = creation.create_arbitrated_room(created(by=EVE.id, players=("Ann", "Ben"), arbiter="eve"))
    assert decision.room.seats == (None, None)
    assert replay(decision.events) == decision.room


def test_rematch_swaps_the_seats() -> None:
    decision = creation.create_rematch(agreed(running()), "r2", NOW, (True, True))
    room = decision.room
    assert [seat and seat.name for seat in room.seats] == ["ben", "ann"]
    assert (room.id, room.status, room.setup.previous) == ("r2", "running", "r1")
    assert replay(decision.events) == room


def test_rematch_keeps_the_terms() -> None:
    clock = TimeControl(kind="fischer", base=5000)
    old = agreed(running(clock=clock, delay=2, illegal=3, expiry=MINUTE_MS, options={"stones": 5}))
    new, before = creation.create_rematch(old, "r2", NOW, (True, True)).room.setup, old.setup
    assert (new.game, new.options, new.clock, new.delay, new.illegal, new.expiry) == (
        before.game,
        before.options,
        before.clock,
        before.delay,
        before.illegal,
        before.expiry,
    )


def test_rematch_waits_for_an_absent_player() -> None:
    decision = creation.create_rematch(agreed(running()), "r2", NOW, (True, False))
    assert replay(decision.events) == decision.room
    assert (decision.room.status, decision.room.away) == ("waiting", (NOW, None)), "ben has the first seat now"
    assert set_presence(decision.room, 0, True, NOW + MINUTE_MS).room.status == "running"


def test_player_has_the_rating_of_the_last_game() -> None:
    room = running()
    changes = (
        RatingChange(before=1500, after=1580, deviation=200, provisional=True),
        RatingChange(before=1500, after=1420, deviation=100, provisional=False),
    )
    end = Ended(room="r1", seq=room.seq + 1, at=NOW, result="1-0", reason="resigned", winner=0, ratings=changes)
    ben = creation.player_after_game(apply(room, end), 1)
    assert (ben.id, ben.rating, ben.provisional) == (BEN.id, 1420, False)
    assert creation.player_after_game(room, 1) == BEN
