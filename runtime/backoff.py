"""Delays between attempts: each is longer than the last, with random jitter."""

from __future__ import annotations

from random import Random


class Backoff:
    """Exponential back-off with jitter, so that clients cut off together do not return together."""

    def __init__(self, first: float = 0.2, most: float = 15.0, rng: Random | None = None) -> None:
        """Start at `first` seconds and never exceed `most`."""
        self._first, self._most = first, most
        self._rng = rng or Random()
        self.failures = 0  # since the last reset

    def next(self, at_least: float = 0.0) -> float:
        """Return the seconds until the next attempt: between half and all of a time that doubles."""
        time = min(self._most, self._first * 2.0 ** min(self.failures, 30))
        self.failures += 1
        return max(at_least, time / 2) + self._rng.random() * time / 2

    def reset(self) -> None:
        """Start again at the first delay."""
        self.failures = 0
