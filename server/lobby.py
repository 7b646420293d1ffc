"""Who wants to hear of open rooms, and the changes they hear of, together on a tick."""

from __future__ import annotations

import asyncio

from protocol.messages import LobbyUpdate
from server import view
from server.packet import Packet
from server.peer import Peer
from server.room import Room

MOST_BACKLOG = 1 << 20  # whoever does not read that much does not need the lobby


class Lobby:
    def __init__(self, tick: float) -> None:
        self._tick = tick
        self._peers: dict[Peer, None] = {}
        self._changed: dict[str, Room] = {}

    def enter(self, peer: Peer) -> None:
        self._peers[peer] = None

    def leave(self, peer: Peer) -> None:
        self._peers.pop(peer, None)

    def changed(self, room: Room) -> None:
        if not self._peers:
            return
        if not self._changed:
            asyncio.get_running_loop().call_later(self._tick, self.flush)
        self._changed[room.id] = room

    def flush(self) -> None:
        changed, self._changed = self._changed, {}
        packet = Packet(LobbyUpdate(rooms=tuple(view.info(room) for room in changed.values())))
        for peer in list(self._peers):
            if peer.backlog() > MOST_BACKLOG:
                self.leave(peer)
                peer.cut(1008, "too slow for the lobby")
            else:
                peer.write(packet.text if peer.text else packet.binary)
