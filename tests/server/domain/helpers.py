"""Helpers for tests of rooms: three players, and short ways to create and change rooms."""

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
MINUTE_MS = 60_000


def created(game: str = "conga", clock: TimeControl | None = None, now: int = NOW, **terms: Any) -> Created:
    """Return the first event of a room. `terms` are further fields of it."""
    control = clock or TimeControl()
    options = creation.resolve_options(game, terms.pop("options", {}), control)
    by = terms.pop("by", ANN.id)
    return Created(room="r1", seq=1, at=now, game=game, options=options, clock=control, by=by, **terms)


def waiting(game: str = "conga", clock: TimeControl | None = None, now: int = NOW, **terms: Any) -> Decision:
    """Create a room in which ann has seat 0."""
    return creation.create_room(created(game, clock, now, **terms), ANN, 0)


def running(game: str = "conga", clock: TimeControl | None = None, now: int = NOW, **terms: Any) -> Room:
    """Return a room in which the game of ann and ben has started."""
    room = waiting(game, clock, now, **terms).room
    ben = Player(id=BEN.id, name=BEN.name, account=room.setup.rated)
    return decide(room, ben, Join(id=1, room="r1", code=room.setup.code), now).room


def arbitrated() -> Room:
    """Return a room that the arbiter eve has created for ann and ben. Both seats are empty."""
    return creation.create_arbitrated_room(created(by=EVE.id, players=("Ann", "Ben"), arbiter="eve")).room


def arbitrated_running() -> Room:
    return do(do(arbitrated(), BEN, Join).room, ANN, Join).room


def move(room: Room, player: Player, text: str, now: int = NOW, lag: int = 0) -> Decision:
    return decide(room, player, Move(id=1, room="r1", ply=room.ply, move=text), now, lag)


def do(room: Room, player: Player, kind: type[RoomCommand], now: int = NOW, **fields: Any) -> Decision:
    """Decide a command of a player."""
    return decide(room, player, kind(id=1, room="r1", **fields), now, next_room="r2")


def refused(room: Room, player: Player, kind: type[RoomCommand], now: int = NOW, **fields: Any) -> Refusal:
    """Return the refusal of a command. Fails if the command is accepted."""
    try:
        do(room, player, kind, now, **fields)
    except Refusal as refusal:
        return refusal
    raise AssertionError(f"{kind.__name__} was not refused")


def play(room: Room, *texts: str, now: int = NOW) -> Room:
    """Return the room after moves of both players in turn."""
    for text in texts:
        room = move(room, (ANN, BEN)[room.turn], text, now).room
    return room
