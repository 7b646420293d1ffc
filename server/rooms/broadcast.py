"""Who hears what: answers to those who asked, events to players at once and to watchers together on the tick."""

from __future__ import annotations

import asyncio

from protocol.commands import Join, RoomCommand
from protocol.frames import Packet, framed
from protocol.replies import Ok
from server.config import Settings
from server.domain.decision import Refusal
from server.rooms.client import Peer, require
from server.rooms.live_room import Live
from server.rooms.timers import Now


class Teller:
    def __init__(self, settings: Settings, now: Now) -> None:
        self._tick_seconds = settings.watch_tick
        self._most = settings.send_buffer
        self._patience = int(settings.stall_timeout * 1000)
        self._now = now
        self._ticking: dict[Live, None] = {}  # rooms with something for their watchers

    def tell(self, live: Live, packets: list[Packet], peer: Peer | None, command: RoomCommand | None) -> None:
        """Events that are durable now; `peer` asked for them with its command."""
        if peer is None or command is None:
            live.tell_players(packets)
        elif type(command) is Join:
            live.tell_players(packets)
            self.enter(live, peer, command.id)
        else:
            room = live.room
            seq = room.seq
            if seq != room.horizon and room.seat_of(require(peer).id) is None:  # how far it is, is not for watchers
                seq = room.horizon
            answer = Ok(id=command.id, room=room.setup.room, seq=seq)
            live.tell_players(packets, peer, framed(answer, peer.text))
        if not live.watchers:
            live.released = live.room.horizon
        elif live.release(packets):
            self._tick(live)

    def enter(self, live: Live, peer: Peer, id: int) -> None:
        """A player is seated: the answer, and the whole room."""
        seat = live.attach(peer)
        setup = live.room.setup
        peer.send(Ok(id=id, room=setup.room, seq=live.room.seq, seat=seat, code=setup.code))
        peer.send(live.snapshot(peer, self._now()))

    def refuse(self, live: Live, peer: Peer | None, command: RoomCommand | None, refusal: Refusal) -> None:
        if peer is not None and command is not None:
            snapshot = live.snapshot(peer, self._now()) if refusal.code == "stale" else None
            peer.refuse(command.id, refusal.code, str(refusal), refusal.retry_after, snapshot)

    def _tick(self, live: Live) -> None:
        if not self._tick_seconds:
            live.flush(self._most, self._now())
            return
        if not self._ticking:
            asyncio.get_running_loop().call_later(self._tick_seconds, self.flush)
        self._ticking[live] = None

    def flush(self) -> None:
        """Everything that waits for watchers."""
        ticking, self._ticking = self._ticking, {}
        now = self._now()
        for live in ticking:
            live.flush(self._most, now)

    def catch_up(self, live: Live) -> None:
        """Bring a room's watchers up to date before someone joins them, who is not to hear what went before."""
        live.flush(self._most, self._now())

    def care_for_the_slow(self, live: Live) -> None:
        live.care_for_the_slow(self._most, self._patience, self._now())
