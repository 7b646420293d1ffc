"""All rooms of this node: they come, they are looked after, and they go. What happens in one is in agenda.py."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any

from protocol.codec import decode_event
from server.cluster.bus import Bus
from server.config import Settings
from server.domain.decision import Decision, Refusal
from server.domain.endings import check_deadline, resume
from server.domain.room import Room, replay
from server.ids import new_player_id
from server.lobby.feed import Lobby
from server.lobby.progress import Progress
from server.lobby.watcher_counts import Audience
from server.logs import log
from server.metrics import Metrics
from server.rooms.broadcast import Teller
from server.rooms.catch_up import Others
from server.rooms.live_room import Live
from server.rooms.membership import Attendance
from server.rooms.presence import Present
from server.rooms.processor import RETRY, Agenda
from server.rooms.timers import Alarms, Now, now
from server.storage.interface import Store, StoreError

LATE = 300  # milliseconds after which the deadline of a room is anybody's business, not just its attendants'
OTHERS = 5000  # milliseconds without a sign of other nodes after which there are none


class Hall:
    def __init__(self, store: Store, bus: Bus, settings: Settings, metrics: Metrics, clock: Now = now) -> None:
        self.store, self.bus, self.settings, self.metrics, self.now = store, bus, settings, metrics, clock
        self.rooms: dict[str, Live] = {}  # every open room, and ended ones while somebody is there
        self.audience = Audience(self.rooms)
        self.lobby = Lobby(settings.lobby_tick, self.audience)
        self.progress = Progress(self)
        self.teller = Teller(settings, clock)
        self.agenda = Agenda(self)
        self.alarms = Alarms(clock, self._ring)
        self.attendance = Attendance(self)
        self.others = Others(self)
        self.present = Present(self)
        self.node = new_player_id()
        self.draining = False
        self.failing = ""  # why the store cannot write, if it cannot
        self._failing_since = 0
        self.damaged: set[str] = set()  # rooms whose logs make no sense: they are left as they are, as if not there
        self._taking_up = False  # no alarm rings then: what it costs that the house was away is still to be credited
        self._loading: dict[str, asyncio.Future[Live | None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Take up every open game where it was; running clocks are credited with the time the house was away.

        A node that comes to others who are at work has nothing to take up: they have gone on meanwhile. StoreError.
        """
        async with self.store.lock("start"):
            away_since = await self.store.last_alive()
            since = self.now() - 1 if away_since is None else away_since
            if not self.store.shared or self.now() - since > OTHERS:
                await self._take_up_all(since)
            await self.store.mark_alive(self.node, self.now())

    async def _take_up_all(self, away_since: int) -> None:
        self._taking_up = True
        found = [await self.room(name) for name in await self.store.unfinished_rooms()]
        if self.damaged and (why := await self.store.find_damage()):
            raise StoreError(why)  # and nothing was written to it
        self._taking_up = False
        for live in found:
            if live is not None:
                self.agenda.act(live, partial(resume, down_since=away_since))
        await self.store.flush()

    # -- rooms come and go

    async def room(self, name: str) -> Live | None:
        """A room by its name, from memory or from the store."""
        live = self.rooms.get(name)
        if live is not None:
            if self.store.shared and not live.busy:  # others may have written to it
                await self.others.catch_up(live)
                live.stored_due = None
                if name in self.damaged:
                    return None
                return self.rooms.setdefault(name, live)  # it may be over, and have been let go
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
            payloads = [] if name in self.damaged else await self.store.events(name)
            if name not in self.rooms and payloads:
                self._take_up(name, payloads)
            return self.rooms.get(name)
        finally:
            del self._loading[name]

    def _take_up(self, name: str, payloads: list[bytes]) -> None:
        try:
            live = Live(replay(map(decode_event, payloads)), payloads)
        except Exception:  # it may say anything, and is not to stop the other rooms
            self.found_damaged(name)
            return
        self.rooms[name] = live
        live.used_at = self.now()
        self.alarms.watch(live, live.room.deadline)

    def found_damaged(self, name: str, live: Live | None = None) -> None:
        """An exception shows it, which is being dealt with. `live`: the room as it was before."""
        self.damaged.add(name)
        log("damaged", logging.ERROR, trace=True, room=name)
        if live is not None:
            self.rooms.pop(name, None)
            self.alarms.silence(live)
            self.agenda.give_up(live)
            self.attendance.send_away(live)

    async def sits(self, player: str) -> list[str]:
        """The open rooms in which somebody has a seat."""
        return [name for name in await self.store.rooms_of(player) if name not in self.damaged]

    def admit(self, founded: Decision, payloads: Sequence[bytes]) -> Live:
        """A new room that is in the store."""
        events, room = founded
        live = self.rooms[room.id] = Live(room, list(payloads))
        live.used_at = self.now()
        live.spared = live.used_at - room.setup.at
        self.bus.publish(room, events)
        self.metrics.events += len(events)
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

    def is_fresh(self, live: Live) -> bool:
        """Whether a room may be shown as it is here: one that nobody attends may have gone on at another node."""
        return not (self.store.shared and live.empty)

    def show(self, room: Room) -> None:
        if not room.setup.private:
            self.lobby.changed(room)
            self.bus.show(room)

    # -- time

    def fails(self, error: BaseException, since: int = 0) -> None:
        """The store cannot write, from that time on; until it can, no clock runs."""
        since = since or self.now()
        self._failing_since = min(since, self._failing_since) if self.failing else since
        self.failing = str(error)

    def works(self) -> None:
        """The store can write."""
        if self.failing:
            now = self.now()
            for live in self.rooms.values():
                live.spared += self.outage(live, now)
            self.failing = ""
            self.attendance.call_the_roll()

    def alive_at(self) -> int:
        """Until when the house could do its work; what comes later is credited after a restart."""
        return self._failing_since if self.failing else self.now()

    def outage(self, live: Live, now: int) -> int:
        """How long the turn has been held up by the store, if it still is."""
        if not self.failing or live.room.status == "ended":
            return 0
        _, _, since = live.room.clocks
        return max(0, now - max(self._failing_since, since + live.spared))

    def _ring(self, live: Live) -> None:
        if self.failing:  # nobody could move either
            self.alarms.retry(live, RETRY)
        elif not self.draining and not self._taking_up:
            # by the time this has its turn the store may have failed
            self.agenda.act(live, lambda room, at: check_deadline(room, at, live.spared + self.outage(live, at)))

    async def sweep(self) -> None:
        """Look after the lobby and slow watchers, and after deadlines in the index that have passed."""
        self.progress.look()
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
        await self.store.flush()
        self.teller.flush()
