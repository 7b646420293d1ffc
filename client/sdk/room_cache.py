"""Cache of the rooms a session follows: apply events in order and once, and detect gaps."""

from __future__ import annotations

from client.sdk.room_view import Desync, RoomView
from protocol.events import Event
from protocol.replies import Snapshot


class RoomCache(dict[str, RoomView]):
    """The views by room name.

    `missing` maps a room with a gap to the last seq known there. 0 means that a whole snapshot is needed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.missing: dict[str, int] = {}
        self.desyncs = 0  # messages that contradict what was known: a bug in the server or in the engine

    def apply_snapshot(self, snapshot: Snapshot, now: float) -> bool:
        """Store a snapshot. Return False if it is older than the known view."""
        known = self.get(snapshot.room)
        if known is not None and snapshot.seq < known.seq:
            return False
        try:
            view = RoomView(snapshot, now, known)
        except Desync:
            self.desyncs += 1
            view = RoomView(snapshot, now)  # the known view was wrong; raises again if the snapshot is inconsistent
        self[snapshot.room] = view
        self.missing.pop(snapshot.room, None)
        return True

    def apply_event(self, event: Event, now: float) -> bool:
        """Apply an event. Return False if it is a duplicate, or if earlier ones are missing."""
        view = self.get(event.room)
        if view is None:
            self.missing[event.room] = 0
            return False
        if event.seq <= view.seq:
            return False
        if event.seq > view.seq + 1:
            self.missing[event.room] = view.seq
            return False
        try:
            view.apply(event, now)
        except Desync:
            self.desyncs += 1
            self.missing[event.room] = 0
            return False
        if self.missing.get(event.room, 0):  # the requested events are arriving
            del self.missing[event.room]
        return True

    def unfinished(self) -> list[RoomView]:
        """Return the rooms whose game has not ended."""
        return [view for view in self.values() if view.status != "ended"]
