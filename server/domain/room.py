"""The state of a room, computed from its log of events. Pure: no clock, no randomness, no I/O.

`apply` returns the room after one event and leaves the room before it unchanged. `replay` applies a whole log.
`server/domain/decide.py` decides which events a command produces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from engine.game import Game, State
from engine.registry import create
from protocol.events import (
    AnyEvent,
    Created,
    Declined,
    DrawOffered,
    Ended,
    Fouled,
    Moved,
    Presence,
    Rematched,
    RematchOffered,
    Resumed,
    Said,
    Seated,
    Started,
    TakebackOffered,
    TakenBack,
    Unseated,
)
from protocol.types import Seat, Status
from server.domain import clock

BOTH_AWAY_TIMEOUT_MS = 30 * 60_000  # a running game without players ends after this time
MAX_CHAT_MESSAGES = 50  # messages that a snapshot contains
POSITION_MARK_BYTES = 8

new = object.__new__


class Room:
    """One room at one point of its log. Immutable by convention: `apply` changes a copy."""

    setup: Created
    game: Game
    seq: int
    status: Status
    seats: tuple[Seat | None, Seat | None]
    away: tuple[int | None, int | None]  # time at which the player of a seat went offline
    state: State
    position_marks: bytes  # one mark per state so far, in games with a repetition rule
    ply: int
    move_log: list[Moved]  # shared by versions of the room: the first `ply` moves belong to this one
    clocks: clock.Clocks
    draw_offer: int | None  # the seat that offers
    takeback_offer: tuple[int, int] | None  # the seat that asks, the ply to return to
    rematch_offer: int | None
    fouls: tuple[int, int]
    chat: tuple[Said, ...]  # the last lines
    chat_counts: tuple[int, int]  # all lines so far: of players, and of watchers
    started_at: int | None
    ended: Ended | None
    next: str  # the room of the rematch
    horizon: int  # seq of the last event that watchers may see

    __slots__ = tuple(__annotations__)

    def __init__(self, setup: Created) -> None:
        self.setup = setup
        self.game = create(setup.game, setup.options)
        self.seq = setup.seq
        self.status = "waiting"
        self.seats = (None, None)
        self.away = (None, None)
        self.state = self.game.start()
        self.position_marks = position_mark(self.state)
        self.ply = 0
        self.move_log = []
        self.clocks = clock.initial_clocks(setup.clock, setup.at)
        self.draw_offer = self.takeback_offer = self.rematch_offer = None
        self.fouls = (0, 0)
        self.chat = ()
        self.chat_counts = (0, 0)
        self.started_at = None
        self.ended = None
        self.next = ""
        self.horizon = setup.seq

    @property
    def id(self) -> str:
        return self.setup.room

    @property
    def moves(self) -> list[Moved]:
        return self.move_log[: self.ply]

    @property
    def turn(self) -> int:
        return self.state.turn

    @property
    def position(self) -> str:
        """The text of the current position, as the last move has it."""
        return self.move_log[self.ply - 1].position if self.ply else self.game.start_position

    def seat_of(self, player: str) -> int | None:
        first, second = self.seats
        if first is not None and first.player == player:
            return 0
        return 1 if second is not None and second.player == player else None

    def event_fields(self, now: int) -> dict[str, Any]:
        """Return the fields that all events have, for the next event of this room."""
        return {"room": self.setup.room, "seq": self.seq + 1, "at": now}

    def claim_at(self, seat: int) -> int | None:
        """Return when a seat may claim the game, or None if the opponent is online or no game is running."""
        away = self.away[1 - seat]
        return None if away is None or self.status != "running" else away + clock.claim_delay(self.setup.clock)

    @property
    def clock_runs(self) -> bool:
        """Whether a player is losing time."""
        return self.status == "running" and self.setup.clock.kind != "none"

    @property
    def deadline(self) -> int | None:
        """Return when the server must act next: flag fall, expiry of a waiting room, or both players away too long."""
        if self.status == "ended":
            return None
        if self.status == "waiting":
            return self.clocks[2] + self.setup.expiry
        flag = clock.deadline(self.setup.clock, self.clocks, self.state.turn)
        first, second = self.away
        if first is not None and second is not None:
            abandoned = max(first, second) + BOTH_AWAY_TIMEOUT_MS
            return abandoned if flag is None else min(flag, abandoned)
        return flag

    def copy(self) -> Room:
        """Return a copy. Every move makes one: plain assignments are the fastest way."""
        other: Room = new(Room)
        other.setup = self.setup
        other.game = self.game
        other.seq = self.seq
        other.status = self.status
        other.seats = self.seats
        other.away = self.away
        other.state = self.state
        other.position_marks = self.position_marks
        other.ply = self.ply
        other.move_log = self.move_log
        other.clocks = self.clocks
        other.draw_offer = self.draw_offer
        other.takeback_offer = self.takeback_offer
        other.rematch_offer = self.rematch_offer
        other.fouls = self.fouls
        other.chat = self.chat
        other.chat_counts = self.chat_counts
        other.started_at = self.started_at
        other.ended = self.ended
        other.next = self.next
        other.horizon = self.horizon
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Room) and all(getattr(self, name) == getattr(other, name) for name in COMPARED)

    __hash__ = None  # type: ignore[assignment]  # rooms are compared by value and have no stable hash


COMPARED = [name for name in Room.__slots__ if name != "move_log"] + ["moves"]


def replay(events: Iterable[AnyEvent]) -> Room:
    """Return the room after a log of events. Raises ValueError if the log does not begin with `created`."""
    log = iter(events)
    first = next(log)
    if not isinstance(first, Created):
        raise ValueError(f"the first event of a log must be created, not {type(first).__name__}")
    room = Room(first)
    for event in log:
        room = apply(room, event)
    return room


def apply(room: Room, event: AnyEvent, state: State | None = None) -> Room:
    """Return the room after an event. Pass the state after a move if it is already known."""
    after = room.copy()
    after.seq = event.seq
    if type(event) is Moved:
        apply_moved(after, event, state or played(room, event))
    else:
        APPLIERS[type(event)](after, event)
    after.horizon = watcher_horizon(after, room.horizon) if room.setup.delay else event.seq
    return after


def played(room: Room, event: Moved) -> State:
    """Return the state after a move of a log. Raises GameError for a move that the rules do not allow."""
    return room.game.after(room.state, room.game.parse(room.state, event.move))


def watcher_horizon(room: Room, before: int) -> int:
    """Return the seq of the last event that watchers may see.

    With a delay of n plies watchers see the events before the last n moves. The end of the game reveals everything.
    """
    hidden = room.move_log[max(0, room.ply - room.setup.delay) : room.ply]
    if room.status == "ended" or not hidden:
        return room.seq
    return max(before, hidden[0].seq - 1)


# -- one function per event: each changes a fresh copy of the room


def apply_moved(room: Room, event: Moved, state: State) -> None:
    room.state = state
    if room.game.spec.repetition is not None:
        room.position_marks += position_mark(state)
    moves = room.move_log
    if len(moves) != room.ply:  # another version of the room has appended a move
        moves = room.move_log = room.moves
    moves.append(event)
    room.ply += 1
    left, quota, _ = room.clocks
    before, credit = quota[event.side], event.took - event.charged
    if credit or before != clock.MAX_QUOTA_MS:
        rest = min(clock.MAX_QUOTA_MS, before - credit + clock.QUOTA_REGAIN_PER_MOVE_MS)
        quota = (rest, quota[1]) if event.side == 0 else (quota[0], rest)
    room.clocks = event.left or left, quota, event.at
    room.draw_offer = room.takeback_offer = None  # a move declines every offer


def apply_seated(room: Room, event: Seated) -> None:
    seat = Seat(
        player=event.player,
        name=event.name,
        account=event.account,
        rating=event.rating,
        provisional=event.provisional,
        bot=event.bot,
        engine=event.engine,
        version=event.version,
    )
    room.seats = replace_at(room.seats, event.seat, seat)
    room.away = replace_at(room.away, event.seat, None)


def apply_unseated(room: Room, event: Unseated) -> None:
    room.seats = replace_at(room.seats, event.seat, None)
    room.away = replace_at(room.away, event.seat, None)


def apply_started(room: Room, event: Started) -> None:
    room.status = "running"
    room.started_at = event.at
    room.clocks = clock.initial_clocks(room.setup.clock, event.at)


def apply_fouled(room: Room, event: Fouled) -> None:
    room.fouls = replace_at(room.fouls, event.seat, event.fouls)


def apply_draw_offered(room: Room, event: DrawOffered) -> None:
    room.draw_offer = event.seat


def apply_takeback_offered(room: Room, event: TakebackOffered) -> None:
    room.takeback_offer = (event.seat, event.ply)


def apply_rematch_offered(room: Room, event: RematchOffered) -> None:
    room.rematch_offer = event.seat


def apply_declined(room: Room, event: Declined) -> None:
    setattr(room, f"{event.offer}_offer", None)


def apply_taken_back(room: Room, event: TakenBack) -> None:
    """Return to an earlier ply. The players do not get the time of the moves back."""
    room.state = state_at(room, event.ply)
    room.position_marks = room.position_marks[: POSITION_MARK_BYTES * (event.ply + 1)]
    room.move_log = room.move_log[: event.ply]
    room.ply = event.ply
    left, quota, _ = room.clocks
    room.clocks = left, quota, event.at
    room.draw_offer = room.takeback_offer = None


def apply_ended(room: Room, event: Ended) -> None:
    room.status = "ended"
    room.ended = event
    if event.reason == "time":
        room.clocks = clock.after_flag(room.clocks, room.turn)
    room.draw_offer = room.takeback_offer = None


def apply_rematched(room: Room, event: Rematched) -> None:
    room.next = event.next
    room.rematch_offer = None


def apply_said(room: Room, event: Said) -> None:
    if event.text:  # empty after retention
        room.chat = (*room.chat[1 - MAX_CHAT_MESSAGES :], event)
    players, watchers = room.chat_counts
    room.chat_counts = (players, watchers + 1) if event.seat is None else (players + 1, watchers)


def apply_presence(room: Room, event: Presence) -> None:
    room.away = replace_at(room.away, event.seat, None if event.online else event.at)


def apply_resumed(room: Room, event: Resumed) -> None:
    """Move the start of the turn by the server's downtime. After a restart, both players are away for now."""
    left, quota, since = room.clocks
    room.clocks = left, quota, since + event.credit + event.delay if event.turn_at is None else event.turn_at
    if not event.outage:
        room.away = (
            event.at if room.seats[0] is not None else None,
            event.at if room.seats[1] is not None else None,
        )


