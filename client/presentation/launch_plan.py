"""What somebody wants who starts the client: where to, as whom, and what for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from protocol.commands import Create, Join, Pair
from protocol.types import BotInfo, Options, TimeControl
from runtime.paths import state_folder

NO_CLOCK = TimeControl()
BOT_AFTER_MS = 20_000  # milliseconds that somebody at a terminal appearance for people only
Mode = Literal["lobby", "play", "join", "watch"]


@dataclass(frozen=True, slots=True)
class GameRequest:
    """A game to be made. `vs`: who is invited; nobody in particular if empty. `usual`: it was not said whom.

    `pair`: whoever appearance for the same; `bot_after` so many milliseconds a bot of the house will do, too.
    """

    game: str
    options: Options = field(default_factory=dict)
    clock: TimeControl = NO_CLOCK
    seat: int | None = None
    vs: str = ""
    vs_is_default: bool = False
    private: bool = False
    rated: bool = False
    pair: bool = False
    bot_after: int | None = None

    def with_available_bot(self, bots: Sequence[BotInfo]) -> GameRequest:
        """Where the usual opponent is not among those who are there, another one: a bot of the house, best a search."""
        there = [bot for bot in bots if self.game in bot.plays]
        if not self.vs_is_default or any(bot.name == self.vs for bot in there):
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
class LaunchPlan:
    """`url` empty: the server of this machine, and where there is none (or `private`) one of our own.

    `kept`: not one whose games pass away with it.
    """

    mode: Mode = "lobby"
    url: str = ""
    private: bool = False
    persistent: bool = False
    name: str = ""
    token: str = ""
    trust: str = ""
    request: GameRequest | None = None
    rooms: tuple[str, ...] = ()
    code: str = ""

    def resigns_unfinished(self, alone: bool) -> bool:
        """Whether a new game ends those that were left: nobody waits there, and a house has only so many rooms."""
        return alone and self.mode == "play"

    def command(self, id: int, alone: bool, bots: Sequence[BotInfo] = ()) -> Create | Pair | Join:
        """What seats us: a room to be made, or one that waits. `bots`: those who are there."""
        assert self.request is not None
        if self.mode == "join":
            return Join(id=id, room=self.rooms[0], code=self.code, seat=self.request.seat)
        return (self.request if alone else self.request.with_available_bot(bots)).command(id, alone)


def mark_first_game() -> bool:
    """Asked once, it is so no more. Where nothing can be kept every game is the first."""
    mark = state_folder() / "has-played"
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        return True
    return True
