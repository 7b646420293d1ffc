"""How far games are: the lobby hears of it from time to time, and not with every move, which has no time for that."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING

from protocol.types import RoomInfo, with_ply
from server.domain import snapshots

if TYPE_CHECKING:
    from server.rooms.live_room import Live
    from server.rooms.registry import Hall

PAUSE = 0.9  # seconds between looks at least
MOST = 500  # games that are told of at a time; where more go on, they take turns
KEPT = 10_000  # games of other nodes that are remembered: those that went on last


class Progress:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._round: list[str] = []  # rooms that are still to be looked at before it is everyone's turn again
        self._told: dict[str, int] = {}  # how far games were when they were last told of
        self._elsewhere: dict[str, int] = {}  # how far games of other nodes are, which the index does not know
        self._next = 0.0

    def look(self) -> None:
        """Tell who looks at the lobby, here or at other nodes, which games have gone on."""
        hall, now = self._hall, asyncio.get_running_loop().time()
        if now < self._next or not (hall.lobby.watched or hall.store.shared):
            return
        self._next = now + PAUSE
        moved = self._moved()
        if moved:
            hall.lobby.advanced(moved)
            hall.bus.advance(moved)

    def _moved(self) -> dict[str, int]:
        rooms, moved = self._hall.rooms, dict[str, int]()
        if not self._round:
            self._round = list(rooms)
            self._told = {name: ply for name, ply in self._told.items() if name in rooms}
        while self._round and len(moved) < MOST:
            name = self._round.pop()
            live = rooms.get(name)
            if live is not None and self._is_told_of(live):
                ply = snapshots.visible_ply(live.room)
                if ply != self._told.get(name, 0):
                    moved[name] = self._told[name] = ply
        return moved

    def _is_told_of(self, live: Live) -> bool:
        room = live.room
        return room.status == "running" and not room.setup.private and self._hall.is_fresh(live)

    def heard(self, plies: dict[str, int]) -> None:
        """What another node tells of games that nobody attends here."""
        for name in plies:
            self._elsewhere.pop(name, None)  # to come last
        self._elsewhere |= plies
        for name in list(islice(self._elsewhere, max(0, len(self._elsewhere) - KEPT))):
            del self._elsewhere[name]

    def fill_in(self, info: RoomInfo) -> RoomInfo:
        """A room's line from the index, with how far its game is as far as we have heard."""
        ply = self._elsewhere.get(info.room, 0)
        return with_ply(info, ply) if info.status == "running" and ply > info.ply else info
