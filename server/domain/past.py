"""What a room does not keep of its past, and how it is found again. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from engine.game import State

if TYPE_CHECKING:
    from server.domain.room import Room

MARK = 8  # bytes


def states(room: Room) -> Iterator[State]:
    """The start, and the state after every move: they are not kept."""
    game = room.game
    state = game.start()
    yield state
    for made in room.moves:
        state = game.after(state, game.parse(state, made.move, running=True))
        yield state


def state_at(room: Room, ply: int) -> State:
    return next(islice(states(room), ply, None))


def mark(state: State) -> bytes:
    """A few bytes that equal states have in common, and different ones hardly ever."""
    return hash(state).to_bytes(MARK, "little", signed=True)


def occurrences(room: Room, enough: int) -> int:
    """How often the state of a room has occurred, this time included; exact where it is enough to matter."""
    found = room.seen.count(room.seen[-MARK:])
    return found if found < enough else list(states(room)).count(room.state)
