"""Who is connected to this node: what it knows itself, and what it tells the store for the other nodes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from protocol.types import Player
from protocol.usernames import fold
from server.rooms.client import Peer, require
from server.storage.interface import Unavailable

if TYPE_CHECKING:
    from server.rooms.registry import Hall


class Present:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._peers: dict[str, dict[Peer, None]] = {}  # by name
        self._expected: Counter[tuple[str, str]] = Counter()  # who is about to come, and has the name already
        self._leaving: set[tuple[str, str]] = set()  # who is gone, and still there for the store

    def named(self, name: str) -> list[Peer]:
        return list(self._peers.get(fold(name), ()))

    def is_here(self, name: str) -> bool:
        return fold(name) in self._peers

    def expect(self, player: Player) -> None:
        self._expected[person(player)] += 1

    def expect_no_more(self, player: Player) -> None:
        self._expected[person(player)] -= 1
        self._expected += Counter()  # nobody is kept who is not expected any more

    def come(self, peer: Peer) -> None:
        self._peers.setdefault(fold(require(peer).name), {})[peer] = None

    def go(self, peer: Peer) -> None:
        player = require(peer)
        peers = self._peers.get(fold(player.name), {})
        peers.pop(peer, None)
        if not peers:
            self._peers.pop(fold(player.name), None)
        if not any(require(other).id == player.id for other in peers):
            self.let_go(player)

    # -- in the store

    async def tell(self) -> None:
        """The store about everybody, which may not know of all of them."""
        people = {person(require(peer)) for peers in self._peers.values() for peer in peers}
        await self._hall.store.mark_present(self._hall.node, sorted(people))

    def let_go(self, player: Player) -> None:
        self._leaving.add(person(player))
        self._hall.spawn(self.free_names())

    async def free_names(self) -> None:
        """Of those who have left; later, if the store is away."""
        while self._leaving:
            who = self._leaving.pop()
            if self._expected[who]:
                continue
            try:
                await self._hall.store.mark_absent(self._hall.node, *who)
                if any(person(require(peer)) == who for peer in self.named(who[1])):  # and back already
                    await self._hall.store.mark_present(self._hall.node, [who])
            except Unavailable:
                self._leaving.add(who)
                return


def person(player: Player) -> tuple[str, str]:
    return player.id, player.name
