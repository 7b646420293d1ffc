"""How many watch each room: here, and at other nodes as far as they say."""

from __future__ import annotations

from collections import Counter

from protocol.types import RoomInfo, with_watchers
from server.domain import snapshots
from server.domain.room import Room
from server.rooms.live_room import Live


class Audience:
    def __init__(self, rooms: dict[str, Live]) -> None:
        self._rooms = rooms
        self._elsewhere: dict[str, dict[str, int]] = {}  # node: room: watchers
        self._total: Counter[str] = Counter()  # elsewhere, by room

    def here(self) -> dict[str, int]:
        """Public rooms that somebody watches at this node."""
        return {
            name: len(live.watchers)
            for name, live in self._rooms.items()
            if live.watchers and live.room.status != "ended" and not live.room.setup.private
        }

    def heard(self, node: str, counts: dict[str, int]) -> set[str]:
        """All that another node says; the rooms where that makes a difference."""
        before = self._elsewhere.pop(node, {})
        self._total.subtract(before)
        self._total.update(counts)
        self._total = +self._total  # without those that nobody watches
        if counts:
            self._elsewhere[node] = counts
        return {room for room in {*before, *counts} if before.get(room) != counts.get(room)}

    def info(self, room: Room) -> RoomInfo:
        return snapshots.room_info(room, self._count(room.id))

    def fill_in(self, info: RoomInfo) -> RoomInfo:
        """A room's line from elsewhere, with the number of its watchers."""
        count = self._count(info.room)
        return info if count == info.watchers else with_watchers(info, count)

    def _count(self, room: str) -> int:
        live = self._rooms.get(room)
        return self._total[room] + (0 if live is None else len(live.watchers))
