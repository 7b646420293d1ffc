"""Delays between attempts: each is longer than the last, with random jitter."""

from __future__ import annotations

from random import Random


class Backoff:
    """Exponential back-off with jitter, so that clients cut off together do not return together."""

    def __init__(self, first_s: float = 0.2, max_s: float = 15.0, rng: Random | None = None) -> None:
        """Start at `first_s` and never exceed `max_s`."""
        self._first_s, self._max_s = first_s, max_s
        self._rng = rng or Random()
        self.failures = 0  # since the last reset

    def next(self, min_s: float = 0.0) -> float:
        """Return the seconds until the next attempt: a random part of a time that doubles, but at least `min_s`."""
        time = min(self._max_s, self._first_s * 2.0 ** min(self.failures, 30))
        self.failures += 1
        return max(min_s, time / 2) + self._rng.random() * time / 2

    def reset(self) -> None:
        """Start again at the first delay."""
        self.failures = 0
