"""Limit on the number of connections per IP address, from the TCP handshake on."""

from __future__ import annotations

from collections import Counter

EXTRA_CONNECTIONS = 8  # per address, over the limit: refused with HTTP 429; any more are dropped


class IpLimits:
    """Number of open connections of each address."""

    def __init__(self, max_connections: int) -> None:
        self._max = max_connections
        self._counts: Counter[str] = Counter()

    def add(self, address: str) -> bool:
        """Count a connection. Return False if it should be closed without an answer."""
        self._counts[address] += 1
        return self._counts[address] <= self._max + EXTRA_CONNECTIONS

    def is_exceeded(self, address: str) -> bool:
        """Return whether an address has too many connections to open another WebSocket."""
        return self._counts[address] > self._max

    def remove(self, address: str) -> None:
        """Forget a connection. An empty address was never counted."""
        if address:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]
