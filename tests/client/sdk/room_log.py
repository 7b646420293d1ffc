"""Rooms for tests of the client: built by the server's rules, with a snapshot after each event."""

from __future__ import annotations

import random

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


class RoomLog:
    """The events of a room, and the room after each of them."""

    def __init__(self, game: str = "conga", clock: TimeControl = FISCHER) -> None:
        options = resolve_options(game, {}, clock)
        created = Created(room="r", seq=1, at=0, game=game, options=options, clock=clock, by="a")
        opening = create_room(created, ALICE, 0)
        self.rooms: list[Room] = []
        self.events: list[AnyEvent] = []
        self.now = 0
        self._append(Room(created), opening)
        self.do(BOB, Join(id=1, room="r"))

    def _append(self, before: Room, decision: Decision) -> None:
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

    def do(self, player: Player, command: RoomCommand) -> None:
        self.now += 700
        try:
            self._append(self.room, decide(self.room, player, command, self.now, next_room="s"))
        except Refusal as refusal:
            if refusal.decision is not None:
                self._append(self.room, refusal.decision)

    def move(self, rng: random.Random) -> None:
        state = self.room.state
        if self.game.moves(state):
            text = self.game.format(state, rng.choice(self.game.moves(state)))
            self.do((ALICE, BOB)[state.turn], Move(id=1, room="r", ply=self.room.ply, move=text, note="n"))

    def wrong_position(self) -> Moved:
        """Return the last move with a position to which it does not lead."""
        moved = self.events[-1]
        assert isinstance(moved, Moved)
        return Moved(**{**{f: getattr(moved, f) for f in moved.__struct_fields__}, "position": "elsewhere"})

    def snapshot(self, at: int, seat: int | None = 0) -> Snapshot:
        return snapshots.snapshot(self.rooms[at], seat, self.events[at].at)


def event_room(room: Room, event: AnyEvent) -> Room:
    return Room(event) if isinstance(event, Created) else apply(room, event)


def busy_log(seed: int, game: str = "conga") -> RoomLog:
    """Return a room with moves, offers, takebacks and chat in random order, and a rematch."""
    rng, log = random.Random(seed), RoomLog(game)
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
