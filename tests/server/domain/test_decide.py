"""decide: each command goes to its rule, with the checks that all commands share."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.commands import (
    Abort,
    AnswerDraw,
    Claim,
    Leave,
    Move,
    OfferDraw,
    Rematch,
    Resign,
    RoomCommand,
    Say,
    Takeback,
)
from protocol.events import Said
from protocol.types import TimeControl
from server.domain.decide import decide
from server.domain.room import apply
from tests.server.domain.helpers import (
    ANN,
    BEN,
    EVE,
    NOW,
    arbitrated_running,
    do,
    move,
    play,
    refused,
    running,
    waiting,
)

PLAYER_COMMANDS: list[type[RoomCommand]] = [Abort, AnswerDraw, Claim, Leave, OfferDraw, Rematch, Resign, Takeback]


def fields(kind: type[RoomCommand]) -> dict[str, Any]:
    return {"accept": True} if kind is AnswerDraw else {}


@pytest.mark.parametrize("kind", PLAYER_COMMANDS)
def test_commands_of_players_need_a_seat(kind: type[RoomCommand]) -> None:
    assert refused(running(), EVE, kind, **fields(kind)).code == "not_seated"


@pytest.mark.parametrize("kind", [AnswerDraw, Claim, OfferDraw, Resign, Takeback])
def test_commands_of_a_game_need_a_running_game(kind: type[RoomCommand]) -> None:
    assert refused(waiting().room, ANN, kind, **fields(kind)).code == "not_running"
    assert refused(do(running(), ANN, Resign).room, ANN, kind, **fields(kind)).code == "game_over"


@pytest.mark.parametrize("kind", [AnswerDraw, OfferDraw, Takeback, Resign, Abort, Claim])
def test_player_out_of_time_can_only_lose(kind: type[RoomCommand]) -> None:
    room = do(running(clock=TimeControl(kind="move", per_move=1000)), BEN, OfferDraw).room
    refusal = refused(room, ANN, kind, NOW + 1001, **fields(kind))
    assert refusal.code == "too_late"
    assert refusal.decision is not None
    assert refusal.decision.events[0].reason == "time"  # type: ignore[union-attr]


def test_opponent_of_the_side_to_move_is_not_out_of_time() -> None:
    room = running(clock=TimeControl(kind="move", per_move=1000))
    end = do(room, BEN, Resign, NOW + 1001).room.ended
    assert end is not None
    assert end.reason == "resigned"


@pytest.mark.parametrize(("player", "seat"), [(ANN, 0), (BEN, 1), (EVE, None)])
def test_players_and_watchers_can_chat(player: Any, seat: int | None) -> None:
    (said,) = do(running(), player, Say, text="hello").events
    assert isinstance(said, Said)
    assert (said.name, said.seat, said.text) == (player.name, seat, "hello")


def test_abort_in_a_room_with_an_arbiter_is_for_the_arbiter() -> None:
    assert refused(arbitrated_running(), ANN, Abort).code == "bad_request"
    assert do(arbitrated_running(), EVE, Abort).room.status == "ended"


def test_decide_does_not_change_the_room() -> None:
    room = play(running(), "a4b4")
    before = room.copy()
    decision = move(room, BEN, "d1c1")
    assert room == before
    assert apply(room, decision.events[0]) == decision.room


def test_time_in_the_queue_is_not_charged() -> None:
    room = running(clock=TimeControl(kind="move", per_move=1000))
    late = NOW + 5000
    command = Move(id=1, room="r1", ply=0, move="a4b4")
    decision = decide(room, ANN, command, late, waited=4500)
    assert (decision.room.moves[0].took, decision.room.clocks[2]) == (500, late), "the next turn begins now"


def test_rematch_gets_the_given_room_id() -> None:
    over = do(running(), ANN, Resign).room
    offered = do(over, ANN, Rematch).room
    command = Rematch(id=1, room="r1")
    assert decide(offered, BEN, command, NOW, next_room="r9").room.next == "r9"
