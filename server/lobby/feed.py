"""Who wants to hear of open rooms and of the bots that are here, and the changes, together on a tick."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from protocol.frames import Packet
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, RoomInfo
from server.domain.room import Room
from server.lobby.watcher_counts import Audience
from server.rooms.client import Peer

MOST_BACKLOG = 1 << 20  # whoever does not read that much does not need the lobby


class Lobby:
    def __init__(self, tick: float, audience: Audience) -> None:
        self._tick, self._audience = tick, audience
        self._peers: dict[Peer, None] = {}
        self._changed: dict[str, Room] = {}
        self._infos: dict[str, RoomInfo] = {}  # rooms of other nodes that changed
        self._plies: dict[str, int] = {}  # games that have gone on, see server/lobby/progress.py
        self._bots: dict[Peer, BotInfo] = {}
        self._others: dict[str, tuple[BotInfo, ...]] = {}  # bots that are connected to other nodes
        self.on_bots: Callable[[tuple[BotInfo, ...]], None] = lambda bots: None
        self._bots_changed = self._waiting = False

    def enter(self, peer: Peer) -> None:
        self._peers[peer] = None

    def leave(self, peer: Peer) -> None:
        self._peers.pop(peer, None)

    def expects(self, peer: Peer) -> bool:
        """Whether it is here to hear something, however long it says nothing itself."""
        return peer in self._peers or peer in self._bots

    @property
    def watched(self) -> bool:
        return bool(self._peers)

    def changed(self, room: Room) -> None:
        if self._peers:
            self._changed[room.id] = room
            self._plies.pop(room.id, None)  # the last word counts
            self._soon()

    def heard(self, info: RoomInfo) -> None:
        """A room changed at another node."""
        if self._peers:
            self._infos[info.room] = info
            self._plies.pop(info.room, None)
            self._soon()

    def advanced(self, plies: dict[str, int]) -> None:
        """Games went on, here or at another node; further than anything told of them before."""
        if self._peers and plies:
            self._plies |= plies
            self._soon()

    def introduce(self, peer: Peer, bot: BotInfo) -> None:
        """A bot that wants to be invited; it is shown as long as its connection lasts."""
        self._bots[peer] = bot
        self._bots_changed = True
        self.on_bots(once(self._bots.values()))
        self._soon()

    def introduce_others(self, node: str, bots: tuple[BotInfo, ...]) -> None:
        """All bots of another node."""
        if self._others.get(node, ()) != bots:
            self._others[node] = bots
            self._bots_changed = True
            self._soon()
        if not bots:
            self._others.pop(node, None)

    def gone(self, peer: Peer) -> None:
        self.leave(peer)
        if self._bots.pop(peer, None) is not None:
            self._bots_changed = True
            self.on_bots(once(self._bots.values()))
            self._soon()

    def bots(self) -> tuple[BotInfo, ...]:
        return once([*(bot for bots in self._others.values() for bot in bots), *self._bots.values()])

    def _soon(self) -> None:
        if self._peers and not self._waiting:
            self._waiting = True
            asyncio.get_running_loop().call_later(self._tick, self.flush)

    def flush(self) -> None:
        changed, self._changed = self._changed, {}
        infos, self._infos = self._infos, {}
        infos = {name: self._audience.fill_in(info) for name, info in infos.items()}
        infos |= {name: self._audience.info(room) for name, room in changed.items()}
        plies, self._plies = self._plies, {}
        bots = self.bots() if self._bots_changed else None
        self._bots_changed = self._waiting = False
        packet = Packet(LobbyUpdate(rooms=tuple(infos.values()), bots=bots, plies=plies))
        for peer in list(self._peers):
            if peer.backlog() > MOST_BACKLOG:
                self.leave(peer)
                peer.cut(1008, "too slow for the lobby")
            else:
                peer.write(packet.text if peer.text else packet.binary)


def once(bots: Iterable[BotInfo]) -> tuple[BotInfo, ...]:
    """Each once, however many connections it has."""
    by_name = {bot.name: bot for bot in bots}
    return tuple(by_name[name] for name in sorted(by_name))
