"""Token bucket: allow a burst of messages, and a steady rate after it."""

from __future__ import annotations

from collections.abc import Callable

MIN_BUCKETS_SWEPT = 64


class TokenBucket:
    """A bucket of at most `burst` tokens that gains `rate` tokens per second. A message costs one token.

    A message of more weight costs more tokens. The sender calls `wait`, which never exceeds the rate. The receiver
    calls `take`, which costs almost nothing while tokens are left.
    """

    __slots__ = ("burst", "filled_at", "rate", "tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst = rate, burst
        self.tokens, self.filled_at = burst, now

    def wait(self, now: float, weight: float = 1.0) -> float:
        """Take `weight` tokens and return 0.0, or return the seconds until the bucket has them.

        A full bucket is enough for any weight: the missing tokens are owed, and the next message waits for them.
        """
        self.refill(now)
        missing = min(weight, self.burst) - self.tokens
        if missing > 0.0:
            return missing / self.rate
        self.tokens -= weight
        return 0.0

    def owe(self, weight: float, now: float) -> float:
        """Take `weight` more tokens and return 0.0. While tokens are owed, return the seconds until they are paid.

        As in `take`, the bucket is refilled only when it is needed.
        """
        if self.tokens < weight:
            self.refill(now)
            if self.tokens < 0.0:
                return -self.tokens / self.rate
        self.tokens -= weight
        return 0.0

    def spend(self, weight: float, now: float) -> None:
        """Take `weight` tokens for work that is done, and owe those that are missing."""
        self.refill(now)
        self.tokens -= weight

    def spend_up_to(self, max_debt_s: float, weight: float, now: float) -> None:
        """Take `weight` tokens for work that is done, and owe at most what the bucket gains in `max_debt_s`."""
        self.refill(now)
        self.tokens = max(self.tokens - weight, min(self.tokens, -max_debt_s * self.rate))

    def delay(self, weight: float, now: float) -> float:
        """Take `weight` tokens, and return the seconds until the bucket has them."""
        self.spend(weight, now)
        return max(0.0, -self.tokens / self.rate)

    def delay_up_to(self, max_s: float, weight: float, now: float) -> float | None:
        """Take `weight` tokens, and return the seconds until the bucket has them. Return None if it takes too long."""
        self.refill(now)
        delay_s = max(0.0, (weight - self.tokens) / self.rate)
        if delay_s > max_s:
            return None
        self.tokens -= weight
        return delay_s

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


class TokenBuckets:
    """A token bucket for each key. Buckets that are full again are forgotten from time to time."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: dict[str, TokenBucket] = {}
        self._sweep_at = MIN_BUCKETS_SWEPT

    def __len__(self) -> int:
        return len(self._buckets)

    def of(self, key: str, now: float) -> TokenBucket:
        """Return the bucket of a key, a full one if it is new."""
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= self._sweep_at:
                self._forget_full(now)
            bucket = self._buckets[key] = TokenBucket(self._rate, self._burst, now)
        return bucket

    def _forget_full(self, now: float) -> None:
        for bucket in self._buckets.values():
            bucket.refill(now)
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if bucket.tokens < self._burst}
        self._sweep_at = max(MIN_BUCKETS_SWEPT, 2 * len(self._buckets))
