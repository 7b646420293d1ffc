"""Seats: join, leave, presence, and the start of a game once both players are online. Pure."""

from __future__ import annotations

from protocol.commands import Join
from protocol.events import Created, Presence, Rematched, Seated, Started, Unseated
from protocol.types import Player
from protocol.usernames import fold
from server.domain import clock
from server.domain.codes import is_code
from server.domain.decision import NO_RESULT, Decision, Refusal, emit, end_game
from server.domain.room import Room, apply

ACCOUNT_NEEDED = "a rated game needs an account: play a casual game, or ask the operator of the server for a token"


def join(room: Room, player: Player, command: Join, now: int) -> Decision:
    """Return the decision that seats a player. Raises Refusal."""
    if room.seat_of(player.id) is not None:
        raise Refusal("already_seated", "you already have a seat in this room")
    if room.status != "waiting":
        raise Refusal("seat_taken", "the game has already started: you can watch it")
    setup = room.setup
    if setup.rated and not player.account:
        raise Refusal("account_needed", ACCOUNT_NEEDED)
    names, invitation = invited_names(setup), find_invitation(setup, player)
    if names and invitation is None and (player.id != setup.by or setup.players is not None):
        raise Refusal("not_invited", f"this room is reserved for {' and '.join(names)}")
    if needs_code(room, player) and not is_code(setup, command.code):
        raise Refusal("bad_code", "wrong code for this private room: ask its creator for the code")
    if setup.players is not None and invitation is not None:
        return take_seat(room, player, free_seat(room, invitation), now)
    open_seats = [seat for seat in (0, 1) if room.seats[seat] is None]
    seat = command.seat if command.seat is not None else open_seats[0] if open_seats else 0
    return take_seat(room, player, free_seat(room, seat), now)


def free_seat(room: Room, seat: int) -> int:
    """Return the seat. Raises Refusal if a player has it, even one who is away."""
    if room.seats[seat] is not None:
        raise Refusal("seat_taken", f"seat {seat} is taken: leave out `seat` to get a free one")
    return seat


def invited_names(setup: Created) -> tuple[str, ...]:
    """Return the names of the players a room keeps its seats for."""
    return setup.players or ((setup.invite,) if setup.invite else ())


def find_invitation(setup: Created, player: Player) -> int | None:
    """Return the index of the invitation of a player, or None.

    An invitation is for the player who had the name when the room was created. If there was none, it is for any player
    with the name.
    """
    for number, name in enumerate(invited_names(setup)):
        invited = setup.invited_ids[number] if setup.invited_ids else ""
        if invited == player.id or (not invited and fold(name) == fold(player.name)):
            return number
    return None


def needs_code(room: Room, player: Player) -> bool:
    """Return whether a player must send the code of a private room.

    Its creator and its players need not, nor does an invited player who is known by more than a name: by an account, or
    by having been connected when the room was created.
    """
    setup = room.setup
    if not setup.private or player.id == setup.by or room.seat_of(player.id) is not None:
        return False
    invited = room.status == "waiting" and find_invitation(setup, player) is not None
    return not invited or not (player.account or player.id in setup.invited_ids)


def require_access(room: Room, player: Player, code: str) -> None:
    """Raise Refusal if a player may not watch a private room."""
    if needs_code(room, player) and not is_code(room.setup, code):
        raise Refusal("bad_code", "wrong code for this private room: ask its players for the code")


def take_seat(room: Room, player: Player, seat: int, now: int) -> Decision:
    return start_if_ready(emit(room, seated_event(room, now, seat, player)), now)


def seated_event(room: Room, now: int, seat: int, player: Player) -> Seated:
    return Seated(
        **room.event_fields(now),
        seat=seat,
        player=player.id,
        name=player.name,
        account=player.account,
        rating=player.rating,
        provisional=player.provisional,
        bot=player.bot,
        engine=player.engine,
        version=player.version,
    )


def start_if_ready(decision: Decision, now: int) -> Decision:
    """Return the decision, with the start of the game if both players are seated and online."""
    room = decision.room
    if room.status != "waiting" or None in room.seats or room.away != (None, None):
        return decision
    state = room.state
    left = None if room.setup.clock.kind == "none" else clock.initial_clocks(room.setup.clock, now)[0]
    started = Started(**room.event_fields(now), position=room.game.dump(state), turn=state.turn, left=left)
    return Decision((*decision.events, started), apply(room, started))


def leave(room: Room, seat: int, now: int) -> Decision:
    """Give up a seat of a waiting room, or go offline in a game.

    A waiting room without players ends, unless it has an arbiter.
    """
    if room.status != "waiting":
        return set_presence(room, seat, False, now)
    left = emit(room, Unseated(**room.event_fields(now), seat=seat))
    if left.room.seats != (None, None) or room.setup.players is not None:
        return left
    end = end_game(left.room, None, "aborted", now, NO_RESULT)
    return Decision(left.events + end.events, end.room)


def set_presence(room: Room, seat: int, online: bool, now: int) -> Decision:
    """Return the events of a player who goes online or offline: none if nothing changes or the game is over."""
    if room.status == "ended" or (room.away[seat] is None) == online:
        return Decision((), room)
    if not online and awaits_pairing(room):
        return end_game(room, None, "aborted", now, NO_RESULT)
    claim_at = None if online or room.status != "running" else now + clock.claim_delay(room.setup.clock)
    changed = Presence(**room.event_fields(now), seat=seat, online=online, claim_at=claim_at)
    decision = Decision((changed,), apply(room, changed))
    return start_if_ready(decision, now) if room.status == "waiting" else decision


def awaits_pairing(room: Room) -> bool:
    """Return whether the player of a room waits for quick pairing. The room ends if that player disconnects."""
    return room.setup.paired and room.status == "waiting"


def redirect(room: Room, next_room: str, now: int) -> Decision:
    """End a room that awaits pairing and send its player to another room, where the opponent waits."""
    rematched = emit(room, Rematched(**room.event_fields(now), next=next_room))
    end = end_game(rematched.room, None, "aborted", now, NO_RESULT)
    return Decision(rematched.events + end.events, end.room)
