"""A room is a log: what it is now is the fold of its events. Pure: no clock, no chance, no I/O.

`evolve` makes the next room out of a room and an event and leaves the old one as it was; `replay` folds a whole log;
server/domain/decide.py says which events a command leads to.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.game import Game, State
from engine.registry import create
from protocol.events import AnyEvent, Created, Ended, Moved, Said
from protocol.types import Seat, Status
from server.domain import clock
from server.domain.apply import CHANGES, moved
from server.domain.past import mark

new = object.__new__
BOTH_GONE = 30 * 60_000  # then a game that nobody can end is over


class Room:
    """One room at one moment. Nobody changes a room: `evolve` changes a copy that nobody has seen yet."""

    setup: Created
    game: Game
    seq: int
    status: Status
    seats: tuple[Seat | None, Seat | None]
    away: tuple[int | None, int | None]  # since when a seat's player is gone
    state: State
    seen: bytes  # a mark of every state so far, in games that count how often one occurs
    ply: int
    made: list[Moved]  # moves, of which the first `ply` are this room's: later versions of it may have added others
    clocks: clock.Clocks
    draw: int | None  # the seat that offers
    takeback: tuple[int, int] | None  # the seat that asks, the ply to go on from
    rematch: int | None
    fouls: tuple[int, int]
    chat: tuple[Said, ...]
    started_at: int | None
    ended: Ended | None
    next: str
    horizon: int  # the last event that watchers may see

    __slots__ = tuple(__annotations__)

    def __init__(self, setup: Created) -> None:
        self.setup = setup
        self.game = create(setup.game, setup.options)
        self.seq = setup.seq
        self.status = "waiting"
        self.seats = (None, None)
        self.away = (None, None)
        self.state = self.game.start()
        self.seen = mark(self.state)
        self.ply = 0
        self.made = []
        self.clocks = clock.wound(setup.clock, setup.at)
        self.draw = self.takeback = self.rematch = None
        self.fouls = (0, 0)
        self.chat = ()
        self.started_at = None
        self.ended = None
        self.next = ""
        self.horizon = setup.seq

    @property
    def id(self) -> str:
        return self.setup.room

    @property
    def moves(self) -> list[Moved]:
        return self.made[: self.ply]

    @property
    def turn(self) -> int:
        return self.state.turn

    def seat_of(self, player: str) -> int | None:
        first, second = self.seats
        if first is not None and first.player == player:
            return 0
        return 1 if second is not None and second.player == player else None

    @property
    def deadline(self) -> int | None:
        """When the room needs someone to look at the time: the flag, the end of waiting, or both players gone."""
        if self.status == "ended":
            return None
        if self.status == "waiting":
            return self.setup.at + self.setup.expiry
        flag = clock.deadline(self.setup.clock, self.clocks, self.state.turn)
        first, second = self.away
        if first is not None and second is not None:
            gone = max(first, second) + BOTH_GONE
            return gone if flag is None else min(flag, gone)
        return flag

    def copy(self) -> Room:
        """One by one, since that is what costs least, and it is done for every move."""
        other: Room = new(Room)
        other.setup = self.setup
        other.game = self.game
        other.seq = self.seq
        other.status = self.status
        other.seats = self.seats
        other.away = self.away
        other.state = self.state
        other.seen = self.seen
        other.ply = self.ply
        other.made = self.made
        other.clocks = self.clocks
        other.draw = self.draw
        other.takeback = self.takeback
        other.rematch = self.rematch
        other.fouls = self.fouls
        other.chat = self.chat
        other.started_at = self.started_at
        other.ended = self.ended
        other.next = self.next
        other.horizon = self.horizon
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Room) and all(getattr(self, name) == getattr(other, name) for name in COMPARED)

    __hash__ = None  # type: ignore[assignment]  # equal means equal now


COMPARED = [name for name in Room.__slots__ if name != "made"] + ["moves"]


def evolve(room: Room, event: AnyEvent) -> Room:
    """The room after an event."""
    return evolved(room, event, None)


def evolved(room: Room, event: AnyEvent, state: State | None) -> Room:
    """`evolve` for who knows already which state a move leads to."""
    after = room.copy()
    after.seq = event.seq
    if type(event) is Moved:
        moved(after, event, state or played(room, event))
    else:
        CHANGES[type(event)](after, event)
    after.horizon = horizon(after, room.horizon) if room.setup.delay else event.seq
    return after


def replay(events: Iterable[AnyEvent]) -> Room:
    """The room that a log tells of."""
    log = iter(events)
    first = next(log)
    if not isinstance(first, Created):
        raise ValueError(f"a log begins with created, not with {type(first).__name__}")
    room = Room(first)
    for event in log:
        room = evolve(room, event)
    return room


def played(room: Room, event: Moved) -> State:
    return room.game.after(room.state, room.game.parse(room.state, event.move))


def horizon(room: Room, before: int) -> int:
    """With a delay of n plies watchers see everything up to the n-th last move; an ended game is open to all."""
    hidden = room.made[max(0, room.ply - room.setup.delay) : room.ply]
    if room.status == "ended" or not hidden:
        return room.seq
    return max(before, hidden[0].seq - 1)
