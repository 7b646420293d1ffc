"""The first events of a room: by a player, by an arbiter, or for a rematch. Pure: the caller draws ids and sides."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import GameError
from engine.registry import GAMES, create
from protocol.events import AnyEvent, Created, Presence
from protocol.types import Options, Player, TimeControl
from server.domain import clock
from server.domain.decision import Decision, Refusal, emit
from server.domain.room import Room
from server.domain.seating import ACCOUNT_NEEDED, seated_event, start_if_ready


def resolve_options(game: str, options: Options, control: TimeControl) -> Options:
    """Return the options of a game with all defaults. Raises Refusal if the game cannot be played."""
    if game not in GAMES:
        raise Refusal("unknown_game", f"there is no game {game[:40]!r}; choose one of {', '.join(GAMES)}")
    problem = clock.problem(control)
    if problem is not None:
        raise Refusal("bad_clock", problem)
    try:
        rules = create(game, options)
    except GameError as error:
        raise Refusal("bad_options", str(error)) from None
    if rules.pointless():
        raise Refusal("bad_options", rules.pointless())
    end = rules.judge(rules.start(), 0, 1)
    if end is not None:
        raise Refusal("bad_options", f"the game is over at its start ({end.result}, {end.reason}): change the options")
    return dict(rules.spec.options)


def check_rated(options: Options, control: TimeControl, player: Player | None, *, openings: bool = False) -> None:
    """Raise Refusal if a game cannot be rated. `player` takes a seat in it; None for an arbiter.

    `openings`: it may begin at another position. An arbiter whom the operator has named plays each opening twice.
    """
    if player is not None and not player.account:
        raise Refusal("account_needed", ACCOUNT_NEEDED)
    if "start" in options and not openings:
        text = "a rated game begins at the usual position: leave out start, or play a casual game"
        raise Refusal("bad_options", text)
    if control.kind == "none":
        text = (
            "a rated game needs a clock: choose one, such as 5 minutes with 3 seconds per move, or play a casual game"
        )
        raise Refusal("bad_clock", text)


def create_room(created: Created, player: Player, seat: int) -> Decision:
    """Return the events of a new room in which its creator has a seat."""
    room = Room(created)
    seated = emit(room, seated_event(room, created.at, seat, player))
    return Decision((created, *seated.events), seated.room)


def create_arbitrated_room(created: Created) -> Decision:
    """Return the event of a new room with an arbiter: both seats are empty."""
    return Decision((created,), Room(created))


def create_rematch(old: Room, room_id: str, now: int, online: Sequence[bool]) -> Decision:
    """Return the events of a rematch: the same game with swapped seats.

    `online` tells which seats of the old room have a connected player. The game starts once both are. Without a clock,
    the rematch is casual: older logs have rated games without one. So is the rematch of an arbiter's opening.
    """
    setup = old.setup
    created = Created(
        room=room_id,
        seq=1,
        at=now,
        game=setup.game,
        options=setup.options,
        clock=setup.clock,
        by=setup.by,
        private=setup.private,
        code=setup.code,
        code_hash=setup.code_hash,
        rated=setup.rated and setup.clock.kind != "none" and "start" not in setup.options,
        delay=setup.delay,
        illegal=setup.illegal,
        expiry=setup.expiry,
        previous=setup.room,
    )
    room = Room(created)
    events: list[AnyEvent] = [created]
    for seat in (0, 1):
        seated = seated_event(room, now, seat, player_after_game(old, 1 - seat))
        room = emit(room, seated).room
        events.append(seated)
        if not online[1 - seat]:
            offline = Presence(**room.event_fields(now), seat=seat, online=False)
            room = emit(room, offline).room
            events.append(offline)
    return start_if_ready(Decision(tuple(events), room), now)


def player_after_game(old: Room, seat: int) -> Player:
    """Return the player of a seat, with the rating after the game."""
    player, end = old.seats[seat], old.ended
    assert player is not None  # a rematch needs both players
    rating, provisional = player.rating, player.provisional
    if end is not None and end.ratings is not None:
        rating, provisional = end.ratings[seat].after, end.ratings[seat].provisional
    return Player(
        id=player.player,
        name=player.name,
        account=player.account,
        rating=rating,
        provisional=provisional,
        bot=player.bot,
        engine=player.engine,
        version=player.version,
    )