APPLIERS: dict[type[Any], Callable[[Room, Any], None]] = {
    Seated: apply_seated,
    Unseated: apply_unseated,
    Started: apply_started,
    Fouled: apply_fouled,
    DrawOffered: apply_draw_offered,
    TakebackOffered: apply_takeback_offered,
    RematchOffered: apply_rematch_offered,
    Declined: apply_declined,
    TakenBack: apply_taken_back,
    Ended: apply_ended,
    Rematched: apply_rematched,
    Said: apply_said,
    Presence: apply_presence,
    Resumed: apply_resumed,
}


def replace_at(pair: Sequence[Any], index: int, value: Any) -> Any:
    """Return a pair with one of its two values replaced."""
    return (value, pair[1]) if index == 0 else (pair[0], value)


# -- earlier states: a room keeps its moves, and a short mark of each state


def states(room: Room) -> Iterator[State]:
    """Yield the start, then the state after each move."""
    game = room.game
    state = game.start()
    yield state
    for event in room.moves:
        _, state, _ = game.advance(state, event.move)
        yield state


def state_at(room: Room, ply: int) -> State:
    """Return the state after a ply, from the text of its position: a long game need not be replayed."""
    return room.game.load(room.move_log[ply - 1].position) if ply else room.game.start()


def position_mark(state: State) -> bytes:
    """Return a short hash of a state: equal states have equal marks."""
    return hash(state).to_bytes(POSITION_MARK_BYTES, "little", signed=True)


def count_occurrences(room: Room, limit: int) -> int:
    """Return how often the current state has occurred, including now.

    Marks may collide. If the count by marks reaches `limit`, the states are replayed and compared.
    """
    marks, mark = room.position_marks, room.position_marks[-POSITION_MARK_BYTES:]
    if marks.rfind(mark, 0, -POSITION_MARK_BYTES) < 0:  # in long games this takes a quarter of the time of `count`
        return 1
    count = marks.count(mark)
    return count if count < limit else list(states(room)).count(room.state)
