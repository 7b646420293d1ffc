"""The marked cells of a board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.board import Cell


@dataclass(frozen=True, slots=True)
class Marks:
    """The marked cells of a board.

    `picked`: the cells chosen so far. `targets`: the cells that can be chosen next. `preview`: the cells that a move
    would change, with their contents after it; the move would end in `end`. `last`: the cells that the last move
    changed. `decisive`: the cells that decided the game; `shown`: how much of these marks is visible, from 0 to 1.
    """

    cursor: str | None = None
    picked: tuple[str, ...] = ()
    targets: frozenset[str] = frozenset()
    preview: Mapping[str, Cell] = field(default_factory=dict)
    end: str | None = None
    last: frozenset[str] = frozenset()
    decisive: frozenset[str] = frozenset()
    shown: float = 1.0

    def change(self, cell: Cell) -> int:
        """Return by how much the preview changes the count of a cell."""
        after = self.preview.get(cell.name)
        return 0 if after is None else after.count - cell.count

    def newcomer(self, cell: Cell) -> int | None:
        """Return the side whose pieces the preview brings to a cell, or None."""
        after = self.preview.get(cell.name)
        grows = after is not None and (after.count > cell.count or cell.owner is None)
        return after.owner if grows and after is not None else None

    def fades(self, cell: Cell) -> bool:
        """Return whether a cell steps back behind those that decided the game."""
        return bool(self.decisive) and cell.name not in self.decisive


NO_MARKS = Marks()
MINUS = "−"


def signed(number: int) -> str:
    return f"+{number}" if number >= 0 else f"{MINUS}{-number}"
