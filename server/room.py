"""A room is a log: what it is now is the fold of its events. Pure: no clock, no chance, no I/O.

`evolve` makes the next room out of a room and an event and leaves the old one as it was; `replay` folds a whole log;
server/decide.py says which events a command leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from engine.game import Game, State
from engine.registry import create
from protocol import messages as m
from protocol.messages import AnyEvent, Created, Moved, Said, Seat
from server import clock
from server.past import MARK, mark, state_at
from server.trail import Trail

CHAT_KEPT = 50  # of what was said, for those who come late
new = object.__new__
new_tuple = tuple.__new__
BOTH_GONE = 30 * 60_000  # then a game that nobody can end is over


class Made(NamedTuple):
    """A move as a room remembers it: without the position, which would double what a room takes."""

    seq: int
    side: int
    move: str
    took: int
    charged: int
    left: m.Left | None
    note: str


class Room:
    """One room at one moment. Nobody changes a room: `evolve` changes a copy that nobody has seen yet."""

    setup: Created
    game: Game
    seq: int
    status: m.Status
    seats: tuple[Seat | None, Seat | None]
    away: tuple[int | None, int | None]  # since when a seat's player is gone
    state: State
    seen: bytes  # a mark of every state so far, in games that count how often one occurs
    moves: Trail[Made]
    clocks: clock.Clocks
    draw: int | None  # the seat that offers
    takeback: tuple[int, int] | None  # the seat that asks, the ply to go on from
    rematch: int | None
    fouls: tuple[int, int]
    chat: tuple[Said, ...]
    started_at: int | None
    ended: m.Ended | None
    next: str
    horizon: int  # the last event that watchers may see

    def __init__(self, setup: Created) -> None:
        self.setup = setup
        self.game = create(setup.game, setup.options)
        self.seq = setup.seq
        self.status = "waiting"
        self.seats = (None, None)
        self.away = (None, None)
        self.state = self.game.start()
        self.seen = mark(self.state)
        self.moves = Trail()
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
    def ply(self) -> int:
        return self.moves.length

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Room) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]  # equal means equal now


def evolve(room: Room, event: AnyEvent) -> Room:
    """The room after an event."""
    return evolved(room, event, None)


def evolved(room: Room, event: AnyEvent, state: State | None) -> Room:
    """`evolve` for who knows already which state a move leads to."""
    after: Room = new(Room)
    after.__dict__ = room.__dict__.copy()
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
    hidden = room.moves.tail(room.setup.delay)
    if room.status == "ended" or not hidden:
        return room.seq
    return max(before, hidden[0].seq - 1)


# -- what each event changes; the room is a copy that nobody else holds


def moved(room: Room, event: Moved, state: State) -> None:
    room.state = state
    if room.game.spec.repetition is not None:
        room.seen += mark(state)
    made = (event.seq, event.side, event.move, event.took, event.charged, event.left, event.note)
    room.moves = room.moves.plus(new_tuple(Made, made))
    room.clocks = clock.moved_on(room.clocks, event.side, event.at, event.took, event.charged, event.left)
    room.draw = room.takeback = None  # a move answers every offer


def seated(room: Room, event: m.Seated) -> None:
    seat = Seat(
        player=event.player,
        name=event.name,
        account=event.account,
        rating=event.rating,
        provisional=event.provisional,
    )
    room.seats = put(room.seats, event.seat, seat)
    room.away = put(room.away, event.seat, None)


def unseated(room: Room, event: m.Unseated) -> None:
    room.seats = put(room.seats, event.seat, None)
    room.away = put(room.away, event.seat, None)


def started(room: Room, event: m.Started) -> None:
    room.status = "running"
    room.started_at = event.at
    room.clocks = clock.wound(room.setup.clock, event.at)


def fouled(room: Room, event: m.Fouled) -> None:
    room.fouls = put(room.fouls, event.seat, event.fouls)


def draw_offered(room: Room, event: m.DrawOffered) -> None:
    room.draw = event.seat


def takeback_offered(room: Room, event: m.TakebackOffered) -> None:
    room.takeback = (event.seat, event.ply)


def rematch_offered(room: Room, event: m.RematchOffered) -> None:
    room.rematch = event.seat


def declined(room: Room, event: m.Declined) -> None:
    setattr(room, event.offer, None)


def taken_back(room: Room, event: m.TakenBack) -> None:
    """The clocks keep what they show: time that was used stays used."""
    room.state = state_at(room, event.ply)
    room.seen = room.seen[: MARK * (event.ply + 1)]
    room.moves = room.moves.first(event.ply)
    room.clocks = room.clocks._replace(since=event.at)
    room.draw = room.takeback = None


def ended(room: Room, event: m.Ended) -> None:
    room.status = "ended"
    room.ended = event
    room.draw = room.takeback = None


def rematched(room: Room, event: m.Rematched) -> None:
    room.next = event.next
    room.rematch = None


def said(room: Room, event: Said) -> None:
    room.chat = (*room.chat[1 - CHAT_KEPT :], event)


def presence(room: Room, event: m.Presence) -> None:
    room.away = put(room.away, event.seat, None if event.online else event.at)


def resumed(room: Room, event: m.Resumed) -> None:
    """The house was away: the turn began that much later, and nobody is here yet."""
    room.clocks = room.clocks._replace(since=room.clocks.since + event.credit)
    room.away = (
        event.at if room.seats[0] is not None else None,
        event.at if room.seats[1] is not None else None,
    )


CHANGES: dict[type[Any], Callable[[Room, Any], None]] = {
    m.Seated: seated,
    m.Unseated: unseated,
    m.Started: started,
    m.Fouled: fouled,
    m.DrawOffered: draw_offered,
    m.TakebackOffered: takeback_offered,
    m.RematchOffered: rematch_offered,
    m.Declined: declined,
    m.TakenBack: taken_back,
    m.Ended: ended,
    m.Rematched: rematched,
    m.Said: said,
    m.Presence: presence,
    m.Resumed: resumed,
}


def put(pair: Sequence[Any], index: int, value: Any) -> Any:
    """A pair with one of its two values changed."""
    return (value, pair[1]) if index == 0 else (pair[0], value)
