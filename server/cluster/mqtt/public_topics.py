"""Topics for outside subscribers: events and state of public rooms, lists, tournaments. No node reads them.

Nothing is published about private rooms, and nothing about delayed rooms while the game runs. During an overload the
state of a room stands for its events, and for each room only the latest state is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from protocol.codec import JSON, MSGPACK
from protocol.events import AnyEvent, Created
from protocol.types import Message
from server.cluster.bus import BusListener
from server.cluster.mqtt.peers import Link, is_public
from server.cluster.mqtt.url import Topics
from server.config import Settings
from server.domain import snapshots
from server.domain.room import Room
from server.logs import log
from server.storage.interface import Unavailable

EVENT_TICK_S = 0.02  # between writes of events
STATE_TICK_S = 0.25  # between writes of states
STATES_PER_TICK = 10  # a state costs almost as much as a move; with more rooms the others wait for the next tick
MAX_UNSENT_EVENTS = 5000  # during an overload
ENDED_STATE_TTL_S = 300.0  # how long the state of an ended room stays
CLEANING_INTERVAL_S = ENDED_STATE_TTL_S  # between searches for states that a dead node has left
COLLECTING_S = 2.0  # for the broker to send all states


class PublicTopics:
    """Publishes on a tick. `unfinished_rooms` returns the rooms of the store that have not ended."""

    def __init__(
        self,
        settings: Settings,
        topics: Topics,
        link: Link,
        listener: BusListener,
        unfinished_rooms: Callable[[], Awaitable[list[str]]],
    ) -> None:
        self._codec = JSON if settings.bus_format == "json" else MSGPACK
        self._sends_events = settings.bus_public == "all"
        self.is_on = settings.bus_public != "none"
        self._topics, self._link, self._listener = topics, link, listener
        self._unfinished_rooms = unfinished_rooms
        self._events: list[tuple[str, Sequence[AnyEvent]]] = []  # for the next tick
        self._states: dict[str, Room] = {}  # for the next ticks, the longest waiting first
        self._ended: dict[str, float] = {}  # rooms whose state is to be removed, and when
        self._found: set[str] | None = None  # rooms with a state at the broker, while they are collected
        self._ended_before: set[str] = set()  # rooms that had ended when states were last collected
        self._ticking = self._state_ticking = False
        self.coalesced = 0  # events that a state has replaced

    def publish(self, room: Room, events: Sequence[AnyEvent]) -> None:
        """Publish events of a room on the next tick, and its state a little later."""
        if not self.is_on or not is_public(room):
            return
        if self._sends_events:
            self._events.append((room.setup.room, events))
            if not self._ticking:
                self._ticking = True
                asyncio.get_running_loop().call_later(EVENT_TICK_S, self._send_events)
        self._states[room.setup.room] = room
        if not self._state_ticking:
            self._schedule_states()

    def send(self, topic: str, message: Message) -> None:
        """Publish a message."""
        if self.is_on:
            self._link.send(topic, self._codec.encode(message))

    def connected(self) -> None:
        """Publish the state of all rooms with clients here: the broker may have none."""
        if self.is_on:
            for room in self._listener.open_rooms():
                if is_public(room):
                    self._states[room.setup.room] = room
            if not self._state_ticking:
                self._schedule_states()

    def close(self) -> None:
        """Publish what waits, and remove the states that this node would have removed later."""
        self._send_events()
        self._send_states(len(self._states))
        for room in self._ended:
            self._link.send(self._topics.state(room), b"", True)

    def _send_events(self) -> None:
        self._ticking = False
        if self._link.overloaded:
            if len(self._events) > MAX_UNSENT_EVENTS:
                self.coalesced += len(self._events)
                self._events.clear()
            self._ticking = True
            asyncio.get_running_loop().call_later(STATE_TICK_S, self._send_events)
            return
        entries, self._events = self._events, []
        encode, send = self._codec.encode, self._link.send
        for room, events in entries:
            topic = self._topics.events(room)
            for event in events:
                if type(event) is not Created:  # Created is not public
                    send(topic, encode(event))

    def _schedule_states(self) -> None:
        self._state_ticking = bool(self._states or self._ended)
        if self._state_ticking:
            asyncio.get_running_loop().call_later(STATE_TICK_S, self._state_tick)

    def _state_tick(self) -> None:
        if self._link.up and not self._link.overloaded:
            self._send_states(STATES_PER_TICK)
            self._remove_ended()
        self._schedule_states()

    def _send_states(self, count: int) -> None:
        at = self._listener.now()
        for name in list(self._states)[:count]:
            room = self._states.pop(name)
            if self._listener.room_loaded(name) > room.seq:  # another node has written since, and publishes its state
                continue
            self._link.send(self._topics.state(name), self._codec.encode(snapshots.snapshot(room, None, at)), True)
            if room.status == "ended":
                self._ended[name] = asyncio.get_running_loop().time() + ENDED_STATE_TTL_S

    def _remove_ended(self) -> None:
        """Remove the states of rooms that ended long ago. An empty message deletes the retained one."""
        now = asyncio.get_running_loop().time()
        while self._ended and (name := next(iter(self._ended))) and self._ended[name] <= now:
            del self._ended[name]
            self._link.send(self._topics.state(name), b"", True)

    # -- states that a node left when it died

    async def clean_up(self, is_first: Callable[[], bool]) -> None:
        """Remove such states at intervals, if `is_first`: one node does this for all."""
        while True:
            await asyncio.sleep(CLEANING_INTERVAL_S)
            if self.is_on and self._link.up and is_first():
                try:
                    await self.remove_left_states()
                except Unavailable as error:
                    log("bus_cleaning_failed", why=str(error))

    async def remove_left_states(self) -> None:
        """Remove the states of rooms that had ended at the last call already. Raises Unavailable."""
        self._found = set()
        self._link.subscribe([self._topics.states])
        await asyncio.sleep(COLLECTING_S)
        self._link.unsubscribe([self._topics.states])
        found, self._found = self._found, None
        ended = found.difference(await self._unfinished_rooms()) if found else found
        for room in ended & self._ended_before:
            self._link.send(self._topics.state(room), b"", True)
        self._ended_before = ended

    def state_received(self, topic: str, retained: bool) -> None:
        """Note a state that the broker keeps."""
        if retained and self._found is not None:
            self._found.add(self._topics.room_of(topic))
