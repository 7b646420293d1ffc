"""Registry of the rooms loaded on this node: load, resume, evict."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from engine.errors import UnknownGame
from protocol.codec import MSGPACK, decode_event
from protocol.weights import LOADED_EVENTS_PER_MESSAGE
from server.domain.decision import Decision, Refusal
from server.domain.downtime import Downtime, credit_turn, resume, resume_after
from server.domain.room import BOTH_AWAY_TIMEOUT_MS, Room, apply, replay
from server.ids import month_of
from server.logs import log
from server.metrics import Metrics
from server.rooms.broadcast import Broadcaster
from server.rooms.client import Client
from server.rooms.live_room import LiveRoom
from server.rooms.processor import RoomObserver, RoomProcessor
from server.rooms.status import NODE_TIMEOUT_MS, NodeStatus
from server.rooms.timers import Now, RoomTimers
from server.storage.interface import Append, Conflict, Store, StoreError, Unavailable, append_and_wait
from server.storage.room_index import room_row
from server.storage.tables import ARCHIVES

OVERDUE_GRACE_MS = 300  # after a deadline; from then on any node acts on it, not only nodes with clients in the room
OVERDUE_GRACE_SINGLE_NODE_MS = 1000  # the room's own timer comes first
START_LOCK_TIMEOUT_S = 300.0  # to wait for another node that starts, and resumes its rooms
DUE_ROOMS_AT_ONCE = 20  # loaded together, because their writes share transactions; more would delay other work
MAX_CLOCK_LEAD_MS = 60_000  # how far a running node may be ahead of the store's clock, which was just set back
MAX_CERTAIN_DOWNTIME_MS = 86_400_000  # a longer one may be a clock that was set forward
MIN_WRITTEN_CREDIT_MS = 1000  # a turn that runs on gets an event for a credit of at least this
UNUSED_ROOM_MS = 60_000  # after which a room without clients is evicted
EVENTS_READ_AT_ONCE = 200  # of a log: for each row, the thread that reads takes the GIL from the event loop
EVENTS_REPLAYED_AT_ONCE = 40  # replaying these keeps the event loop busy for 0.1 to 0.2 ms
Pace = Callable[[float], float]  # weight of a step: seconds to wait before it


class Load:
    """A room that is being loaded, for clients of one or more addresses.

    The first client of each address pays while the room is loaded. If it paid at the end, it could begin any number of
    long loads, which go on after their clients have left.
    """

    def __init__(self, load: Callable[[Load], Coroutine[Any, Any, LiveRoom | None]]) -> None:
        self._paces: dict[str, Pace] = {}  # by address
        self._paid: dict[Client, tuple[int, int]] = {}  # by the first clients: free events, and what is paid
        self._joined = asyncio.Event()
        self.work = asyncio.ensure_future(load(self))

    def add(self, client: Client | None, free_events: int) -> None:
        """Load the room for an address too. It does not wait for the paces of the others."""
        address = "" if client is None else client.address
        if address not in self._paces:
            self._paces[address] = at_once if client is None else client.pace
            if client is not None:
                self._paid[client] = free_events, 0
            self._joined.set()

    def pay(self, events: int) -> None:
        """Charge the first clients for this many events, less what they have paid."""
        for client, (free_events, paid) in self._paid.items():
            weight = max(0, events - free_events) // LOADED_EVENTS_PER_MESSAGE
            if weight > paid:
                client.charge_done(weight - paid)
                self._paid[client] = free_events, weight

    async def pause(self, weight: float) -> None:
        """Wait before a step for the fastest pace. At least, let other clients proceed."""
        seconds = min(pace(weight) for pace in self._paces.values())
        if not seconds:
            await asyncio.sleep(0)
            return
        self._joined.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._joined.wait()


class RoomRegistry(RoomObserver):
    """The rooms that clients use or used a moment ago, and at a single node every loaded game whose clock runs.

    After a restart, a game that runs is loaded when a client or its deadline needs it. Only then does it get the
    downtime back, by the events that each restart would have written. So a start takes no longer with more games.
    """

    def __init__(
        self,
        *,
        store: Store,
        processor: RoomProcessor,
        broadcaster: Broadcaster,
        timers: RoomTimers,
        status: NodeStatus,
        metrics: Metrics,
        now: Now,
    ) -> None:
        self._store, self._processor, self._broadcaster, self._timers = store, processor, broadcaster, timers
        self._status, self._metrics, self._now = status, metrics, now
        self.rooms: dict[str, LiveRoom] = {}
        self.damaged: set[str] = set()  # not served: the log cannot be read, or the game is missing
        self._origins: dict[str, str] = {}  # of open rooms that were evicted
        self._arbitrated: dict[str, set[str]] = {}  # rooms that are loaded, or open and evicted, by their arbiter
        self._loading: dict[str, Load] = {}  # by room
        self._downtimes: list[Downtime] = []
        self.on_load: Callable[[str, int], None] = lambda name, seq: (
            None
        )  # called with each room that is read from the store
        self.on_forget: Callable[[str], None] = lambda name: None

    async def start(self, node: str, alone: bool = False) -> None:
        """Resume the open rooms; running clocks are credited with the time the server was down.

        If other nodes are running, nothing is resumed: their games never stopped. `alone`: it is certain that there are
        none. Raises StoreError.
        """
        async with self._store.lock("start", START_LOCK_TIMEOUT_S):
            last_alive = await self._store.last_alive()
            now = self._now()
            down_ms = 1 if last_alive is None else now - last_alive
            if alone or not await self._others_run(now):
                await self._keep_session_ages(down_ms, now)
                if down_ms < 0:
                    await self._begin_turns_again()
                else:
                    await self._resume(Downtime(now - down_ms, now))
            await self._learn_downtimes()
            await self._store.mark_alive(node, self._now())

    async def _others_run(self, now: int) -> bool:
        """Return whether other nodes are running, as far as their heartbeats tell."""
        return self._store.shared and await self._store.has_living_node(now - NODE_TIMEOUT_MS, now + MAX_CLOCK_LEAD_MS)

    async def _resume(self, downtime: Downtime) -> None:
        """Record a downtime, and resume the rooms that wait. Games that run are resumed when they are loaded."""
        await self._load_all(await self._store.unfinished_rooms("waiting"))
        # heartbeats are sent while a game runs: a turn that began long after the last one is that of a new game
        await self._store.add_downtime(downtime, NODE_TIMEOUT_MS, downtime.ended + BOTH_AWAY_TIMEOUT_MS)
        await self._learn_downtimes()
        self._status.resuming = False
        await self._store.flush()

    async def _begin_turns_again(self) -> None:
        """Resume every open room after the clock was set back: the times in their logs say nothing about downtimes."""
        for live in await self._load_all(await self._store.unfinished_rooms()):
            self._processor.act(live, partial(resume, down_since=None))
        self._status.resuming = False
        await self._store.flush()

    async def _load_all(self, names: list[str]) -> list[LiveRoom]:
        """Load rooms before any of them is resumed. Raises StoreError if the database is damaged."""
        self._status.resuming = True
        loaded = [await self.room(name) for name in names]
        if self.damaged and (why := await self._store.find_damage()):
            raise StoreError(why)  # before anything is written to it
        return [live for live in loaded if live is not None]

    async def _learn_downtimes(self) -> None:
        """Read the recorded downtimes, and resume the rooms in memory that have missed one."""
        known, self._downtimes = len(self._downtimes), await self._store.downtimes()
        if len(self._downtimes) > known:
            for live in list(self.rooms.values()):
                if self._missed(live.log):
                    self._processor.act(live, partial(self._resume_loaded, live))

    def _resume_loaded(self, live: LiveRoom, room: Room, at: int) -> Decision:
        return resume_after(room, self._missed(live.log))

    def _missed(self, log: list[bytes]) -> list[Downtime]:
        """Return the downtimes after the last event of a log."""
        if not self._downtimes or self._downtimes[-1].ended <= (last := decode_event(log[-1]).at):
            return []
        return [downtime for downtime in self._downtimes if downtime.ended > last]

    async def _keep_session_ages(self, down_ms: int, now: int) -> None:
        """Move the times of sessions, and of heartbeats in the future, along with a clock that seems to be changed.

        A long downtime and a clock set forward look the same. In both cases no session expires because of it.
        """
        if 0 <= down_ms <= MAX_CERTAIN_DOWNTIME_MS:
            return
        log("clock_changed", logging.WARNING, ms=down_ms, why="the last heartbeat is far from the time of this start")
        await self._store.move_times(down_ms, now)

    # -- load

    async def room(self, name: str, client: Client | None = None, free_events: int = 0) -> LiveRoom | None:
        """Return a room by its name, from memory or from the store, with the events that other nodes have written.

        A room is loaded at the pace of the client's address, or of the fastest one if several wait for it. The first
        client of an address pays for the length of the log, without the first `free_events`.
        """
        live = self.rooms.get(name)
        if live is not None:
            if not self._store.shared:
                return live
            if live.busy:  # a player whose seat is among the events it lacks would only watch
                await self._processor.turn(live)
            if not live.busy:  # other nodes may have written to it
                await self._processor.catch_up(live)
                live.stored_deadline = None
            if name in self.damaged:
                return None
            if name not in self.rooms:  # it has ended, and was evicted
                self._insert(live)
                self.on_load(name, live.room.seq)
            return self.rooms[name]
        load = self._loading.get(name)
        if load is None:
            load = self._loading[name] = Load(partial(self._load, name))
        load.add(client, free_events)
        return await asyncio.shield(load.work)

    async def find(self, name: str, client: Client) -> LiveRoom:
        """Return a room that must exist. Raises Refusal if there is none."""
        live = await self.room(name, client)
        if live is None:
            raise Refusal("no_room", await self._why_missing(name))
        return live

    async def _why_missing(self, name: str) -> str:
        """Return why there is no such room. Its id contains the month in which it was created."""
        month = month_of(name)
        if month and any(row[0] == month for row in await self._store.read_rows(ARCHIVES)):
            return f"room {name} is not here: the games of {month} are in an archive; ask the operator of the server"
        return f"there is no room {name[:40]!r}: check the name, or list the rooms"

    async def _load(self, name: str, load: Load) -> LiveRoom | None:
        try:
            live = None if name in self.damaged else await self._read(name, load)
            if live is not None:
                load.pay(len(live.log))
            if live is not None and name not in self.rooms:
                self._insert(live)
                self.on_load(name, live.room.seq)
            return self.rooms.get(name)
        finally:
            del self._loading[name]

    async def _read(self, name: str, load: Load) -> LiveRoom | None:
        """Return a room of the store. Raises Unavailable.

        Returns None if there is none, if its log is damaged, or if its game is not installed.

        A room that has missed a downtime is resumed first.
        """
        while first := await self._store.events(name, limit=EVENTS_READ_AT_ONCE):
            try:
                room, payloads = await self._replay(name, first, load)
                if room.id != name:
                    raise ValueError(f"the log of {name} is that of {room.id}")
            except Unavailable:
                raise
            except UnknownGame as error:
                self._mark_missing(name, error)
                return None
            except Exception:  # a damaged log may raise anything, and must not stop other rooms
                self._mark_damaged(name)
                return None
            if len(first) == EVENTS_READ_AT_ONCE and not await self._store.events(name, limit=1):
                return None  # deleted between two parts
            resumed = resume_after(room, self._missed(payloads))
            if not resumed.events:
                return LiveRoom(room, payloads)
            with suppress(Conflict):  # another node has resumed the room: read it again
                return await self._store_resumed(resumed, payloads)
        return None

    async def _replay(self, name: str, first: list[bytes], load: Load) -> tuple[Room, list[bytes]]:
        """Return a room and its log, of which the first part has been read.

        A long log is read in parts and replayed in steps, with pauses in which other clients proceed. Raises
        Unavailable, and anything else if the log is damaged.
        """
        room = replay(map(decode_event, first[:EVENTS_REPLAYED_AT_ONCE]))
        part, payloads, start = first, list(first), EVENTS_REPLAYED_AT_ONCE
        while True:
            load.pay(len(payloads))
            for at in range(start, len(part), EVENTS_REPLAYED_AT_ONCE):
                step = part[at : at + EVENTS_REPLAYED_AT_ONCE]
                await load.pause(len(step) / LOADED_EVENTS_PER_MESSAGE)
                for payload in step:
                    room = apply(room, decode_event(payload))
            if len(part) < EVENTS_READ_AT_ONCE:
                return room, payloads
            part, start = await self._store.events(name, len(payloads), EVENTS_READ_AT_ONCE), 0
            payloads += part

    async def _store_resumed(self, resumed: Decision, log: list[bytes]) -> LiveRoom:
        """Append the events of a resumed room to its log. Raises Conflict or Unavailable."""
        events, room = resumed
        payloads = tuple([MSGPACK.encode(event) for event in events])
        due = room.deadline
        await append_and_wait(self._store, Append(room.id, events[0].seq - 1, payloads, room_row(room, due)))
        live = LiveRoom(room, [*log, *payloads])
        live.stored_deadline = due
        self._metrics.events += len(events)
        self._processor.announce_events(room, events, payloads)
        return live

    def _insert(self, live: LiveRoom) -> None:
        self.rooms[live.room.id] = live
        live.used_at = self._now()
        live.origin = self._origins.pop(live.room.id, "")
        self._count(live)
        due = live.room.deadline
        if due is not None:
            self._timers.schedule(live, due)

    def _count(self, live: LiveRoom) -> None:
        """Count a room for its arbiter, if it has one."""
        if live.room.setup.players is not None:
            self._arbitrated.setdefault(live.room.setup.by, set()).add(live.room.id)

    def add(self, created: Decision, payloads: Sequence[bytes]) -> LiveRoom:
        """Add a new room that is in the store."""
        events, room = created
        live = LiveRoom(room, list(payloads))
        self._insert(live)
        live.uncharged_ms = live.used_at - room.setup.at
        live.stored_deadline = room.deadline
        self._metrics.events += len(events)
        self._processor.announce_events(room, events, tuple(payloads))
        log("created", room=room.id, game=room.setup.game)
        return live

    async def rooms_of(self, player: str) -> list[str]:
        """Return the names of the open rooms where a player has a seat."""
        return [name for name in await self._store.rooms_of(player) if name not in self.damaged]

    def count_arbitrated(self, player: str) -> int:
        """Return the number of open rooms here that a player created for two other players."""
        known = (self.rooms.get(name) for name in self._arbitrated.get(player, ()))
        return sum(1 for live in known if live is None or live.room.status != "ended")

    # -- evict

    def evict_ended(self, live: LiveRoom) -> None:
        """Forget an ended room without clients; the store has it."""
        if live.room.status == "ended" and live.idle:
            self._forget(live)

    def evict_unused(self) -> None:
        """Forget rooms that no client of this node has used for a while; the index has their deadlines.

        A single node keeps games whose clock runs: only its memory has the time of a turn that is not charged.
        """
        now = self._now()
        for live in list(self.rooms.values()):
            if not live.idle:
                live.used_at = now
            elif now - live.used_at > UNUSED_ROOM_MS and (self._store.shared or not live.room.clock_runs):
                self._unload(live)

    def _unload(self, live: LiveRoom) -> None:
        """Forget a room that may be loaded again. A single node still knows what an open room counts for."""
        self._forget(live)
        if not self._store.shared and live.room.status != "ended":
            self._count(live)
            if live.origin:
                self._origins[live.room.id] = live.origin

    def origin_of(self, name: str) -> str:
        """Return the address of the client that created an open room, if this node knows it."""
        live = self.rooms.get(name)
        return self._origins.get(name, "") if live is None else live.origin

    def _forget(self, live: LiveRoom) -> None:
        if self.rooms.pop(live.room.id, None) is not None:
            self.on_forget(live.room.id)
        self._timers.cancel(live)
        by, name = live.room.setup.by, live.room.id
        if by in self._arbitrated:
            self._arbitrated[by].discard(name)
            if not self._arbitrated[by]:
                del self._arbitrated[by]

    def log_damaged(self, live: LiveRoom) -> None:
        """Stop serving a room, and disconnect its clients; when they return they see their other rooms."""
        self._mark_damaged(live.room.id)
        self._forget(live)
        self._processor.reject_queue(live)
        for client in live.clients():
            live.detach(client)
            client.cut(1011, "the log of a room is damaged")

    def _mark_missing(self, name: str, error: UnknownGame) -> None:
        """Do not serve a room whose game is not installed, or is refused. It stays in the store as it is."""
        self.damaged.add(name)
        log("game_missing", logging.ERROR, room=name, game=error.game, why=str(error))

    def _mark_damaged(self, name: str) -> None:
        self.damaged.add(name)
        log("damaged", logging.ERROR, trace=True, room=name)

    # -- several nodes

    def is_current(self, live: LiveRoom) -> bool:
        """Return whether a room is up to date here: without clients it may have gone on at another node."""
        return not (self._store.shared and live.empty)

    def is_attended(self, name: str) -> bool:
        """Return whether a client of this node plays or watches in a room."""
        live = self.rooms.get(name)
        return live is not None and not live.empty

    def attended(self) -> list[Room]:
        """Return the rooms where a client of this node plays or watches."""
        return [live.room for live in self.rooms.values() if not live.empty]

    def announced(self, name: str, seq: int) -> None:
        """Catch up with a room if another node has announced a newer event."""
        live = self.rooms.get(name)
        if live is not None and live.room.seq < seq and not live.empty:
            self._processor.behind(live, seq)

    def received(self, name: str, seq: int, payloads: tuple[bytes, ...], deadline: int | None) -> None:
        """Apply events of another worker to a room that is loaded here. Without payloads, read them from the store.

        A whole log is that of a new room whose players are here.
        """
        live = self.rooms.get(name)
        if live is not None:
            if live.room.seq < seq:
                self._processor.receive(live, seq, payloads, deadline)
        elif seq == len(payloads):
            live = LiveRoom(replay(map(decode_event, payloads)), list(payloads))
            self._insert(live)
            live.uncharged_ms = max(0, live.used_at - live.room.clocks[2])
            live.stored_deadline = deadline

    def forget_stored_deadlines(self) -> None:
        """Forget the deadlines in the index: other nodes may have changed them."""
        for live in self.rooms.values():
            live.stored_deadline = None

    # -- periodic work

    async def sweep(self) -> None:
        """Check slow watchers, credits, and the deadlines in the index that have passed, and evict unused rooms."""
        if self._store.shared:  # another node may have started while this one seemed to be dead
            await self._learn_downtimes()
        for live in list(self.rooms.values()):
            if live.lagging:
                self._broadcaster.check_lagging(live)
            if live.uncharged_ms >= MIN_WRITTEN_CREDIT_MS:
                self._write_credit(live)
        grace = OVERDUE_GRACE_MS if self._store.shared else OVERDUE_GRACE_SINGLE_NODE_MS
        due = await self._store.due(self._now() - grace)
        for first in range(0, len(due), DUE_ROOMS_AT_ONCE):
            some = due[first : first + DUE_ROOMS_AT_ONCE]
            await asyncio.gather(*[self._check_due(name, stored) for name, stored in some])
        self.evict_unused()

    async def _check_due(self, name: str, stored: int) -> None:
        """Load a room whose indexed deadline has passed: its timer acts on it. Correct a deadline that is too early."""
        if name in self.rooms and self.rooms[name].busy:  # a sweep does not wait for it
            return
        live = await self.room(name)
        due = None if live is None else live.room.deadline
        if live is None or due is None or due <= self._now():
            return
        if self._store.shared and live.empty and stored > self._now() - NODE_TIMEOUT_MS:
            return  # a node with clients in the room updates the index itself
        await self._store.postpone(name, stored, due)
        live.stored_deadline = due

    def credit_outage(self, failed_at: int) -> None:
        """Credit every running turn with the time in which the store could not write."""
        now = self._now()
        for live in self.rooms.values():
            if ms := live.stalled_ms(failed_at, now):
                live.add_outage(ms)

    def _write_credit(self, live: LiveRoom) -> None:
        """Write down the credit of a turn that runs on, for a restart and for other nodes."""
        known_here = live.mover_is_here or not self._store.shared
        if known_here and live.room.clock_runs and not live.busy and not self._status.store_error:
            self._processor.act(live, lambda room, at: credit_turn(room, at, *live.credits()))


def at_once(weight: float) -> float:
    """Return the pace of the server's own work: pauses, but no waiting."""
    return 0.0
