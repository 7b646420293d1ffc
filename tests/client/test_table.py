"""A client's table is what the server's room is, whichever way it came about."""

from __future__ import annotations

import random

import pytest

from client.sdk.room_cache import RoomCache
from client.sdk.room_view import Desync, RoomView
from engine.game import Game
from protocol.commands import AnswerDraw, Join, Leave, Move, OfferDraw, Rematch, Resign, RoomCommand, Say, Takeback
from protocol.events import AnyEvent, Created, Moved
from protocol.replies import Snapshot
from protocol.types import Player, TimeControl
from server.domain import snapshots
from server.domain.creation import create_room, resolve_options
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.room import Room, apply

ALICE, BOB = Player(id="a", name="alice"), Player(id="b", name="bob")
FISCHER = TimeControl(kind="fischer", base=60_000, increment=1000)


class Log:
    """A room with everything that happened in it, as it was after each event."""

    def __init__(self, game: str = "conga", clock: TimeControl = FISCHER) -> None:
        options = resolve_options(game, {}, clock)
        created = Created(room="r", seq=1, at=0, game=game, options=options, clock=clock, by="a")
        founded = create_room(created, ALICE, 0)
        self.rooms: list[Room] = []
        self.events: list[AnyEvent] = []
        self.now = 0
        self._note(Room(created), founded)
        self.do(BOB, Join(id=1, room="r"))

    def _note(self, before: Room, decision: Decision) -> None:
        room = before
        for event in decision.events:
            room = event_room(room, event)
            self.rooms.append(room)
            self.events.append(event)

    @property
    def room(self) -> Room:
        return self.rooms[-1]

    @property
    def game(self) -> Game:
        return self.room.game

    def do(self, who: Player, command: RoomCommand) -> None:
        self.now += 700
        try:
            self._note(self.room, decide(self.room, who, command, self.now, next_room="s"))
        except Refusal as refusal:
            if refusal.decision is not None:
                self._note(self.room, refusal.decision)

    def move(self, rng: random.Random) -> None:
        state = self.room.state
        if self.game.moves(state):
            text = self.game.format(state, rng.choice(self.game.moves(state)))
            who = (ALICE, BOB)[state.turn]
            self.do(who, Move(id=1, room="r", ply=self.room.ply, move=text, note="n"))

    def snapshot(self, at: int, seat: int | None = 0) -> Snapshot:
        return snapshots.snapshot(self.rooms[at], seat, self.events[at].at)


def event_room(room: Room, event: AnyEvent) -> Room:
    return Room(event) if isinstance(event, Created) else apply(room, event)


def busy_log(seed: int, game: str = "conga") -> Log:
    """Moves with everything else in between."""
    rng, log = random.Random(seed), Log(game)
    commands = [
        OfferDraw(id=1, room="r"),
        AnswerDraw(id=1, room="r", accept=False),
        Takeback(id=1, room="r"),
        Takeback(id=1, room="r", accept=False),
        Say(id=1, room="r", text="hm"),
        Leave(id=1, room="r"),
    ]
    for _ in range(60):
        if rng.random() < 0.7:
            log.move(rng)
        else:
            log.do(rng.choice((ALICE, BOB)), rng.choice(commands))
    log.do(ALICE, Resign(id=1, room="r"))
    log.do(BOB, Rematch(id=1, room="r"))
    log.do(ALICE, Rematch(id=1, room="r"))
    return log


def seen(table: RoomView) -> dict[str, object]:
    names = ("seq", "status", "seats", "moves", "position", "turn", "left", "offers", "fouls", "result", "reason",
             "winner", "scores", "next", "states")  # fmt: skip
    return {name: getattr(table, name) for name in names} | {"chat": [said.text for said in table.chat]}


@pytest.mark.parametrize("game", ["conga", "mancala"])
@pytest.mark.parametrize("seed", range(5))
def test_events_lead_to_the_same_table_as_a_later_snapshot(seed: int, game: str) -> None:
    log = busy_log(seed, game)
    last = len(log.events) - 1
    for at in random.Random(seed).sample(range(2, last), 10):
        table = RoomView(log.snapshot(at), now=0.0)
        for event in log.events[at + 1 :]:
            table.apply(event, event.at / 1000)
        fresh = RoomView(log.snapshot(last), 0.0)
        if not any(isinstance(event, Moved) for event in log.events[at + 1 :]):
            fresh.left = table.left  # a snapshot within a turn shows the running clock, one after the end does not
        assert seen(table) == seen(fresh)


def test_a_later_snapshot_takes_up_what_is_known() -> None:
    log = busy_log(1)
    known = RoomView(log.snapshot(10), 0.0)
    assert seen(RoomView(log.snapshot(len(log.events) - 1), 0.0, known)) == seen(RoomView(log.snapshot(-1), 0.0))


def test_gaps_and_repetitions_are_found() -> None:
    log = busy_log(2)
    tables = RoomCache()
    assert tables.apply_snapshot(log.snapshot(5), 0.0)
    six, seven, eight = log.events[6:9]
    assert not tables.apply_event(log.events[4], 0.0), "an old one"
    assert tables.apply_event(six, 0.0)
    assert not tables.apply_event(six, 0.0), "the same once more"
    assert not tables.apply_event(eight, 0.0), "one is missing"
    assert tables.missing == {"r": tables["r"].seq}
    assert tables.apply_event(seven, 0.0)
    assert tables.missing == {}
    assert tables.apply_event(eight, 0.0)
    assert not tables.apply_snapshot(log.snapshot(3), 0.0), "older than what is known"
    assert tables.desyncs == 0


def test_an_event_of_an_unknown_room_asks_for_a_snapshot() -> None:
    tables = RoomCache()
    assert not tables.apply_event(busy_log(1).events[5], 0.0)
    assert tables.missing == {"r": 0}


def test_what_cannot_be_is_a_desync() -> None:
    log = Log()
    log.move(random.Random(1))
    table = RoomView(log.snapshot(len(log.events) - 2), 0.0)
    moved = log.events[-1]
    assert isinstance(moved, Moved)
    wrong = Moved(**{**{f: getattr(moved, f) for f in moved.__struct_fields__}, "position": "elsewhere"})
    with pytest.raises(Desync, match="does not lead to"):
        table.apply(wrong, 0.0)
    tables = RoomCache()
    tables.apply_snapshot(log.snapshot(len(log.events) - 2), 0.0)
    assert not tables.apply_event(wrong, 0.0)
    assert (tables.missing, tables.desyncs) == ({"r": 0}, 1)


def test_clocks() -> None:
    log = Log(clock=TimeControl(kind="bank", per_move=2000, bank=10_000))
    table = RoomView(log.snapshot(-1), now=100.0)
    assert table.time_left(0, 100.0) == 12.0
    assert table.time_left(0, 103.5) == 8.5
    assert table.time_left(1, 103.5) == 12.0
    assert table.free(101.5) == 0.5
    later = snapshots.snapshot(log.room, 0, log.now + 1500)  # one who comes later finds the turn begun
    assert RoomView(later, now=200.0).time_left(0, 200.0) == 10.5
    assert RoomView(snapshots.snapshot(log.room, 0, log.now + 3000), now=200.0).time_left(0, 200.0) == 9.0


def test_a_game_that_we_do_not_know_can_be_followed_by_its_texts() -> None:
    log = Log()
    log.move(random.Random(1))
    fields = {name: getattr(log.snapshot(-2), name) for name in Snapshot.__struct_fields__}
    table = RoomView(Snapshot(**{**fields, "game": "chess"}), 0.0)
    assert table.game is None
    table.apply(log.events[-1], 0.0)
    assert table.ply == 1
