"""Two halls on one store, any order of commands, appends, reads and news that come late or never.

The store and the bus do one step when the test says so, which makes every interleaving of decide, append, conflict and
catching up reachable. Halls, rooms and rules are the real ones.
"""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from protocol import messages as m
from protocol.messages import Message, Player
from protocol.wire import MSGPACK, read_event
from server import found
from server.bus import LocalBus
from server.hall import Hall
from server.index import whole
from server.live import Live
from server.metrics import Metrics
from server.packet import Packet
from server.room import Room, replay
from server.settings import Settings
from server.sqlite.store import SqliteStore
from server.store import Append, Conflict, Done
from tests.server.rooms import ANN, BEN, EVE, NOW

FIELDS = [f"{column}{row}" for column in "abc" for row in (1, 2, 3)]


class Stage(SqliteStore):
    """The log of all rooms, and what halls have asked of it. Each request is dealt with when the test says so."""

    shared = True

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.log: dict[tuple[str, int], bytes] = {}
        self.appends: list[tuple[Append, Done]] = []
        self.reads: list[tuple[str, int, asyncio.Future[list[bytes]]]] = []

    def append(self, append: Append, done: Done) -> None:
        self.appends.append((append, done))

    def write(self, number: int) -> None:
        append, done = self.appends.pop(number)
        rows = {
            (part.room, part.after + n): payload
            for part in (append, append.also)
            if part is not None
            for n, payload in enumerate(part.payloads, 1)
        }
        taken = not rows.keys().isdisjoint(self.log)
        if not taken:
            self.log.update(rows)
        done(Conflict() if taken else None)

    async def events(self, room: str, after: int = 0) -> list[bytes]:
        future: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        self.reads.append((room, after, future))
        return await future

    def read(self, number: int) -> None:
        room, after, future = self.reads.pop(number)
        future.set_result(self.all_events(room)[after:])

    def all_events(self, room: str) -> list[bytes]:
        return [self.log[key] for key in sorted(self.log) if key[0] == room]


