"""What each event changes in a room, which is a copy that nobody else holds yet. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from engine.game import State
from protocol.events import (
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
from protocol.types import Seat
from server.domain import clock
from server.domain.past import MARK, mark, state_at

if TYPE_CHECKING:
    from server.domain.room import Room

CHAT_KEPT = 50  # of what was said, for those who come late


def moved(room: Room, event: Moved, state: State) -> None:
    room.state = state
    if room.game.spec.repetition is not None:
        room.seen += mark(state)
    made = room.made
    if len(made) != room.ply:  # another version of this room has gone on already
        made = room.made = room.moves
    made.append(event)
    room.ply += 1
    room.clocks = clock.moved_on(room.clocks, event.side, event.at, event.took, event.charged, event.left)
    room.draw = room.takeback = None  # a move answers every offer


def seated(room: Room, event: Seated) -> None:
    seat = Seat(
        player=event.player,
        name=event.name,
        account=event.account,
        rating=event.rating,
        provisional=event.provisional,
    )
    room.seats = put(room.seats, event.seat, seat)
    room.away = put(room.away, event.seat, None)


def unseated(room: Room, event: Unseated) -> None:
    room.seats = put(room.seats, event.seat, None)
    room.away = put(room.away, event.seat, None)


def started(room: Room, event: Started) -> None:
    room.status = "running"
    room.started_at = event.at
    room.clocks = clock.wound(room.setup.clock, event.at)


def fouled(room: Room, event: Fouled) -> None:
    room.fouls = put(room.fouls, event.seat, event.fouls)


def draw_offered(room: Room, event: DrawOffered) -> None:
    room.draw = event.seat


def takeback_offered(room: Room, event: TakebackOffered) -> None:
    room.takeback = (event.seat, event.ply)


def rematch_offered(room: Room, event: RematchOffered) -> None:
    room.rematch = event.seat


def declined(room: Room, event: Declined) -> None:
    setattr(room, event.offer, None)


def taken_back(room: Room, event: TakenBack) -> None:
    """The clocks keep what they show: time that was used stays used."""
    room.state = state_at(room, event.ply)
    room.seen = room.seen[: MARK * (event.ply + 1)]
    room.made = room.made[: event.ply]
    room.ply = event.ply
    left, quota, _ = room.clocks
    room.clocks = left, quota, event.at
    room.draw = room.takeback = None


def ended(room: Room, event: Ended) -> None:
    room.status = "ended"
    room.ended = event
    if event.reason == "time":
        room.clocks = clock.run_out(room.clocks, room.turn)
    room.draw = room.takeback = None


def rematched(room: Room, event: Rematched) -> None:
    room.next = event.next
    room.rematch = None


def said(room: Room, event: Said) -> None:
    room.chat = (*room.chat[1 - CHAT_KEPT :], event)


def presence(room: Room, event: Presence) -> None:
    room.away = put(room.away, event.seat, None if event.online else event.at)


def resumed(room: Room, event: Resumed) -> None:
    """The house was away: the turn began that much later, and nobody is here yet."""
    left, quota, since = room.clocks
    room.clocks = left, quota, since + event.credit
    room.away = (
        event.at if room.seats[0] is not None else None,
        event.at if room.seats[1] is not None else None,
    )


CHANGES: dict[type[Any], Callable[[Room, Any], None]] = {
    Seated: seated,
    Unseated: unseated,
    Started: started,
    Fouled: fouled,
    DrawOffered: draw_offered,
    TakebackOffered: takeback_offered,
    RematchOffered: rematch_offered,
    Declined: declined,
    TakenBack: taken_back,
    Ended: ended,
    Rematched: rematched,
    Said: said,
    Presence: presence,
    Resumed: resumed,
}


def put(pair: Sequence[Any], index: int, value: Any) -> Any:
    """A pair with one of its two values changed."""
    return (value, pair[1]) if index == 0 else (pair[0], value)
