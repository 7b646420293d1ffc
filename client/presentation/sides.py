"""The names of the sides in the terminal, where stones of stacks are blue and red in every theme."""

from __future__ import annotations

from client.sdk.room_view import RoomView

SHOWN = {("black", "white"): {"stacks": ("blue", "red")}}


def shown_sides(table: RoomView) -> tuple[str, str]:
    """Return the names of both sides that match the colours on the screen."""
    sides = table.setup.sides
    return sides if table.game is None else SHOWN.get(sides, {}).get(table.game.kind, sides)
