"""The ply of a game that is shown: the latest, or an earlier one."""

from __future__ import annotations


class PlyBrowser:
    """Follows the latest ply until an earlier one is chosen."""

    def __init__(self) -> None:
        self._at: int | None = None  # None: follow the latest ply

    def ply(self, latest: int) -> int:
        """Return the ply to show. It is never after the latest one, which a takeback may have moved back."""
        return latest if self._at is None else min(self._at, latest)

    @property
    def live(self) -> bool:
        return self._at is None

    def go(self, ply: int, latest: int, ended: bool = False) -> None:
        """Go to a ply. Going to the latest ply of a running game means to follow the game."""
        ply = min(max(ply, 0), latest)
        self._at = None if ply == latest and not ended else ply

    def step(self, plies: int, latest: int, ended: bool = False) -> None:
        self.go(self.ply(latest) + plies, latest, ended)

    def return_to_live(self) -> None:
        self._at = None
