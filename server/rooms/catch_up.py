"""What other nodes write to rooms that are open here."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from protocol.codec import decode_event
from protocol.events import AnyEvent, Ended, Rematched
from protocol.frames import Packet
from server.domain.room import apply
from server.rooms.live_room import Live
from server.rooms.pending import THE_HOUSE
from server.storage.interface import Unavailable
from server.storage.room_index import INDEXED_EVENTS

if TYPE_CHECKING:
    from server.rooms.registry import Hall


class Others:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def behind(self, live: Live, seq: int) -> None:
        """Another node has written to a room, up to this seq, they say."""
        live.heard = max(live.heard, seq)
        if not live.busy:
            live.busy = True  # at once: what is decided from now on is decided on what was read
            self._hall.spawn(self.catch_up(live))

    async def catch_up(self, live: Live) -> None:
        """Another node was first: read what it wrote, tell everyone here, and decide again."""
        live.busy, live.heard = True, 0
        try:
            payloads = await self._hall.store.events(live.room.id, live.room.seq)
        except Unavailable as error:
            waiting = [live.queue.popleft() for _ in range(len(live.queue))]
            for origin in waiting or [THE_HOUSE]:
                self._hall.agenda.failed(live, origin, error)
            return
        try:
            events = self._take_in(live, payloads)
        except Exception:  # they may say anything
            self._hall.found_damaged(live.room.id, live)
            return
        live.busy = False
        if events:
            self._after_others(live, events)
        self._hall.alarms.watch(live, live.room.deadline)
        if live.heard > live.room.seq:
            self.behind(live, live.heard)
        self._hall.agenda.go_on(live)

    def _take_in(self, live: Live, payloads: list[bytes]) -> list[AnyEvent]:
        events = [decode_event(payload) for payload in payloads]
        for payload, event in zip(payloads, events, strict=True):
            before, live.room = live.room, apply(live.room, event)
            if live.room.clocks[2] != before.clocks[2]:  # another turn
                live.spared = 0
            live.log.append(payload)
            self._hall.teller.tell(live, [Packet(event)], None, None)
        return events

    def _after_others(self, live: Live, events: list[AnyEvent]) -> None:
        """What follows from events that another node wrote."""
        live.stored_due = None  # it may have changed the index
        if not live.room.setup.private and any(isinstance(event, INDEXED_EVENTS) for event in events):
            self._hall.lobby.changed(live.room)
        for event in events:
            if type(event) is Ended:
                self._hall.attendance.over(live)
            elif type(event) is Rematched:
                self._hall.spawn(self.follow(live, event.next))
        self._hall.attendance.unseat(live)
        for seat in (0, 1):
            if live.players[seat] and live.room.away[seat] is not None and live.room.status != "ended":
                # gone there, but here
                self._hall.agenda.act(live, partial(self._hall.attendance.presence_of, live, seat))

    async def follow(self, old: Live, name: str) -> None:
        """To the next game of the players of a room."""
        with suppress(Unavailable):  # who asks finds the room later
            new = await self._hall.room(name)
            if new is not None:
                self._hall.attendance.go_over(old, new)
