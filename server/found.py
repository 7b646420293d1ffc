"""How rooms begin: the first events of a new room, and of a rematch. Pure: names, codes and lots come from outside."""

from __future__ import annotations

from engine.errors import GameError
from engine.registry import GAMES, create
from engine.replay import judge
from protocol import messages as m
from protocol.messages import AnyEvent, Created, Options, Player, TimeControl
from server import clock
from server.decide import Decision, Refusal, head, start, then
from server.room import Room


def settle(game: str, options: Options, control: TimeControl) -> Options:
    """All options of a game that can be played, or a Refusal."""
    if game not in GAMES:
        raise Refusal("unknown_game", f"there is no game {game[:40]!r}; there are {', '.join(GAMES)}")
    wrong = clock.problem(control)
    if wrong is not None:
        raise Refusal("bad_clock", wrong)
    try:
        rules = create(game, options)
    except GameError as error:
        raise Refusal("bad_options", str(error)) from None
    settled = dict(rules.spec.options)
    if game == "cohcoh" and int(settled["k"]) > int(settled["n"]):  # RULES: it can only be drawn
        raise Refusal(
            "bad_options", f"k = {settled['k']} in a line do not fit on a board of {settled['n']} x {settled['n']}"
        )
    over = judge(rules, rules.start(), 0, 1)
    if over is not None:
        raise Refusal("bad_options", f"at this position the game is over ({over.result}, {over.reason})")
    return settled


def found(created: Created, who: Player, seat: int) -> Decision:
    """A new room in which its founder sits."""
    room = Room(created)
    seated = m.Seated(**head(room, created.at), seat=seat, player=who.id, name=who.name, account=who.account)
    founded = then(room, seated)
    return Decision((created, *founded.events), founded.room)


def arbitrated(created: Created) -> Decision:
    """A new room whose seats wait for two others."""
    return Decision((created,), Room(created))


def again(old: Room, name: str, now: int) -> Decision:
    """The room of a rematch: the same game with the seats swapped."""
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
        player = old.seats[1 - seat]
        assert player is not None  # a rematch needs both; decide sees to that
        seated = m.Seated(**head(room, now), seat=seat, player=player.player, name=player.name, account=player.account)
        room = then(room, seated).room
        events.append(seated)
    return start(Decision(tuple(events), room), now)
