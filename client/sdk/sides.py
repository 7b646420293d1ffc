"""The names of the sides in the terminal, where stones of stacks are blue and red in every theme."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from engine.game import Game

SHOWN = {("black", "white"): {"stacks": ("blue", "red")}}


def shown_sides(table: RoomView) -> tuple[str, str]:
    """Return the names of both sides that match the colours on the screen."""
    sides = table.setup.sides
    return sides if table.game is None else SHOWN.get(sides, {}).get(table.game.kind, sides)


def legend(marks: tuple[str, str], sides: tuple[str, str]) -> str:
    """Return which side has which letter on the board, or an empty string if the names begin with the letters."""
    pairs = list(zip(marks, sides, strict=True))
    if all(side.startswith(mark) for mark, side in pairs):
        return ""
    return ", ".join(f"{mark} is {side}" for mark, side in pairs)


def side_names(game: type[Game]) -> tuple[str, str]:
    """Return the names of both sides of a game that match the colours on the screen."""
    return SHOWN.get(game.sides, {}).get(game.kind, game.sides)
