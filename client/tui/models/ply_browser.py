"""Which ply of a game is looked at: the newest one as it comes, or an earlier one for as long as somebody likes."""

from __future__ import annotations


class PlyBrowser:
    def __init__(self) -> None:
        self._at: int | None = None  # None: live

    def ply(self, newest: int) -> int:
        """A game may have become shorter since, by a takeback."""
        return newest if self._at is None else min(self._at, newest)

    @property
    def live(self) -> bool:
        return self._at is None

    def go(self, ply: int, newest: int, ended: bool = False) -> None:
        """To a ply. The newest one of a game that goes on is live; there one moves on with it."""
        ply = min(max(ply, 0), newest)
        self._at = None if ply == newest and not ended else ply

    def step(self, plies: int, newest: int, ended: bool = False) -> None:
        self.go(self.ply(newest) + plies, newest, ended)

    def return_to_live(self) -> None:
        self._at = None
