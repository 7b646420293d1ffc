"""Broadcast: write replies and events to clients. Players get events at once, watchers on the next tick."""

from __future__ import annotations

import asyncio

from protocol.commands import Join, RoomCommand
from protocol.frames import Packet, framed, join
from protocol.replies import Ok
from protocol.weights import SNAPSHOT_PLIES_PER_MESSAGE, STALE_MOVE_WEIGHT
from server.config import Settings
from server.domain.decision import Refusal
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.timers import Now

REST_PER_WRITE_S = 40e-6  # a write takes about 5 µs, so the writes to watchers take up to an eighth of the time
WRITES_AT_ONCE = 50  # to watchers, before the players' commands are read
MAX_TICKS = 2  # until watchers get an event: no rest is longer

BuiltFrames = dict[tuple[frozenset[str], bool], bytes]  # of the same events, by wishes and encoding


def frames_for(live: LiveRoom, client: Client, packets: list[Packet], built: BuiltFrames) -> bytes:
    """Return the frames of events for a client with wishes. `built` has those that other clients got."""
    key = live.wishes_of(client), client.text
    if key not in built:
        wishes, text = key
        built[key] = join(live.fill_in(packets, wishes) if wishes else packets, text)
    return built[key]


class Broadcaster:
    """Writes frames. An event is encoded once per room and encoding, for any number of clients.

    After writing to many watchers, the next tick is up to twice as long, so that the moves of players do not wait for
    ever more writes.
    """

    def __init__(self, settings: Settings, now: Now) -> None:
        self._tick_s = settings.watch_tick
        self._max_backlog = settings.send_buffer
        self._stall_timeout_ms = int(settings.stall_timeout * 1000)
        self._now = now
        self._ticking: dict[LiveRoom, None] = {}  # rooms with events for their watchers, until the next tick
        self._due: dict[LiveRoom, None] = {}  # the rooms of this tick whose watchers have not been written to yet
        self._rested_at = 0.0  # when watchers may be written to again, in the time of the event loop

    def publish(
        self, live: LiveRoom, packets: list[Packet], client: Client | None = None, command: RoomCommand | None = None
    ) -> None:
        """Send durable events to all clients in the room. The client whose command caused them gets `ok` first."""
        room = live.room
        reply = b""
        if client is None or command is None or type(command) is Join:
            asker = None
        else:
            asker = client
            seq = room.seq
            if seq != room.horizon and room.seat_of(player_of(client).id) is None:  # watchers see up to the horizon
                seq = room.horizon
            reply = framed(Ok(id=command.id, room=room.setup.room, seq=seq), client.text)
        binary, text = join(packets, False), b""
        with_wishes: list[Client] = []
        for clients in live.players:
            for player in clients:
                if player.wishes:
                    with_wishes.append(player)
                    continue
                frames = binary
                if player.text:
                    frames = text = text or join(packets, True)
                if player is asker:
                    frames, asker = reply + frames, None
                player.write(frames)
        if with_wishes:  # after the others, who must not wait until the board is drawn
            built: BuiltFrames = {}
            for player in with_wishes:
                frames = frames_for(live, player, packets, built)
                if player is asker:
                    frames, asker = reply + frames, None
                player.write(frames)
        if asker is not None:  # the asker has no seat here
            asker.write(reply)
        if client is not None and type(command) is Join:
            self.seat(live, client, command.id)
        if not live.watchers:
            live.released = room.horizon
            return
        if room.horizon == room.seq == live.released + len(packets):
            live.pending += packets
        else:
            live.pending += live.events_between(live.released, room.horizon)
        live.released = room.horizon
        if live.pending:
            if not self._tick_s:
                self.flush_room(live)
                return
            if not self._ticking:
                loop = asyncio.get_running_loop()
                now, tick_s = loop.time(), self._tick_s
                loop.call_at(min(max(now + tick_s, self._rested_at), now + MAX_TICKS * tick_s), self._tick)
            self._ticking[live] = None

    def seat(self, live: LiveRoom, client: Client, id: int) -> None:
        """Answer the command that seated a player: `ok`, and the whole room."""
        seat = live.attach(client)
        setup = live.room.setup
        client.send(Ok(id=id, room=setup.room, seq=live.room.seq, seat=seat, code=setup.code))
        client.send(live.snapshot(client, seat, self._now()))

    def refuse(self, live: LiveRoom, client: Client | None, command: RoomCommand | None, refusal: Refusal) -> None:
        """Answer a command with `error`. A stale move gets a snapshot with it."""
        if client is not None and command is not None:
            snapshot = None
            if refusal.code == "stale":
                client.charge_done(STALE_MOVE_WEIGHT - 1 + live.room.ply // SNAPSHOT_PLIES_PER_MESSAGE)
                snapshot = live.snapshot(client, live.seat_of(client), self._now())
            client.refuse(command.id, refusal.code, str(refusal), refusal.retry_after, snapshot)

    def _tick(self) -> None:
        """Begin to write what is pending for watchers."""
        under_way = bool(self._due)
        self._due |= self._ticking
        self._ticking = {}
        if not under_way:
            self._rested_at = 0.0  # the rest after the last tick is over, or was cut short
            self._flush_some()

    def _flush_some(self) -> None:
        """Write to the watchers of some rooms. The others follow after the commands that have arrived meanwhile."""
        loop = asyncio.get_running_loop()
        writes = 0
        try:
            while self._due and writes < WRITES_AT_ONCE:
                live = next(iter(self._due))
                del self._due[live]
                writes += len(live.watchers)
                self.flush_room(live)
        finally:
            self._rested_at = max(self._rested_at, loop.time()) + writes * REST_PER_WRITE_S
            if self._due:
                loop.call_soon(self._flush_some)

    def flush(self) -> None:
        """Write what is pending for the watchers of every room."""
        due, self._due, self._ticking = self._due | self._ticking, {}, {}
        for live in due:
            self.flush_room(live)

    def flush_room(self, live: LiveRoom) -> None:
        """Write what is pending for the watchers of one room that keep up."""
        packets, live.pending = live.pending, []
        if not packets:
            return
        binary, text = join(packets, False), b""
        built: BuiltFrames = {}
        lagging = live.lagging
        for watcher in live.watchers:
            if lagging and watcher in lagging:
                continue
            frames = binary
            if watcher.wishes:
                frames = frames_for(live, watcher, packets, built)
            elif watcher.text:
                frames = text = text or join(packets, True)
            if watcher.write(frames) > self._max_backlog:
                lagging[watcher] = self._now()

    def check_lagging(self, live: LiveRoom) -> None:
        """Send a fresh snapshot to watchers that caught up; disconnect those that do not."""
        now = self._now()
        for watcher, since in list(live.lagging.items()):
            if watcher.backlog() <= self._max_backlog // 4:
                del live.lagging[watcher]
                self.flush_room(live)
                watcher.send(live.snapshot(watcher, None, now))
            elif now - since > self._stall_timeout_ms:
                live.remove_watcher(watcher)
                watcher.cut(1008, "too slow to watch")
