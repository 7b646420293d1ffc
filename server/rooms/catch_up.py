"""Catch up with a room that another node has written to."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.codec import decode_event
from protocol.events import AnyEvent, Resumed
from protocol.frames import Packet
from server.domain.room import apply
from server.rooms.broadcast import Broadcaster
from server.rooms.live_room import LiveRoom
from server.rooms.timers import Now
from server.storage.interface import Store


class DamagedLog(Exception):
    """The stored events of a room cannot be decoded or applied."""


class CatchUp:
    """Reads the events that a room has missed, applies them and sends them to the clients here."""

    def __init__(self, store: Store, broadcaster: Broadcaster, now: Now) -> None:
        self._store, self._broadcaster, self._now = store, broadcaster, now

    async def read(self, live: LiveRoom) -> list[AnyEvent]:
        """Return the events that were missed. Raises Unavailable or DamagedLog; then the room stays busy."""
        live.busy, live.heard_seq = True, 0
        events = self.apply(live, await self._store.events(live.room.setup.room, live.room.seq))
        live.busy = False
        return events

    def apply(self, live: LiveRoom, payloads: Sequence[bytes]) -> list[AnyEvent]:
        """Apply the next events and send them to the clients here. Return them. Raises DamagedLog.

        A turn of a player who is connected here begins when the event is sent. That of a player who is not begins at
        the event's own time: a player gets no credit for a turn by reconnecting to a node that was behind.
        """
        events: list[AnyEvent] = []
        sent_at = self._now()
        try:
            for payload in payloads:
                event = decode_event(payload)
                events.append(event)
                self._apply(live, payload, event, sent_at)
        except Exception as error:  # a damaged log may raise anything
            raise DamagedLog(live.room.setup.room) from error
        return events

    def _apply(self, live: LiveRoom, payload: bytes, event: AnyEvent, sent_at: int) -> None:
        before, live.room = live.room, apply(live.room, event)
        if type(event) is Resumed:
            live.credit_written(event)
        elif live.room.clocks is not before.clocks:  # another turn began, perhaps in the same millisecond
            live.uncharged_ms = max(0, sent_at - event.at) if live.mover_is_here else 0
        live.log.append(payload)
        self._broadcaster.publish(live, [Packet.stored(payload)])
