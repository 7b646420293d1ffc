"""Progress of games: report the plies of running games to the lobby about once a second, not with every move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice

from protocol.types import RoomInfo, with_ply
from server.domain import snapshots
from server.lobby.feed import LobbyFeed
from server.rooms.live_room import LiveRoom
from server.rooms.registry import RoomRegistry

REPORT_INTERVAL_S = 0.9
MAX_GAMES_PER_REPORT = 500  # the rest follow in the next reports
MAX_REMOTE_GAMES = 10_000  # games of other nodes whose ply is kept: the most recent ones


class ProgressReports:
    """Reports the ply of running games to the lobby, and keeps what other nodes report."""

    def __init__(
        self, *, registry: RoomRegistry, feed: LobbyFeed, advance: Callable[[dict[str, int]], None], shared: bool
    ) -> None:
        self._registry, self._feed, self._advance, self._shared = registry, feed, advance, shared
        self._round: list[str] = []  # rooms that have not been checked in this round
        self._reported: dict[str, int] = {}  # room: ply that was last reported
        self._elsewhere: dict[str, int] = {}  # room: ply of games at other nodes; the index does not have it
        self._next_s = 0.0

    def report(self) -> None:
        """Tell the lobby, here and at other nodes, which games have advanced."""
        now = asyncio.get_running_loop().time()
        if now < self._next_s or not (self._feed.watched or self._shared):
            return
        self._next_s = now + REPORT_INTERVAL_S
        plies = self._changed()
        if plies:
            self._feed.advanced(plies)
            self._advance(plies)  # at other nodes

    def _changed(self) -> dict[str, int]:
        rooms, plies = self._registry.rooms, dict[str, int]()
        if not self._round:
            self._round = list(rooms)
            self._reported = {name: ply for name, ply in self._reported.items() if name in rooms}
        while self._round and len(plies) < MAX_GAMES_PER_REPORT:
            name = self._round.pop()
            live = rooms.get(name)
            if live is not None and self._is_reported(live):
                ply = snapshots.visible_ply(live.room)
                if ply != self._reported.get(name, 0):
                    plies[name] = self._reported[name] = ply
        return plies

    def _is_reported(self, live: LiveRoom) -> bool:
        room = live.room
        return room.status == "running" and not room.setup.private and self._registry.is_current(live)

    def receive(self, plies: dict[str, int]) -> None:
        """Keep what another node reports of games without clients here."""
        for name in plies:
            self._elsewhere.pop(name, None)  # so that it is re-inserted as the newest
        self._elsewhere |= plies
        for name in list(islice(self._elsewhere, max(0, len(self._elsewhere) - MAX_REMOTE_GAMES))):
            del self._elsewhere[name]

    def fill_in(self, info: RoomInfo) -> RoomInfo:
        """Return the entry of a room from the index, with the latest reported ply."""
        ply = self._elsewhere.get(info.room, 0)
        return with_ply(info, ply) if info.status == "running" and ply > info.ply else info
