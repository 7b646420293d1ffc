"""Decide which events a command produces. Pure: `decide` reads a room and does not change it.

The rules are grouped by command: moves.py, offers.py, endings.py, seating.py.
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
from server.domain.decision import Decision, Refusal, emit
from server.domain.endings import abort, abort_by_arbiter, claim, resign
from server.domain.moves import NOT_SEATED, move, require_running, require_time
from server.domain.offers import answer_draw, offer_draw, rematch, takeback
from server.domain.room import Room
from server.domain.seating import join, leave


def decide(
    room: Room, player: Player, command: RoomCommand, now: int, lag: int = 0, waited: int = 0, next_room: str = ""
) -> Decision:
    """Return the events of a command and the room after them. Raises Refusal.

    `lag` is the latency of the sender's connection and `waited` the time that the command spent in the queue, both in
    milliseconds. `next_room` is the id for the room of a rematch.
    """
    kind = type(command)
    seat = room.seat_of(player.id)
    if kind is Move:
        return move(room, seat, command, now, lag, waited)  # type: ignore[arg-type]  # the common case first
    if kind is Join:
        return join(room, player, command, now)  # type: ignore[arg-type]
    if kind is Say:
        return say(room, player, seat, command, now)  # type: ignore[arg-type]
    if kind is Abort and room.setup.players is not None:
        return abort_by_arbiter(room, player, now)
    if seat is None:
        raise Refusal("not_seated", NOT_SEATED)
    if kind is Rematch:
        return rematch(room, seat, command, now, next_room)  # type: ignore[arg-type]
    if kind is Leave:
        return leave(room, seat, now)
    require_running(room, command)
    if room.status == "running" and room.turn == seat:
        require_time(room, seat, now, lag, waited)
    return DECIDERS[kind](room, seat, command, now)


def say(room: Room, player: Player, seat: int | None, command: Say, now: int) -> Decision:
    return emit(room, Said(**room.event_fields(now), name=player.name, seat=seat, text=command.text))


DECIDERS: dict[type[Any], Callable[[Room, int, Any, int], Decision]] = {
    Resign: resign,
    OfferDraw: offer_draw,
    AnswerDraw: answer_draw,
    Takeback: takeback,
    Abort: abort,
    Claim: claim,
}
