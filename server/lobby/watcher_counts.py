"""Number of watchers of each room: at this node, and at other nodes as they report."""

from __future__ import annotations

from collections import Counter

from protocol.types import RoomInfo, with_watchers
from server.domain import snapshots
from server.domain.room import Room
from server.rooms.live_room import LiveRoom


class WatcherCounts:
    """Adds the watchers here to those that other nodes report."""

    def __init__(self, rooms: dict[str, LiveRoom]) -> None:
        self._rooms = rooms
        self._by_node: dict[str, dict[str, int]] = {}  # node: room: watchers
        self._elsewhere: Counter[str] = Counter()  # room: watchers at other nodes

    def here(self) -> dict[str, int]:
        """Return the number of watchers at this node, for every public open room that has any."""
        return {
            name: len(live.watchers)
            for name, live in self._rooms.items()
            if live.watchers and live.room.status != "ended" and not live.room.setup.private
        }

    def report(self, node: str, counts: dict[str, int]) -> set[str]:
        """Replace all counts of another node. Return the rooms whose number has changed."""
        before = self._by_node.pop(node, {})
        self._elsewhere.subtract(before)
        self._elsewhere.update(counts)
        self._elsewhere = +self._elsewhere  # drops zero counts
        if counts:
            self._by_node[node] = counts
        return {room for room in {*before, *counts} if before.get(room) != counts.get(room)}

    def info(self, room: Room) -> RoomInfo:
        """Return the entry of a room in lists."""
        live = self._rooms.get(room.id)
        return self.fill_in(live.info if live is not None and live.room is room else snapshots.room_info(room))

    def fill_in(self, info: RoomInfo) -> RoomInfo:
        """Return the entry of a room with the current number of watchers."""
        count = self._count(info.room)
        return info if count == info.watchers else with_watchers(info, count)

    def _count(self, room: str) -> int:
        live = self._rooms.get(room)
        return self._elsewhere[room] + (0 if live is None else len(live.watchers))
