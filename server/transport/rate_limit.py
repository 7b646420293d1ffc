"""Rate limit of one connection: messages over it are refused, and a client that keeps sending is disconnected."""

from __future__ import annotations

from runtime.token_bucket import TokenBucket

FLOOD_BURSTS = 2  # refused frames before a disconnect, in multiples of the burst


class RateLimit(TokenBucket):
    """Token bucket that also counts refused frames.

    For each message, `fast_path` takes a token by itself: while there are tokens, it reads no clock and makes no call.
    """

    refused = 0  # frames over the limit, minus the messages accepted since

    def refilled(self, now: float) -> bool:
        """Refill the bucket. Return whether it has a token."""
        self.refill(now)
        return self.tokens >= 1.0

    def refuse(self) -> bool:
        """Count a refused frame. Return True if the client has exceeded the limit for too long."""
        self.refused += 1
        return self.refused > FLOOD_BURSTS * self.burst
