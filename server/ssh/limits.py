"""How many connections and sessions the SSH service has, in total and from each address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from server.config import Settings
from server.transport.ip_limits import counted_address

EXTRA_CONNECTIONS = 16  # in total, for clients that are logging in, or are told that there is no place
EXTRA_CONNECTIONS_PER_ADDRESS = 4


class Full(Exception):
    """There is no place. The text is one sentence for the SSH client."""


class Places:
    """Places for sessions, or for connections."""

    def __init__(self, total: int, per_address: int) -> None:
        self._total, self._per_address = total, per_address
        self._counts: Counter[str] = Counter()

    @classmethod
    def for_sessions(cls, settings: Settings) -> Places:
        return cls(settings.ssh_sessions, settings.ssh_sessions_per_address)

    @classmethod
    def for_connections(cls, settings: Settings) -> Places:
        """Return places for connections, which may have several sessions, or none."""
        return cls(
            settings.ssh_sessions + EXTRA_CONNECTIONS,
            settings.ssh_sessions_per_address + EXTRA_CONNECTIONS_PER_ADDRESS,
        )

    @contextmanager
    def taken(self, address: str) -> Iterator[None]:
        """Take a place for an address, within the block. Raises Full."""
        address = counted_address(address)
        if self._counts.total() >= self._total:
            raise Full(f"all {self._total} places for SSH are taken; try again later, or use a browser")
        if self._counts[address] >= self._per_address:
            raise Full(f"your address has {self._per_address} SSH sessions, which is the limit; close one of them")
        self._counts[address] += 1
        try:
            yield
        finally:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]
