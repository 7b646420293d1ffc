"""Token bucket: allow a burst of messages, and a steady rate after it."""

from __future__ import annotations

from collections.abc import Callable


class TokenBucket:
    """A bucket of at most `burst` tokens that gains `rate` tokens per second. A message costs one token.

    The sender calls `wait`, which never exceeds the rate. The receiver calls `take`, which costs almost nothing while
    tokens are left.
    """

    __slots__ = ("burst", "filled_at", "rate", "tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst = rate, burst
        self.tokens, self.filled_at = burst, now

    def wait(self, now: float) -> float:
        """Take a token and return 0.0, or return the seconds until there is one."""
        self.refill(now)
        if self.tokens < 1.0:
            return self.seconds_to_token()
        self.tokens -= 1.0
        return 0.0

    def take(self, clock: Callable[[], float]) -> bool:
        """Take a token; return False if there is none.

        Read the clock and refill only when the bucket is empty. A full bucket that was idle for long thus allows up to
        two bursts in a row.
        """
        if self.tokens < 1.0:
            self.refill(clock())
            if self.tokens < 1.0:
                return False
        self.tokens -= 1.0
        return True

    def refill(self, now: float) -> None:
        """Add the tokens gained since the last refill."""
        self.tokens = min(self.burst, self.tokens + (now - self.filled_at) * self.rate)
        self.filled_at = now

    def seconds_to_token(self) -> float:
        """Return the seconds from the last refill until an empty bucket has a token."""
        return (1.0 - self.tokens) / self.rate
