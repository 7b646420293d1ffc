"""Lobby feed: changes of open rooms and connected bots, sent to clients in the lobby on a tick."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from protocol.frames import Packet
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, RoomInfo
from server.domain.room import Room
from server.lobby.watcher_counts import WatcherCounts
from server.rooms.client import Client
from server.rooms.processor import RoomObserver

MAX_LOBBY_BACKLOG_BYTES = 1 << 20  # a client with more unread bytes is disconnected


class LobbyFeed(RoomObserver):
    """Collects changes until the next tick. For each room only the latest change is sent."""

    def __init__(self, tick_s: float, watcher_counts: WatcherCounts) -> None:
        self._tick_s, self._watcher_counts = tick_s, watcher_counts
        self._clients: dict[Client, None] = {}
        self._held: dict[Client, list[Packet]] = {}  # updates for clients that wait for the list
        self._changed: dict[str, Room] = {}
        self._infos: dict[str, RoomInfo] = {}  # changed rooms of other nodes
        self._plies: dict[str, int] = {}  # games that have advanced, see lobby/progress.py
        self._bots: dict[Client, BotInfo] = {}
        self._remote_bots: dict[str, tuple[BotInfo, ...]] = {}  # by node
        self.on_bots: Callable[[tuple[BotInfo, ...]], None] = lambda bots: None
        self._bots_changed = self._scheduled = False
        self.version = 0  # grows with every change of a list

    @property
    def watched(self) -> bool:
        """Whether any client is in the lobby."""
        return bool(self._clients)

    def enter(self, client: Client) -> None:
        """Send updates to a client from now on."""
        self._clients[client] = None

    def leave(self, client: Client) -> None:
        """Stop sending updates to a client."""
        self._clients.pop(client, None)
        self._held.pop(client, None)

    def hold(self, client: Client) -> None:
        """Hold back updates until `release`: a list that is being built may be older than they are."""
        self._held[client] = []

    def release(self, client: Client) -> None:
        """Send a client the updates that were held back."""
        for packet in self._held.pop(client, ()):
            self._write(client, packet)

    def disconnect(self, client: Client) -> None:
        """Forget a disconnected client, and the bot behind it."""
        self.leave(client)
        if self._bots.pop(client, None) is not None:
            self._announce_bots()

    def is_listening(self, client: Client) -> bool:
        """Return whether a client waits for updates or invitations, and so may stay silent."""
        return client in self._clients or client in self._bots

    def is_in_lobby(self, client: Client) -> bool:
        """Return whether a client gets updates."""
        return client in self._clients

    # -- rooms

    def listing_changed(self, room: Room) -> None:
        """Note that a room changed at this node."""
        self.version += 1
        if self._clients:
            self._changed[room.id] = room
            self._plies.pop(room.id, None)  # this is newer
            self._schedule()

    def remote_changed(self, info: RoomInfo) -> None:
        """Note that a room changed at another node."""
        self.version += 1
        if self._clients:
            self._infos[info.room] = info
            self._plies.pop(info.room, None)
            self._schedule()

    def advanced(self, plies: dict[str, int]) -> None:
        """Note the plies of games that have advanced, here or at another node."""
        if self._clients and plies:
            self._plies |= plies
            self._schedule()

    # -- bots

    def add_bot(self, client: Client, bot: BotInfo) -> None:
        """List a bot that waits for invitations, as long as its client is connected."""
        self._bots[client] = bot
        self._announce_bots()

    def bot_of(self, client: Client) -> BotInfo | None:
        """Return the bot behind a client, if it is one that waits for invitations."""
        return self._bots.get(client)

    def set_remote_bots(self, node: str, bots: tuple[BotInfo, ...]) -> None:
        """Replace the bots of another node."""
        if self._remote_bots.get(node, ()) != bots:
            self._remote_bots[node] = bots
            self._bots_changed = True
            self._schedule()
        if not bots:
            self._remote_bots.pop(node, None)

    def bots(self) -> tuple[BotInfo, ...]:
        """Return all bots that wait for invitations, at any node."""
        return unique_by_name([*(bot for bots in self._remote_bots.values() for bot in bots), *self._bots.values()])

    def _announce_bots(self) -> None:
        self._bots_changed = True
        self.on_bots(unique_by_name(self._bots.values()))
        self._schedule()

    # -- tick

    def _schedule(self) -> None:
        if self._clients and not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_later(self._tick_s, self.flush)

    def flush(self) -> None:
        """Send what has changed since the last tick."""
        changed, self._changed = self._changed, {}
        infos, self._infos = self._infos, {}
        infos = {name: self._watcher_counts.fill_in(info) for name, info in infos.items()}
        infos |= {name: self._watcher_counts.info(room) for name, room in changed.items()}
        plies, self._plies = self._plies, {}
        bots = self.bots() if self._bots_changed else None
        self._bots_changed = self._scheduled = False
        packet = Packet(LobbyUpdate(rooms=tuple(infos.values()), bots=bots, plies=plies))
        for client in list(self._clients):
            if client in self._held:
                self._held[client].append(packet)
            else:
                self._write(client, packet)

    def _write(self, client: Client, packet: Packet) -> None:
        if client.backlog() > MAX_LOBBY_BACKLOG_BYTES:
            self.leave(client)
            client.cut(1008, "too slow for the lobby")
        else:
            client.write(packet.text if client.text else packet.binary)


def unique_by_name(bots: Iterable[BotInfo]) -> tuple[BotInfo, ...]:
    """Return each bot once, however many connections it has."""
    by_name = {bot.name: bot for bot in bots}
    return tuple(by_name[name] for name in sorted(by_name))