class Rumours(LocalBus):
    """News on their way to the other hall."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[tuple[str, int]] = []
        self.other: Hall | None = None

    def publish(self, room: Room, packets: list[Packet]) -> None:
        self.waiting.append((room.setup.room, room.seq))


class Visitor:
    """A connection that remembers what it was told."""

    def __init__(self, player: Player) -> None:
        self.player: Player | None = player
        self.text = False
        self.rooms: dict[str, Live] = {}
        self.lag = 0
        self.events: list[tuple[str, int]] = []
        self.answers: list[int | None] = []

    def write(self, frames: bytes) -> int:
        while frames:
            size, start = frames[1], 2
            if size == 126:
                size, start = int.from_bytes(frames[2:4], "big"), 4
            message: Any = MSGPACK.server_message(frames[start : start + size])
            frames = frames[start + size :]
            self.take(message)
        return 0

    def take(self, message: Any) -> None:
        if isinstance(message, m.Ok):
            self.answers.append(message.id)
        elif isinstance(message, m.Event):
            self.events.append((message.room, message.seq))

    def send(self, message: Message) -> None:
        self.take(message)

    def refuse(self, id: int | None, code: str, text: str, *more: Any) -> None:
        assert code != "internal", text
        self.answers.append(id)

    def backlog(self) -> int:
        return 0

    def cut(self, code: int, reason: str) -> None:
        raise AssertionError(reason)


class TwoHalls(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.store = Stage()
        self.halls: list[Hall] = []
        self.buses = [Rumours(), Rumours()]
        self.asked: dict[Visitor, list[int]] = {}
        self.time = NOW
        self.run(self.open())

    async def open(self) -> None:
        created = m.Created(
            room="r1", seq=1, at=NOW, game="cohcoh", options=found.settle("cohcoh", {"n": 3, "k": 3}, m.TimeControl()),
            clock=m.TimeControl(kind="fischer", base=60_000), by=ANN.id,
        )  # fmt: skip
        founded = found.found(created, ANN, 0)
        append = whole(founded)
        self.store.log = {("r1", seq): payload for seq, payload in enumerate(append.payloads, 1)}
        for number, bus in enumerate(self.buses):
            hall = Hall(self.store, bus, Settings(watch_tick=0.0), Metrics(), lambda: self.time)
            live = hall.rooms["r1"] = Live(founded.room, list(append.payloads))
            for player in ((ANN, EVE), (BEN, EVE))[number]:
                visitor = Visitor(player)
                self.asked[visitor] = []
                live.attach(visitor)
            self.halls.append(hall)

    def run(self, work: Any) -> None:
        self.loop.run_until_complete(work)
        self.settle()

    def settle(self) -> None:
        """Let every task go as far as it can without the store."""

        async def breathe() -> None:
            for _ in range(6):
                await asyncio.sleep(0)

        self.loop.run_until_complete(breathe())

    def call(self, function: Any, *values: Any) -> None:
        async def inside() -> None:
            function(*values)

        self.run(inside())

    def ask(self, number: int, kind: type[m.RoomCommand], **fields: Any) -> None:
        visitor = list(self.asked)[number]
        hall = self.halls[number // 2]
        id = len(self.asked[visitor]) + 1
        self.asked[visitor].append(id)
        self.time += 10
        self.call(hall.submit, hall.rooms["r1"], visitor, kind(id=id, room="r1", **fields))

    # -- what may happen, in any order

    @rule(number=st.sampled_from([0, 2]), field=st.sampled_from(FIELDS), ahead=st.integers(0, 1))
    def move(self, number: int, field: str, ahead: int) -> None:
        known = self.halls[number // 2].rooms["r1"].room
        self.ask(number, m.Move, ply=known.ply + ahead, move=field)

    @rule(number=st.integers(0, 3), kind=st.sampled_from([m.Join, m.OfferDraw, m.Takeback, m.Resign, m.Rematch]))
    def command(self, number: int, kind: type[m.RoomCommand]) -> None:
        self.ask(number, kind)

    @rule(number=st.integers(0, 3))
    def say(self, number: int) -> None:
        self.ask(number, m.Say, text="hm")

    @precondition(lambda self: self.store.appends)
    @rule(data=st.data())
    def write(self, data: st.DataObject) -> None:
        self.call(self.store.write, data.draw(st.integers(0, len(self.store.appends) - 1)))

    @precondition(lambda self: self.store.reads)
    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        self.call(self.store.read, data.draw(st.integers(0, len(self.store.reads) - 1)))

    @precondition(lambda self: any(bus.waiting for bus in self.buses))
    @rule(data=st.data(), lost=st.booleans())
    def news(self, data: st.DataObject, lost: bool) -> None:
        number = data.draw(st.sampled_from([n for n, bus in enumerate(self.buses) if bus.waiting]))
        waiting = self.buses[number].waiting
        room, seq = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
        if not lost:
            self.hear(1 - number, room, seq)

    @rule(number=st.integers(0, 1))
    def news_and_a_command_at_once(self, number: int) -> None:
        hall, visitor = self.halls[number], list(self.asked)[2 * number]
        live, seq = hall.rooms["r1"], len(self.store.all_events("r1"))
        id = len(self.asked[visitor]) + 1
        self.asked[visitor].append(id)

        def both() -> None:
            if live.room.seq < seq:
                hall.others.behind(live, seq)
            hall.submit(live, visitor, m.Say(id=id, room="r1", text="at once"))

        self.call(both)

    def hear(self, number: int, room: str, seq: int) -> None:
        live = self.halls[number].rooms.get(room)
        if live is not None and live.room.seq < seq:
            self.call(self.halls[number].others.behind, live, seq)

    # -- what is always so

    @invariant()
    def there_is_one_history(self) -> None:
        log = self.store.all_events("r1")
        assert [read_event(payload).seq for payload in log] == list(range(1, len(log) + 1))
        for hall in self.halls:
            live = hall.rooms["r1"]
            assert live.log == log[: len(live.log)]
            assert live.room.seq == len(live.log)

    @invariant()
    def everyone_hears_it_in_order(self) -> None:
        for visitor in self.asked:
            heard = [seq for room, seq in visitor.events if room == "r1"]
            assert heard == sorted(set(heard))
            if visitor.player is ANN:  # whoever joins gets a snapshot instead of the events that seat him
                assert heard == list(range(3, 3 + len(heard)))

    def teardown(self) -> None:
        """Everything comes through in the end: all are answered once, and all know the same."""
        while self.store.appends or self.store.reads:
            while self.store.appends:
                self.call(self.store.write, 0)
            while self.store.reads:
                self.call(self.store.read, 0)
        for number in (0, 1):
            self.hear(number, "r1", len(self.store.all_events("r1")))
            while self.store.reads or self.store.appends:
                self.call(self.store.read if self.store.reads else self.store.write, 0)
        end = replay(map(read_event, self.store.all_events("r1")))
        for hall in self.halls:
            assert hall.rooms["r1"].room.seq == end.seq
            assert hall.rooms["r1"].room.moves == end.moves
        for visitor, ids in self.asked.items():
            assert sorted(id for id in visitor.answers if id is not None) == ids
        self.loop.run_until_complete(self.store.close())
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


TestTwoHalls = TwoHalls.TestCase
TestTwoHalls.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
