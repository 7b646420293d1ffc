"""Rooms that somebody makes for two others."""

from __future__ import annotations

from protocol.commands import Abort, Join, Leave, Resign, Takeback
from protocol.events import Created
from protocol.types import Player, Seat, TimeControl
from server.domain import creation, snapshots
from server.domain.room import Room, replay
from server.domain.seating import set_presence
from tests.server.rooms import ANN, BEN, EVE, NOW, do, play, refused


def waiting() -> Room:
    created = Created(
        room="r1", seq=1, at=NOW, game="conga", options=creation.resolve_options("conga", {}, TimeControl()),
        clock=TimeControl(), by=EVE.id, players=("Ann", "Ben"), arbiter="eve",
    )  # fmt: skip
    decision = creation.create_arbitrated_room(created)
    assert replay(decision.events) == decision.room
    return decision.room


def begun() -> Room:
    return do(do(waiting(), BEN, Join).room, ANN, Join).room


def test_each_player_gets_the_seat_that_is_kept() -> None:
    room = do(waiting(), BEN, Join, seat=0).room
    assert (room.seats[0], room.seats[1]) == (None, Seat(player=BEN.id, name="ben"))
    assert refused(room, EVE, Join).code == "not_invited"
    again = Player(id="p-other", name="ben")
    assert refused(room, again, Join).code == "seat_taken"
    assert do(set_presence(room, 1, False, NOW).room, again, Join).room.seats[1] == Seat(player="p-other", name="ben")
    assert do(room, ANN, Join).room.status == "running"
    assert snapshots.room_info(room).players == ("Ann", "Ben")


def test_it_waits_on_when_a_player_gets_up() -> None:
    room = do(do(waiting(), BEN, Join).room, BEN, Leave).room
    assert (room.status, room.seats) == ("waiting", (None, None))


def test_the_arbiter_alone_aborts_at_any_time() -> None:
    room = play(begun(), "a4b4", "d1c1", "b4b3")
    assert refused(room, ANN, Abort).code == "bad_request"
    stopped = do(room, EVE, Abort).room
    assert stopped.ended is not None
    assert (stopped.ended.result, stopped.ended.reason) == ("*", "aborted")
    assert refused(stopped, EVE, Abort).code == "game_over"
    assert do(waiting(), EVE, Abort).room.status == "ended"
    assert refused(room, EVE, Resign).code == "not_seated"


def test_no_move_is_taken_back() -> None:
    assert refused(play(begun(), "a4b4"), ANN, Takeback).code == "bad_request"
