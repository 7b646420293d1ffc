"""Keeping to what the server accepts: so many messages at once, so many a second in the long run."""

from __future__ import annotations

SHARE = 0.9  # of what it says: its clock is not ours


class Throttle:
    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._most = max(0.01, rate * SHARE), max(1.0, burst * SHARE)
        self._tokens, self._at = self._most, now

    def wait(self, now: float) -> float:
        """Seconds until it is worth asking again; none, and a message may be sent now."""
        self._tokens = min(self._most, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1.0:
            return (1.0 - self._tokens) / self._rate
        self._tokens -= 1.0
        return 0.0
