"""A state machine of commands: replay gives the live room, watchers change nothing, time and seq only increase."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine.registry import GAMES
from protocol.codec import MSGPACK, decode_event
from protocol.commands import (
    Abort,
    AnswerDraw,
    Claim,
    Join,
    Leave,
    Move,
    OfferDraw,
    Rematch,
    Resign,
    RoomCommand,
    Say,
    Takeback,
)
from protocol.events import AnyEvent
from protocol.types import Player, TimeControl
from server.domain import snapshots
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.downtime import resume
from server.domain.endings import check_deadline
from server.domain.room import Room, apply, replay, state_at
from server.domain.seating import set_presence
from tests.server.domain.helpers import ANN, BEN, EVE, NOW, waiting

players = st.sampled_from([ANN, BEN])
CLOCKS = [
    TimeControl(),
    TimeControl(kind="fischer", base=20_000, increment=500),
    TimeControl(kind="move", per_move=8000),
    TimeControl(kind="bank", per_move=3000, bank=9000),
]
OPEN_TO_ALL = (Join, Say)
plain_commands = st.sampled_from([Join, Leave, Resign, OfferDraw, Claim, Abort])
ANSWERS: list[type[Any]] = [AnswerDraw, Takeback, Rematch]
answers = st.sampled_from(ANSWERS)


class RoomMachine(RuleBasedStateMachine):
    room: Room
    log: list[AnyEvent]
    now: int

    @initialize(
        game=st.sampled_from(sorted(GAMES)), clock=st.sampled_from(CLOCKS), delay=st.integers(0, 3),
        illegal=st.integers(0, 2), joined=st.booleans(),
    )  # fmt: skip
    def create(self, game: str, clock: TimeControl, delay: int, illegal: int, joined: bool) -> None:
        self.now, self.log = NOW, []
        self.take(waiting(game, clock, delay=delay, illegal=illegal))
        if joined:
            self.command(BEN, Join)

    def take(self, decision: Decision) -> None:
        """Store the events, as the server does, and continue with the room of the decision."""
        stored = [decode_event(MSGPACK.encode(event)) for event in decision.events]
        assert tuple(stored) == decision.events
        if self.log and decision.events:
            room = self.room
            for event in stored:
                room = apply(room, event)
            assert room == decision.room
        self.log += stored
        self.room = decision.room

    def command(self, player: Player, kind: type[RoomCommand], **fields: Any) -> None:
        command = kind(id=1, room="r1", **fields)
        before = self.room.copy()
        try:
            decision = decide(self.room, player, command, self.now, lag=40, next_room="r2")
        except Refusal as refusal:
            assert self.room == before
            if refusal.decision is not None:
                self.take(refusal.decision)
            return
        assert self.room == before, "decide must not change the room"
        self.take(decision)

    @rule(ms=st.sampled_from([0, 1, 400, 3000, 15_000, 70_000]))
    def wait(self, ms: int) -> None:
        self.now += ms

    @rule(choice=st.integers(0, 200), note=st.sampled_from(["", "depth 3"]))
    def legal_move(self, choice: int, note: str) -> None:
        legal = self.room.game.legal(self.room.state)
        if legal:
            player = (ANN, BEN)[self.room.turn] if None in self.room.seats else self.player(self.room.turn)
            self.command(player, Move, ply=self.room.ply, move=legal[choice % len(legal)], note=note)

    def player(self, side: int) -> Player:
        seat = self.room.seats[side]
        return BEN if seat is not None and seat.player == BEN.id else ANN

    @rule(player=players, ply=st.integers(0, 5), text=st.sampled_from(["", "a1", "1", "a4b4", "zz", "99"]))
    def any_move(self, player: Player, ply: int, text: str) -> None:
        self.command(player, Move, ply=ply, move=text)

    @rule(player=players, kind=plain_commands)
    def plain(self, player: Player, kind: type[RoomCommand]) -> None:
        self.command(player, kind)

    @rule(player=players, kind=answers, accept=st.booleans())
    def answer(self, player: Player, kind: type[RoomCommand], accept: bool) -> None:
        self.command(player, kind, accept=accept)

    @rule(player=st.sampled_from([ANN, BEN, EVE]))
    def say(self, player: Player) -> None:
        self.command(player, Say, text="hello")

    @rule(seat=st.integers(0, 1), online=st.booleans())
    def change_presence(self, seat: int, online: bool) -> None:
        if self.room.seats[seat] is not None:
            self.take(set_presence(self.room, seat, online, self.now))

    @rule()
    def pass_deadline(self) -> None:
        self.take(check_deadline(self.room, self.now))

    @rule(outage=st.sampled_from([0, 5000, 600_000]))
    def outage(self, outage: int) -> None:
        since, self.now = self.now, self.now + outage
        self.take(resume(self.room, self.now, since))

    @rule(kind=plain_commands | answers, accept=st.booleans())
    def watcher_command(self, kind: type[RoomCommand], accept: bool) -> None:
        if kind not in OPEN_TO_ALL and self.room.seat_of(EVE.id) is None:
            before = self.room
            self.command(EVE, kind, **({"accept": accept} if kind in ANSWERS else {}))
            self.command(EVE, Move, ply=self.room.ply, move="1")
            assert self.room is before

    @invariant()
    def replay_equals_live(self) -> None:
        assert replay(self.log) == self.room

    @invariant()
    def log_is_in_order(self) -> None:
        assert [event.seq for event in self.log] == list(range(1, self.room.seq + 1))
        assert all(first.at <= second.at for first, second in zip(self.log, self.log[1:], strict=False))

    @invariant()
    def snapshot_is_consistent(self) -> None:
        room = self.room
        assert room.horizon <= room.seq
        assert room.state == state_at(room, room.ply)
        assert (room.deadline is None) <= (room.status == "ended" or room.setup.clock.kind == "none")
        seen = snapshots.snapshot(room, 0, self.now)
        assert seen.your_move == (room.status == "running" and room.turn == 0)
        assert seen.left is None or min(seen.left) >= 0
        assert MSGPACK.decode_server_message(MSGPACK.encode(seen)) == seen


TestRoomMachine = RoomMachine.TestCase
TestRoomMachine.settings = settings(max_examples=60, stateful_step_count=40)
