"""Which games a bot accepts, and which it seeks. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.errors import GameError
from engine.registry import create
from protocol.replies import Snapshot
from protocol.types import Options, RoomInfo, TimeControl
from protocol.usernames import fold

Stakes = Literal["any", "rated", "casual"]


@dataclass(frozen=True, slots=True)
class Policy:
    """The games a bot accepts. Empty `opponents` accepts all players except `avoid`; names are folded.

    `options`: values that a room's options must have. `concurrent`: the most games at a time.
    """

    games: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    concurrent: int = 4
    stakes: Stakes = "any"
    opponents: frozenset[str] = frozenset()
    avoid: frozenset[str] = frozenset()
    takebacks: bool = True
    rematches: bool = True

    def objection(self, info: RoomInfo, me: str) -> str:
        """Return why the bot does not join this room, or "" if it does."""
        seated = {fold(seat.name) for seat in info.seats if seat is not None}
        invited = {fold(name) for name in info.players or ((info.invite,) if info.invite else ())}
        names = (seated | invited) - {fold(me)}
        if info.game not in self.games:
            return f"{info.game} is not one of its games"
        if info.status != "waiting" or None not in info.seats or fold(me) in seated:
            return "there is no free seat"
        if invited and fold(me) not in invited:
            return "another player is invited"
        if self.stakes != "any" and info.rated != (self.stakes == "rated"):
            return f"only {self.stakes} games"
        if self.opponents and not names <= self.opponents:
            return "not against this opponent"
        if names & self.avoid:
            return "not against this opponent"
        return self._option_problem(info)

    def _option_problem(self, info: RoomInfo) -> str:
        try:
            actual = create(info.game, info.options).spec.options
        except GameError as error:
            return str(error)
        for name, value in self.options.items():
            if name in actual and str(actual[name]) != value:
                return f"only with {name}={value}"
        return ""


@dataclass(frozen=True, slots=True)
class Seek:
    """A game the bot looks for. `opponent`: the player to invite, or "" for any.

    `bot_after`: milliseconds after which the server may pair a house bot.
    """

    game: str
    options: Options
    clock: TimeControl
    rated: bool = False
    opponent: str = ""
    bot_after: int | None = None

    def matches(self, room: Snapshot) -> bool:
        """Return whether a room was created for this seek."""
        mine = (self.game, self.clock, self.rated, fold(self.opponent))
        same = mine == (room.game, room.clock, room.rated, fold(room.invite))
        return same and create(self.game, self.options).spec.options == room.options
