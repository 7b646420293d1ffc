"""All rooms a client hears of: events in their order, once each, and what to ask for when some are missing."""

from __future__ import annotations

from client.sdk.room_view import Desync, RoomView
from protocol.events import Event
from protocol.replies import Snapshot


class RoomCache(dict[str, RoomView]):
    """The rooms by name. `missing` are those for which something has to be asked for, and from which seq on."""

    def __init__(self) -> None:
        super().__init__()
        self.missing: dict[str, int] = {}
        self.desyncs = 0  # how often the server said what cannot follow from what we knew; never, one hopes

    def snapshot(self, snapshot: Snapshot, now: float) -> bool:
        """Whether it is news; an older one than what we know is none."""
        known = self.get(snapshot.room)
        if known is not None and snapshot.seq < known.seq:
            return False
        try:
            table = RoomView(snapshot, now, known)
        except Desync:
            self.desyncs += 1
            table = RoomView(snapshot, now)  # what we knew was wrong; if that fails too the server contradicts itself
        self[snapshot.room] = table
        self.missing.pop(snapshot.room, None)
        return True

    def event(self, event: Event, now: float) -> bool:
        """Whether it is news: not if it was here before, and not yet if another one has to come first."""
        table = self.get(event.room)
        if table is None:
            self.missing[event.room] = 0
            return False
        if event.seq <= table.seq:
            return False
        if event.seq > table.seq + 1:
            self.missing[event.room] = table.seq
            return False
        try:
            table.apply(event, now)
        except Desync:
            self.desyncs += 1
            self.missing[event.room] = 0
            return False
        if self.missing.get(event.room, 0):  # one that was asked for has come, and more are to follow
            del self.missing[event.room]
        return True

    def unfinished(self) -> list[RoomView]:
        return [table for table in self.values() if table.status != "ended"]
