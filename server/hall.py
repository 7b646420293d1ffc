"""All rooms of this node. The path of an event:

    decide → encode once → append to the store → the room goes on → players at once, watchers on the tick → bus

One append a room at a time; commands that come meanwhile wait in its queue. Nobody sees what is not durable.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from protocol import messages as m
from protocol.messages import Moved, RoomCommand
from protocol.wire import read_event
from server import rating
from server.attendance import Attendance
from server.audience import Audience
from server.bus import Bus
from server.clockwork import Alarms, Now, now
from server.decide import decide
from server.decision import Decision, Refusal
from server.ending import overdue, resume
from server.live import Live
from server.lobby import Lobby
from server.log import log
from server.metrics import Metrics
from server.names import new_player
from server.others import Others
from server.peer import Peer
from server.pending import Action, Origin, Pending, end_rated
from server.present import Present
from server.room import Room, replay
from server.settings import Settings
from server.store import RoomRow, Store
from server.teller import Teller

RETRY = 1.0  # seconds to wait while the store cannot write
LATE = 300  # milliseconds after which the deadline of a room is anybody's business, not just its attendants'
OTHERS = 5000  # milliseconds without a sign of other nodes after which there are none


class Hall:
    def __init__(self, store: Store, bus: Bus, settings: Settings, metrics: Metrics, clock: Now = now) -> None:
        self.store, self.bus, self.settings, self.metrics, self.now = store, bus, settings, metrics, clock
        self.rooms: dict[str, Live] = {}  # every open room, and ended ones while somebody is there
        self.audience = Audience(self.rooms)
        self.lobby = Lobby(settings.lobby_tick, self.audience)
        self.teller = Teller(settings, clock)
        self.alarms = Alarms(clock, self._ring)
        self.attendance = Attendance(self)
        self.others = Others(self)
        self.present = Present(self)
        self.node = new_player()
        self.draining = False
        self.failing = ""  # why the store cannot write, if it cannot
        self._loading: dict[str, asyncio.Future[Live | None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Take up every open game where it was; running clocks are credited with the time the house was away.

        A node that comes to others who are at work has nothing to take up: they have gone on meanwhile.
        """
        async with self.store.alone("start"):
            away_since = await self.store.last_alive()
            since = self.now() - 1 if away_since is None else away_since
            if not self.store.shared or self.now() - since > OTHERS:
                for name in await self.store.unfinished():
                    live = await self.room(name)
                    if live is not None:
                        self.act(live, partial(resume, away_since=since))
                await self.store.settled()
            await self.store.mark_alive(self.node, self.now())

    # -- rooms come and go

    async def room(self, name: str) -> Live | None:
        """A room by its name, from memory or from the store."""
        live = self.rooms.get(name)
        if live is not None:
            if self.store.shared and not live.busy:  # others may have written to it
                await self.others.catch_up(live)
                live.stored_due = None
            return live
        if name not in self._loading:
            self._loading[name] = asyncio.ensure_future(self._load(name))
        return await asyncio.shield(self._loading[name])

    async def find(self, name: str) -> Live:
        """A room that has to be there; Refusal."""
        live = await self.room(name)
        if live is None:
            raise Refusal("no_room", f"there is no room {name[:40]!r}")
        return live

    async def _load(self, name: str) -> Live | None:
        try:
            payloads = await self.store.events(name)
            if name not in self.rooms and payloads:
                live = self.rooms[name] = Live(replay(map(read_event, payloads)), payloads)
                live.used_at = self.now()
                self.alarms.watch(live, live.room.deadline)
            return self.rooms.get(name)
        finally:
            del self._loading[name]

    def admit(self, founded: Decision, payloads: Sequence[bytes]) -> Live:
        """A new room that is in the store."""
        events, room = founded
        live = self.rooms[room.id] = Live(room, list(payloads))
        live.used_at = self.now()
        live.spared = live.used_at - room.setup.at
        self.bus.publish(room, events)
        live.stored_due = room.deadline
        self.show(room)
        self.alarms.watch(live, live.room.deadline)
        log("created", room=room.id, game=room.setup.game)
        return live

    def let_go(self, live: Live) -> None:
        """Forget an ended room once nobody is there; the store has it."""
        if live.room.status == "ended" and live.empty and not live.busy and not live.queue:
            self.rooms.pop(live.room.id, None)
            self.alarms.silence(live)

    def show(self, room: Room) -> None:
        if not room.setup.private:
            self.lobby.changed(room)
            self.bus.show(room)

    # -- one room, one thing at a time

    def submit(self, live: Live, peer: Peer, command: RoomCommand, action: Action | None = None) -> None:
        """A command of a peer, which will get `ok` or `error` for it; `action` decides it, if it is not `decide`."""
        came = self.now()
        if live.busy or live.queue:
            live.queue.append((peer, command, action, came))
        else:
            self._settle(live, (peer, command, action, came), came)

    def act(self, live: Live, action: Action) -> None:
        """Something the house itself does."""
        live.queue.append((None, None, action, 0))
        self.go_on(live)

    async def turn(self, live: Live) -> bool:
        """Wait until everything before has had its turn in a room; False if the store failed meanwhile."""
        reached = asyncio.Event()

        def mark(room: Room, at: int) -> Decision:
            reached.set()
            return Decision((), room)

        self.act(live, mark)
        while any(origin[2] is mark for origin in live.queue):
            with suppress(TimeoutError):
                await asyncio.wait_for(reached.wait(), RETRY)
        return reached.is_set()

    def go_on(self, live: Live) -> None:
        while live.queue and not live.busy:
            self._settle(live, live.queue.popleft(), self.now())

    def _settle(self, live: Live, origin: Origin, at: int) -> None:
        peer, command, action, came = origin
        room = live.room
        refusal = None
        try:
            if action is not None:
                decision = action(room, at)
            else:
                assert peer is not None
                assert command is not None
                who = peer.player
                assert who is not None
                decision = decide(room, who, command, at, int(peer.latency * 1000), at - came + live.spared)
        except Refusal as error:
            refusal = error
            if error.decision is None:
                self.teller.refuse(live, peer, command, error)
                return
            decision = error.decision
        except Exception:
            log("bug", logging.ERROR, trace=True, room=room.id, command=type(command).__name__)
            sorry = Refusal("internal", "the server made a mistake; nothing has changed")
            self.teller.refuse(live, peer, command, sorry)
            return
        if decision[0]:
            live.busy = True
            if room.setup.rated and rating.counts(room, decision):
                self.spawn(end_rated(self, live, origin, decision, refusal))
            else:
                pending = Pending(self, live, origin, decision, refusal)
                self.store.append(pending, pending.done)
        elif peer is not None and command is not None:
            peer.send(m.Ok(id=command.id, room=room.id, seq=room.seq))
            if type(command) is m.Leave:
                self.attendance.leave(live, peer)

    def move_over(self, old: Pending, new: Pending) -> None:
        """Who waits in one room sits down in another that waits: both rooms change together, or neither."""
        old.live.busy = new.live.busy = True

        def done(error: Exception | None) -> None:
            if error is not None:
                for pending in (new, old):
                    pending.done(error)
                return
            self.committed(new)
            self.attendance.go_over(old.live, new.live)
            self.committed(old)

        new.also, new.plain = old, False
        self.store.append(new, done)

    def committed(self, pending: Pending) -> None:
        live, packets = pending.live, pending.packets
        events, room = pending.events, pending.coming
        peer, command, _, _ = pending.origin
        live.busy = False
        live.room = room
        live.log += pending.payloads
        self.failing = ""
        if pending.refusal is None:
            self.teller.tell(live, packets, peer, command)
        else:
            self.teller.refuse(live, peer, command, pending.refusal)
            self.teller.tell(live, packets, None, None)
        self.bus.publish(room, events)
        metrics, first, due = self.metrics, events[0], pending.due
        metrics.events += len(events)
        if type(first) is Moved:
            metrics.moves += 1
        if not pending.plain:
            self._aftermath(pending)
        if due is not None:
            _, _, since = room.clocks
            if first.at == since:
                live.spared = self.now() - first.at
            self.alarms.watch(live, due)
        if live.heard > room.seq:
            self.others.behind(live, live.heard)
        if live.queue:
            self.go_on(live)

    def _aftermath(self, pending: Pending) -> None:
        """Of events that are more than a move."""
        live = pending.live
        peer, command, _, _ = pending.origin
        if pending.line is not None:
            self._index_changed(live, pending.line)
        if pending.following is not None and pending.also is not None:
            self.attendance.go_over(live, self.admit(pending.following, pending.also.payloads))
        if peer is not None and type(command) is m.Leave:
            self.attendance.leave(live, peer)

    def _index_changed(self, live: Live, line: RoomRow) -> None:
        live.stored_due = line.deadline
        self.show(live.room)
        end = live.room.ended
        if end is not None:
            log("ended", room=live.room.id, game=live.room.setup.game, reason=end.reason, plies=live.room.ply)
            for peer in [*live.players[0], *live.players[1], *live.watchers]:
                self.attendance.tidy(peer)
            self.let_go(live)

    def failed(self, live: Live, origin: Origin, error: BaseException) -> None:
        live.busy = False
        self.failing = str(error)
        log("store_failed", logging.ERROR, room=live.room.id, why=str(error))
        sorry = Refusal("unavailable", f"not done: {error}", retry_after=RETRY)
        self.teller.refuse(live, origin[0], origin[1], sorry)
        self.alarms.retry(live, RETRY)
        self.go_on(live)

    # -- time

    def _ring(self, live: Live) -> None:
        if not self.draining:
            self.act(live, lambda room, at: overdue(room, at, live.spared))

    async def sweep(self) -> None:
        """Look after slow watchers, and after deadlines in the index that have passed."""
        for live in list(self.rooms.values()):
            if live.lagging:
                self.teller.care_for_the_slow(live)
        late = LATE if self.store.shared else 1000
        for name, stored in await self.store.due(self.now() - late):
            known = await self.room(name)  # to load an overdue room is to set its alarm
            due = None if known is None else known.room.deadline
            if known is not None and due is not None and due > self.now():
                if self.store.shared and known.empty and stored > self.now() - OTHERS:
                    continue  # whoever attends the room sees to its line, and knows then what is in it
                await self.store.postpone(name, stored, due)
                known.stored_due = due

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drain(self) -> None:
        """Wait until everything that was decided is durable and told."""
        self.draining = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=RETRY)
        await self.store.settled()
        self.teller.flush()
