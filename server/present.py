"""Who is connected to this node: what it knows itself, and what it tells the store for the other nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.messages import Player
from server.peer import Peer, require
from server.store import Unavailable

if TYPE_CHECKING:
    from server.hall import Hall


class Present:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._peers: dict[str, dict[Peer, None]] = {}  # by name
        self._leaving: set[tuple[str, str]] = set()  # who is gone, and still there for the store

    def named(self, name: str) -> list[Peer]:
        return list(self._peers.get(name.casefold(), ()))

    def is_here(self, name: str) -> bool:
        return name.casefold() in self._peers

    def come(self, peer: Peer) -> None:
        self._peers.setdefault(require(peer).name.casefold(), {})[peer] = None

    def go(self, peer: Peer) -> None:
        player = require(peer)
        peers = self._peers.get(player.name.casefold(), {})
        peers.pop(peer, None)
        if not peers:
            self._peers.pop(player.name.casefold(), None)
        if not any(require(other).id == player.id for other in peers):
            self.let_go(player)

    # -- in the store

    async def tell(self) -> None:
        """The store about everybody, which may not know of all of them."""
        people = {person(require(peer)) for peers in self._peers.values() for peer in peers}
        await self._hall.store.arrived(self._hall.node, sorted(people))

    def let_go(self, player: Player) -> None:
        self._leaving.add(person(player))
        self._hall.spawn(self.free_names())

    async def free_names(self) -> None:
        """Of those who have left; later, if the store is away."""
        while self._leaving:
            who = self._leaving.pop()
            try:
                await self._hall.store.left(self._hall.node, *who)
                if any(person(require(peer)) == who for peer in self.named(who[1])):  # and back already
                    await self._hall.store.arrived(self._hall.node, [who])
            except Unavailable:
                self._leaving.add(who)
                return


def person(player: Player) -> tuple[str, str]:
    return player.id, player.name
