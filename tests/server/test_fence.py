"""Two apps on one store (stage.py): commands, appends, reads, answers and news in any order, late or never."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from protocol.codec import decode_event
from protocol.commands import Join, Move, OfferDraw, Rematch, Resign, RoomCommand, Say, Takeback
from protocol.events import Created
from protocol.types import TimeControl
from server.app import App
from server.config import Settings
from server.domain import creation
from server.domain.room import replay
from server.metrics import Metrics
from server.rooms.live_room import LiveRoom
from server.storage.room_index import creation_append
from tests.server.domain.helpers import ANN, BEN, EVE, NOW
from tests.server.stage import Rumours, Stage, Visitor

MOST_STEPS = 2000  # to bring to an end whatever forty steps have begun
FIELDS = [f"{column}{row}" for column in "abc" for row in (1, 2, 3)]


class TwoHalls(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.store = Stage()
        self.apps: list[App] = []
        self.buses = [Rumours(), Rumours()]
        self.asked: dict[Visitor, list[int]] = {}
        self.time = NOW
        self.run(self.open())

    async def open(self) -> None:
        created = Created(
            room="r1", seq=1, at=NOW, game="cohcoh",
            options=creation.resolve_options("cohcoh", {"n": 3, "k": 3}, TimeControl()),
            clock=TimeControl(kind="fischer", base=60_000), by=ANN.id,
        )  # fmt: skip
        founded = creation.create_room(created, ANN, 0)
        append = creation_append(founded)
        self.store.log = {("r1", seq): payload for seq, payload in enumerate(append.payloads, 1)}
        for number, bus in enumerate(self.buses):
            app = App(Settings(watch_tick=0.0), self.store, bus, Metrics(), lambda: self.time)
            live = app.registry.rooms["r1"] = LiveRoom(founded.room, list(append.payloads))
            for player in ((ANN, EVE), (BEN, EVE))[number]:
                visitor = Visitor(player)
                self.asked[visitor] = []
                live.attach(visitor)
            self.apps.append(app)

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

    def ask(self, number: int, kind: type[RoomCommand], **fields: Any) -> None:
        visitor = list(self.asked)[number]
        app = self.apps[number // 2]
        id = len(self.asked[visitor]) + 1
        self.asked[visitor].append(id)
        self.time += 10
        self.call(app.processor.submit, app.registry.rooms["r1"], visitor, kind(id=id, room="r1", **fields))

    # -- what may happen, in any order

    @initialize(loses=st.booleans(), chance=st.randoms(use_true_random=False))
    def choose(self, loses: bool, chance: Random) -> None:
        self.loses = loses  # whether news get lost
        self.chance = chance  # the order of what is left to do when the steps are done

    @rule(number=st.sampled_from([0, 2]), field=st.sampled_from(FIELDS), ahead=st.integers(0, 1))
    def move(self, number: int, field: str, ahead: int) -> None:
        known = self.apps[number // 2].registry.rooms["r1"].room
        self.ask(number, Move, ply=known.ply + ahead, move=field)

    @rule(number=st.integers(0, 3), kind=st.sampled_from([Join, OfferDraw, Takeback, Resign, Rematch]))
    def command(self, number: int, kind: type[RoomCommand]) -> None:
        self.ask(number, kind)

    @rule(number=st.integers(0, 3))
    def say(self, number: int) -> None:
        self.ask(number, Say, text="hm")

    @precondition(lambda self: self.store.appends)
    @rule(data=st.data())
    def write(self, data: st.DataObject) -> None:
        self.call(self.store.write, data.draw(st.integers(0, len(self.store.appends) - 1)))

    @precondition(lambda self: self.store.reads)
    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        self.call(self.store.read, data.draw(st.integers(0, len(self.store.reads) - 1)))

    @precondition(lambda self: self.store.answers)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        self.call(self.store.answer, data.draw(st.integers(0, len(self.store.answers) - 1)))

    @precondition(lambda self: any(bus.waiting for bus in self.buses))
    @rule(data=st.data())
    def news(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from([n for n, bus in enumerate(self.buses) if bus.waiting]))
        waiting = self.buses[number].waiting
        room, seq = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
        if not self.loses or data.draw(st.booleans()):
            self.hear(1 - number, room, seq)

    @rule(number=st.integers(0, 1))
    def news_and_a_command_at_once(self, number: int) -> None:
        app, visitor = self.apps[number], list(self.asked)[2 * number]
        live, seq = app.registry.rooms["r1"], len(self.store.all_events("r1"))
        id = len(self.asked[visitor]) + 1
        self.asked[visitor].append(id)

        def both() -> None:
            if live.room.seq < seq:
                app.processor.behind(live, seq)
            app.processor.submit(live, visitor, Say(id=id, room="r1", text="at once"))

        self.call(both)

    def hear(self, number: int, room: str, seq: int) -> None:
        live = self.apps[number].registry.rooms.get(room)
        if live is not None and live.room.seq < seq:
            self.call(self.apps[number].processor.behind, live, seq)

    # -- what is always so

    @invariant()
    def there_is_one_history(self) -> None:
        log = self.store.all_events("r1")
        assert [decode_event(payload).seq for payload in log] == list(range(1, len(log) + 1))
        for app in self.apps:
            live = app.registry.rooms["r1"]
            assert live.log == log[: len(live.log)]
            assert live.room.seq == len(live.log)

    @invariant()
    def everyone_hears_it_in_order(self) -> None:
        for visitor in self.asked:
            heard = [seq for room, seq in visitor.events if room == "r1"]
            assert heard == sorted(set(heard))
            if visitor.player is ANN:  # whoever joins gets a snapshot instead of the events that seat him
                assert heard == list(range(3, 3 + len(heard)))

    @invariant()
    def everyone_is_answered_in_order(self) -> None:
        for visitor, ids in self.asked.items():
            assert visitor.answers == ids[: len(visitor.answers)]

    def teardown(self) -> None:
        """Everything comes through in the end: all are answered, and all know the same."""
        try:
            self.come_to_an_end()
            if self.loses:  # whoever has missed something looks for it from time to time
                for number in (0, 1):
                    self.hear(number, "r1", len(self.store.all_events("r1")))
                self.come_to_an_end()
            end = replay(map(decode_event, self.store.all_events("r1")))
            for app in self.apps:
                assert app.registry.rooms["r1"].room.seq == end.seq
                assert app.registry.rooms["r1"].room.moves == end.moves
            for visitor, ids in self.asked.items():
                assert visitor.answers == ids
        finally:
            self.close()

    def come_to_an_end(self) -> None:
        """Whatever waits, in any order."""
        store, (left, right) = self.store, (bus.waiting for bus in self.buses)
        for _ in range(MOST_STEPS):
            parts: list[list[Any]] = [store.appends, store.reads, store.answers, left, right]
            waiting = [part for part in parts if part]
            if not waiting:
                return
            part = self.chance.choice(waiting)
            number = self.chance.randrange(len(part))
            if part is store.appends:
                self.call(store.write, number)
            elif part is store.reads:
                self.call(store.read, number)
            elif part is store.answers:
                self.call(store.answer, number)
            else:
                self.hear(1 if part is left else 0, *part.pop(number))
        raise AssertionError("it goes on and on")

    def close(self) -> None:
        self.loop.run_until_complete(self.store.close())
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


TestTwoHalls = TwoHalls.TestCase
TestTwoHalls.settings = settings(max_examples=60, stateful_step_count=40)


def test_news_that_come_before_the_word_that_our_own_event_is_written() -> None:
    """Hardly ever by chance: the other app has read what we wrote, and answered it, before we are told."""
    both = TwoHalls()
    both.choose(False, Random(1))
    store, call = both.store, both.call
    both.say(0)
    both.say(2)
    call(store.write, 0)
    call(store.write, 0)  # a conflict
    call(store.answer, 1)  # of which the right app is told, and the left one of nothing
    call(store.read, 0)
    call(store.answer, 1)
    call(store.write, 0)
    call(store.answer, 1)
    both.hear(0, *both.buses[1].waiting.pop())
    both.teardown()


def test_news_that_come_before_what_was_read() -> None:
    both = TwoHalls()
    both.choose(False, Random(1))
    store, call = both.store, both.call
    for _ in range(2):
        both.say(2)
        call(store.write, 0)
        call(store.answer, len(store.answers) - 1)
        both.hear(0, *both.buses[1].waiting.pop())
        if store.reads:
            call(store.read, 0)
    both.teardown()
