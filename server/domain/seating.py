"""Coming and going. Pure."""

from __future__ import annotations

from protocol.commands import Join
from protocol.events import Presence, Rematched, Seated, Started, Unseated
from protocol.types import Player
from protocol.usernames import fold
from server.domain import clock
from server.domain.decision import NO_RESULT, Decision, Refusal, emit, end_game, event_fields
from server.domain.room import Room, apply

ACCOUNT_NEEDED = "a rated game is for names with a token; play a casual one, or ask whoever runs the server for a token"


def join(room: Room, who: Player, command: Join, now: int) -> Decision:
    if room.seat_of(who.id) is not None:
        raise Refusal("already_seated", "you have a seat in this room")
    if room.status != "waiting":
        raise Refusal("seat_taken", "the game has begun without you; you can watch it")
    setup = room.setup
    if setup.rated and not who.account:
        raise Refusal("account_needed", ACCOUNT_NEEDED)
    if setup.invite and who.id != setup.by and fold(who.name) != fold(setup.invite):
        raise Refusal("not_invited", f"this room waits for {setup.invite}")
    if setup.players is not None:
        return take_assigned_seat(room, who, now)
    if setup.private and setup.code != command.code and not setup.invite:
        raise Refusal("bad_code", "this room is private and that is not its code")
    open_seats = [seat for seat in (0, 1) if room.seats[seat] is None]
    seat = command.seat if command.seat is not None else open_seats[0] if open_seats else 0
    if seat not in open_seats:
        raise Refusal("seat_taken", f"seat {seat} is taken")
    return take_seat(room, who, seat, now)


def take_assigned_seat(room: Room, who: Player, now: int) -> Decision:
    """In a room that was made for two by their names each has one seat."""
    names = [fold(name) for name in room.setup.players or ()]
    if fold(who.name) not in names:
        raise Refusal("not_invited", f"this room waits for {' and '.join(room.setup.players or ())}")
    seat = names.index(fold(who.name))
    if room.seats[seat] is not None and room.away[seat] is None:
        raise Refusal("seat_taken", f"seat {seat} is taken")
    return take_seat(room, who, seat, now)


def take_seat(room: Room, who: Player, seat: int, now: int) -> Decision:
    return start_if_ready(emit(room, seated_event(room, now, seat, who)), now)


def seated_event(room: Room, now: int, seat: int, who: Player) -> Seated:
    return Seated(
        **event_fields(room, now),
        seat=seat,
        player=who.id,
        name=who.name,
        account=who.account,
        rating=who.rating,
        provisional=who.provisional,
    )


def start_if_ready(decision: Decision, now: int) -> Decision:
    """A game begins as soon as both players are here."""
    room = decision.room
    if room.status != "waiting" or None in room.seats or room.away != (None, None):
        return decision
    state = room.state
    left = None if room.setup.clock.kind == "none" else clock.initial_clocks(room.setup.clock, now)[0]
    begun = Started(**event_fields(room, now), position=room.game.dump(state), turn=state.turn, left=left)
    return Decision((*decision.events, begun), apply(room, begun))


def leave(room: Room, seat: int, now: int) -> Decision:
    """Before the start a seat is given back; the last one out ends the room, unless it has an arbiter."""
    if room.status != "waiting":
        return set_presence(room, seat, False, now)
    gone = emit(room, Unseated(**event_fields(room, now), seat=seat))
    if gone.room.seats != (None, None) or room.setup.players is not None:
        return gone
    end = end_game(gone.room, None, "aborted", now, NO_RESULT)
    return Decision(gone.events + end.events, end.room)


def set_presence(room: Room, seat: int, online: bool, now: int) -> Decision:
    """A player comes or goes; no events where that is known already or of no consequence any more."""
    if room.status == "ended" or (room.away[seat] is None) == online:
        return Decision((), room)
    if not online and awaits_pairing(room):
        return end_game(room, None, "aborted", now, NO_RESULT)
    claim_at = None if online or room.status != "running" else now + clock.claim_delay(room.setup.clock)
    came = Presence(**event_fields(room, now), seat=seat, online=online, claim_at=claim_at)
    return start_if_ready(emit(room, came), now)


def awaits_pairing(room: Room) -> bool:
    """Such a wait ends with the connection of who waits: nobody is to be paired with who is not there."""
    return room.setup.paired and room.status == "waiting"


def redirect(room: Room, next_room: str, now: int) -> Decision:
    """Who waits here has found an opponent in another room."""
    over = emit(room, Rematched(**event_fields(room, now), next=next_room))
    gone = end_game(over.room, None, "aborted", now, NO_RESULT)
    return Decision(over.events + gone.events, gone.room)
