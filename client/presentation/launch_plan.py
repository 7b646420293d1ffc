"""What somebody wants who starts the client: where to, as whom, and what for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from protocol.commands import Create, Join, Pair
from protocol.types import BotInfo, Options, TimeControl

NO_CLOCK = TimeControl()
BOT_AFTER = 20_000  # milliseconds that somebody at a terminal looks for people only
Errand = Literal["lobby", "play", "join", "watch"]


@dataclass(frozen=True, slots=True)
class Wish:
    """A game to be made. `vs`: who is invited; nobody in particular if empty. `usual`: it was not said whom.

    `pair`: whoever looks for the same; `bot_after` so many milliseconds a bot of the house will do, too.
    """

    game: str
    options: Options = field(default_factory=dict)
    clock: TimeControl = NO_CLOCK
    seat: int | None = None
    vs: str = ""
    usual: bool = False
    private: bool = False
    rated: bool = False
    pair: bool = False
    bot_after: int | None = None

    def among(self, bots: Sequence[BotInfo]) -> Wish:
        """Where the usual opponent is not among those who are there, another one: a bot of the house, best a search."""
        there = [bot for bot in bots if self.game in bot.plays]
        if not self.usual or any(bot.name == self.vs for bot in there):
            return self
        there.sort(key=lambda bot: (not bot.house, not bot.name.startswith("search")))
        return replace(self, vs=there[0].name if there else "")

    def command(self, id: int, alone: bool = False) -> Create | Pair:
        """`alone`: nobody else will come, so that there is no use in waiting for anybody but a bot."""
        if self.pair:
            return Pair(
                id=id,
                game=self.game,
                options=self.options,
                clock=self.clock,
                rated=self.rated,
                bot_after=0 if alone else self.bot_after,
            )
        return Create(
            id=id,
            game=self.game,
            options=self.options,
            clock=self.clock,
            seat=self.seat,
            invite=self.vs,
            private=self.private,
            rated=self.rated,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """`url` empty: the server of this machine, and where there is none (or `private`) one of our own.

    `kept`: not one whose games pass away with it.
    """

    errand: Errand = "lobby"
    url: str = ""
    private: bool = False
    kept: bool = False
    name: str = ""
    token: str = ""
    trust: str = ""
    wish: Wish | None = None
    rooms: tuple[str, ...] = ()
    code: str = ""

    def gives_up(self, alone: bool) -> bool:
        """Whether a new game ends those that were left: nobody waits there, and a house has only so many rooms."""
        return alone and self.errand == "play"

    def command(self, id: int, alone: bool, bots: Sequence[BotInfo] = ()) -> Create | Pair | Join:
        """What seats us: a room to be made, or one that waits. `bots`: those who are there."""
        assert self.wish is not None
        if self.errand == "join":
            return Join(id=id, room=self.rooms[0], code=self.code, seat=self.wish.seat)
        return (self.wish if alone else self.wish.among(bots)).command(id, alone)
