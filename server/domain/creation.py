"""How rooms begin: the first events of a new room, and of a rematch. Pure: names, codes and lots come from outside."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import GameError
from engine.registry import GAMES, create
from protocol.events import AnyEvent, Created, Presence
from protocol.types import Options, Player, TimeControl
from server.domain import clock
from server.domain.decision import Decision, Refusal, emit, event_fields
from server.domain.room import Room
from server.domain.seating import ACCOUNT_NEEDED, seated_event, start_if_ready


def resolve_options(game: str, options: Options, control: TimeControl) -> Options:
    """All options of a game that can be played, or a Refusal."""
    if game not in GAMES:
        raise Refusal("unknown_game", f"there is no game {game[:40]!r}; choose one of {', '.join(GAMES)}")
    wrong = clock.problem(control)
    if wrong is not None:
        raise Refusal("bad_clock", wrong)
    try:
        rules = create(game, options)
    except GameError as error:
        raise Refusal("bad_options", str(error)) from None
    if rules.pointless():
        raise Refusal("bad_options", rules.pointless())
    over = rules.judge(rules.start(), 0, 1)
    if over is not None:
        raise Refusal("bad_options", f"at this position the game is over ({over.result}, {over.reason})")
    return dict(rules.spec.options)


def check_rated(options: Options, who: Player | None) -> None:
    """Refusal for a rated game that cannot be; `who` is to have a seat in it."""
    if who is not None and not who.account:
        raise Refusal("account_needed", ACCOUNT_NEEDED)
    if "start" in options:
        raise Refusal("bad_options", "a rated game begins at the usual position; leave out start, or play a casual one")


def create_room(created: Created, who: Player, seat: int) -> Decision:
    """A new room in which its founder sits."""
    room = Room(created)
    founded = emit(room, seated_event(room, created.at, seat, who))
    return Decision((created, *founded.events), founded.room)


def create_arbitrated_room(created: Created) -> Decision:
    """A new room whose seats wait for two others."""
    return Decision((created,), Room(created))


def create_rematch(old: Room, name: str, now: int, here: Sequence[bool]) -> Decision:
    """The room of a rematch: the same game with the seats swapped. It begins once those who are not `here` are."""
    setup = old.setup
    created = Created(
        room=name,
        seq=1,
        at=now,
        game=setup.game,
        options=setup.options,
        clock=setup.clock,
        by=setup.by,
        private=setup.private,
        code=setup.code,
        rated=setup.rated,
        delay=setup.delay,
        illegal=setup.illegal,
        expiry=setup.expiry,
        previous=setup.room,
    )
    room = Room(created)
    events: list[AnyEvent] = [created]
    for seat in (0, 1):
        event = seated_event(room, now, seat, player_after_game(old, 1 - seat))
        room = emit(room, event).room
        events.append(event)
        if not here[1 - seat]:
            gone = Presence(**event_fields(room, now), seat=seat, online=False)
            room = emit(room, gone).room
            events.append(gone)
    return start_if_ready(Decision(tuple(events), room), now)


def player_after_game(old: Room, seat: int) -> Player:
    """Who sits there, as the game has left them."""
    player, end = old.seats[seat], old.ended
    assert player is not None  # decide sees to that
    rating, provisional = player.rating, player.provisional
    if end is not None and end.ratings is not None:
        rating, provisional = end.ratings[seat].after, end.ratings[seat].provisional
    return Player(id=player.player, name=player.name, account=player.account, rating=rating, provisional=provisional)
