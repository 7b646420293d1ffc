"""Which events a command leads to. Pure: `decide` looks at a room and changes nothing.

What commands mean is in the files beside: playing.py, agreeing.py, ending.py, seating.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    Say,
    Takeback,
)
from protocol.events import Said
from protocol.types import Player
from server.domain.decision import Decision, Refusal, emit, event_fields
from server.domain.endings import abort, abort_by_arbiter, claim, resign
from server.domain.moves import move, require_running, require_time
from server.domain.offers import answer_draw, offer_draw, rematch, takeback
from server.domain.room import Room
from server.domain.seating import join, leave


def decide(
    room: Room, who: Player, command: RoomCommand, now: int, lag: int = 0, waited: int = 0, next_room: str = ""
) -> Decision:
    """`lag` is what the sender's connection costs, `waited` how long the command has been here, and `next_room` the
    name of a room that a rematch would make."""
    kind = type(command)
    seat = room.seat_of(who.id)
    if kind is Move:
        return move(room, seat, command, now, lag, waited)  # type: ignore[arg-type]  # the common case first
    if kind is Join:
        return join(room, who, command, now)  # type: ignore[arg-type]
    if kind is Say:
        return emit(room, Said(**event_fields(room, now), name=who.name, seat=seat, text=command.text))  # type: ignore[attr-defined]
    if kind is Abort and room.setup.players is not None:
        return abort_by_arbiter(room, who, now)
    if seat is None:
        raise Refusal("not_seated", "you have no seat in this room")
    if kind is Rematch:
        return rematch(room, seat, command, now, next_room)  # type: ignore[arg-type]
    if kind is Leave:
        return leave(room, seat, now)
    require_running(room, command)
    if room.status == "running" and room.turn == seat:
        require_time(room, seat, now, lag, waited)
    return ANSWERS[kind](room, seat, command, now)


ANSWERS: dict[type[Any], Callable[[Room, int, Any, int], Decision]] = {
    Resign: resign,
    OfferDraw: offer_draw,
    AnswerDraw: answer_draw,
    Takeback: takeback,
    Abort: abort,
    Claim: claim,
}
