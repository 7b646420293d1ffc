"""Who wants to hear of open rooms and of the bots that are here, and the changes, together on a tick."""

from __future__ import annotations

import asyncio

from protocol.messages import BotInfo, LobbyUpdate
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
        self._bots: dict[Peer, BotInfo] = {}
        self._bots_changed = self._waiting = False

    def enter(self, peer: Peer) -> None:
        self._peers[peer] = None

    def leave(self, peer: Peer) -> None:
        self._peers.pop(peer, None)

    def changed(self, room: Room) -> None:
        if self._peers:
            self._changed[room.id] = room
            self._soon()

    def introduce(self, peer: Peer, bot: BotInfo) -> None:
        """A bot that wants to be invited; it is shown as long as its connection lasts."""
        self._bots[peer] = bot
        self._bots_changed = True
        self._soon()

    def gone(self, peer: Peer) -> None:
        self.leave(peer)
        if self._bots.pop(peer, None) is not None:
            self._bots_changed = True
            self._soon()

    def bots(self) -> tuple[BotInfo, ...]:
        """Each once, however many connections it has."""
        by_name = {bot.name: bot for bot in self._bots.values()}
        return tuple(by_name[name] for name in sorted(by_name))

    def _soon(self) -> None:
        if self._peers and not self._waiting:
            self._waiting = True
            asyncio.get_running_loop().call_later(self._tick, self.flush)

    def flush(self) -> None:
        changed, self._changed = self._changed, {}
        bots = self.bots() if self._bots_changed else None
        self._bots_changed = self._waiting = False
        packet = Packet(LobbyUpdate(rooms=tuple(view.info(room) for room in changed.values()), bots=bots))
        for peer in list(self._peers):
            if peer.backlog() > MOST_BACKLOG:
                self.leave(peer)
                peer.cut(1008, "too slow for the lobby")
            else:
                peer.write(packet.text if peer.text else packet.binary)
