"""How long to wait before trying again: longer each time, and never in step with others who were cut off too."""

from __future__ import annotations

from random import Random


class Backoff:
    def __init__(self, first: float = 0.2, most: float = 15.0, rng: Random | None = None) -> None:
        self._first, self._most = first, most
        self._rng = rng or Random()
        self._failures = 0

    def next(self, at_least: float = 0.0) -> float:
        """Seconds until the next try: between half and all of a time that doubles."""
        time = min(self._most, self._first * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return max(at_least, time / 2) + self._rng.random() * time / 2

    def reset(self) -> None:
        self._failures = 0
