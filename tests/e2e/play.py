"""Helpers that create a room and play a game."""

from __future__ import annotations

from typing import Any

from tests.e2e.guest import Guest, Message

RATED_CLOCK = {"kind": "fischer", "base": 300_000}


async def room_of(first: Guest, second: Guest, game: str = "cohcoh", **terms: Any) -> str:
    """Create a room with the first guest on seat 0 and the second on seat 1, and wait until the game starts.

    A rated game has a clock.
    """
    if terms.get("rated"):
        terms = {"clock": RATED_CLOCK, **terms}
    created = await first.ask("create", game=game, seat=0, **terms)
    room: str = created["room"]
    await first.find(type="snapshot", room=room)
    await second.ask("join", room=room, code=created.get("code", ""))
    await second.find(type="snapshot", room=room)
    await first.find(type="started", room=room)
    return room


async def move(guest: Guest, room: str, ply: int, text: str, **more: Any) -> Message:
    """Play a move, and return its event."""
    await guest.ask("move", room=room, ply=ply, move=text, **more)
    return await guest.find(type="moved", room=room, ply=ply + 1)


async def play(first: Guest, second: Guest, room: str, *texts: str) -> None:
    """Play moves in turns, from the start. Both guests receive each of them."""
    for ply, text in enumerate(texts):
        guest, other = (first, second) if ply % 2 == 0 else (second, first)
        await move(guest, room, ply, text)
        await other.find(type="moved", room=room, ply=ply + 1)
