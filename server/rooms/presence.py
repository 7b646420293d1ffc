"""Presence: the players connected to this node, and what the store knows of them for other nodes."""

from __future__ import annotations

from collections import Counter

from protocol.types import Player
from protocol.usernames import fold
from runtime.tasks import BackgroundTasks
from server.rooms.client import Client, player_of
from server.storage.interface import Store, Unavailable

Identity = tuple[str, str]  # a player's id and name


class PresenceTracker:
    """Which clients are connected under which name. A name is free again once its last client has left."""

    def __init__(self, store: Store, node: str, tasks: BackgroundTasks) -> None:
        self._store, self._node, self._tasks = store, node, tasks
        self._clients: dict[str, dict[Client, None]] = {}  # by folded name
        self._arriving: Counter[Identity] = Counter()  # players in the middle of hello: they hold their names already
        self._leaving: set[Identity] = set()  # players who left, but whose names the store has not freed yet

    def named(self, name: str) -> list[Client]:
        """Return the clients connected under a name."""
        return list(self._clients.get(fold(name), ()))

    def is_here(self, name: str) -> bool:
        """Return whether a client is connected under a name."""
        return fold(name) in self._clients

    def has(self, client: Client) -> bool:
        """Return whether a client that has been welcomed is still connected."""
        return client in self._clients.get(fold(player_of(client).name), ())

    def expect(self, player: Player) -> None:
        """Keep the name of a player who is about to be welcomed."""
        self._arriving[identity(player)] += 1

    def stop_expecting(self, player: Player) -> None:
        """Undo `expect`."""
        who = identity(player)
        self._arriving[who] -= 1
        if not self._arriving[who]:
            del self._arriving[who]

    def add(self, client: Client) -> None:
        """Add a client that has been welcomed."""
        assert client.player is not None
        self._clients.setdefault(fold(client.player.name), {})[client] = None

    def remove(self, client: Client) -> None:
        """Remove a client that has disconnected."""
        player = player_of(client)
        clients = self._clients.get(fold(player.name), {})
        clients.pop(client, None)
        if not clients:
            self._clients.pop(fold(player.name), None)
        if not any(player_of(other).id == player.id for other in clients):
            self.release(player)

    # -- in the store

    async def report(self) -> None:
        """Report every connected player to the store, which may not know of all of them."""
        players = {identity(player_of(client)) for clients in self._clients.values() for client in clients}
        await self._store.mark_present(self._node, sorted(players))

    def release(self, player: Player) -> None:
        """Free the name of a player who has left."""
        self._leaving.add(identity(player))
        self._tasks.start(self.free_names())

    async def free_names(self) -> None:
        """Free the names of players who have left; those left over when the store fails are freed later."""
        while self._leaving:
            who = self._leaving.pop()
            if self._arriving[who]:
                continue
            try:
                await self._store.mark_absent(self._node, *who)
                if any(identity(player_of(client)) == who for client in self.named(who[1])):
                    await self._store.mark_present(self._node, [who])  # the player is back already
            except Unavailable:
                self._leaving.add(who)
                return


def identity(player: Player) -> Identity:
    """Return what identifies a player in the store."""
    return player.id, player.name
