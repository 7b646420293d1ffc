"""Limits per IP address: open connections, from the TCP handshake on, and a budget for commands that cost much."""

from __future__ import annotations

import ipaddress
from collections import Counter

from runtime.token_bucket import TokenBuckets
from server.config import Settings

EXTRA_CONNECTIONS = 8  # per address, over the limit: refused with HTTP 429; any more are dropped
IPV6_NETWORK_BITS = 64  # a client can use any address of such a network, so they count as one
RATE_IN_CONNECTIONS = 10  # an address may spend as much per second on weighty commands as this many connections,
BURST_IN_CONNECTIONS = 4  # and at once as much as this many


class IpLimits:
    """Number of open connections of each address, and its budget for commands that cost more than a move."""

    def __init__(self, settings: Settings) -> None:
        self._max = settings.connections_per_address
        self._counts: Counter[str] = Counter()
        self._budgets = TokenBuckets(RATE_IN_CONNECTIONS * settings.rate, float(BURST_IN_CONNECTIONS * settings.burst))

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

    def charge(self, address: str, weight: float, now: float) -> float:
        """Spend the budget of an address. Return 0.0, or the seconds to wait if it is used up."""
        return self._budgets.of(address, now).owe(weight, now)


def counted_address(text: str) -> str:
    """Return what an address counts as: an IPv6 address as its network, any other text as it is."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, IPV6_NETWORK_BITS), strict=False))
