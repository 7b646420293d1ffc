"""Rooms for pure tests: who plays, and short ways to make and change rooms."""

from __future__ import annotations

from typing import Any

from protocol.commands import Join, Move, RoomCommand
from protocol.events import Created
from protocol.types import Player, TimeControl
from server.domain import creation
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.room import Room

ANN, BEN, EVE = (Player(id=f"p-{name}", name=name) for name in ("ann", "ben", "eve"))
NOW = 1_800_000_000_000


def made(game: str = "conga", clock: TimeControl | None = None, now: int = NOW, **terms: Any) -> Decision:
    """A room in which ann has seat 0."""
    control = clock or TimeControl()
    options = creation.resolve_options(game, terms.pop("options", {}), control)
    created = Created(room="r1", seq=1, at=now, game=game, options=options, clock=control, by=ANN.id, **terms)
    return creation.create_room(created, ANN, 0)


def running(game: str = "conga", clock: TimeControl | None = None, now: int = NOW, **terms: Any) -> Room:
    """A room in which ann and ben have begun."""
    room = made(game, clock, now, **terms).room
    return decide(room, BEN, Join(id=1, room="r1", code=room.setup.code), now).room


def move(room: Room, who: Player, text: str, now: int = NOW, lag: int = 0) -> Decision:
    return decide(room, who, Move(id=1, room="r1", ply=room.ply, move=text), now, lag)


def do(room: Room, who: Player, kind: type[RoomCommand], now: int = NOW, **fields: Any) -> Decision:
    return decide(room, who, kind(id=1, room="r1", **fields), now, next_room="r2")


def refused(room: Room, who: Player, kind: type[RoomCommand], now: int = NOW, **fields: Any) -> Refusal:
    try:
        do(room, who, kind, now, **fields)
    except Refusal as refusal:
        return refusal
    raise AssertionError(f"{kind.__name__} was not refused")


def play(room: Room, *texts: str, now: int = NOW) -> Room:
    for text in texts:
        room = move(room, (ANN, BEN)[room.turn], text, now).room
    return room
