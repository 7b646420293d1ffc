"""Watchers that put load on a server."""

from __future__ import annotations

from client.loadtest.matches import Match, ask
from client.loadtest.sockets import Client, connect
from protocol.commands import Hello, Watch


class Watchers:
    """Connections that watch matches and count the messages they receive."""

    def __init__(self) -> None:
        self.deliveries = 0
        self._clients: list[Client] = []

    async def open(self, url: str, matches: list[Match], count: int) -> None:
        """Connect watchers, spread evenly over the matches."""
        for number in range(count):
            client = await connect(url)
            self._clients.append(client)
            await ask(client, Hello(id=1))
            await ask(client, Watch(id=2, room=matches[number % len(matches)].room))
            client.on_message = self._count

    def _count(self, payload: bytes) -> None:
        self.deliveries += 1

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            client.transport.close()
