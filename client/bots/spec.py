"""Any bot by its name, in a form that can be handed to another process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from random import Random

from client.bots.builtin.levels import LEVELS, PLAIN_NODES
from client.bots.builtin.names import COURSE_BOT, NAMES
from client.bots.builtin.rng import PositionRng
from client.bots.loader import LoadError, load
from client.sdk.bot import Bot, Isolation
from engine.course.players import make_player
from engine.errors import GameError
from engine.registry import GAMES, create

SLOW = re.compile(r"(minimax|alphabeta)\b")  # plain Python that may think for long


@dataclass(frozen=True, slots=True)
class BotSpec:
    """`bot`: a name of the house or FILE.py[:Class]. `seconds` and `level` are for search alone."""

    bot: str
    seconds: float | None = None
    level: int = 10
    seed: int | None = None

    @property
    def is_file(self) -> bool:
        return bool(re.search(r"\.py(:\w+)?$", self.bot))

    @property
    def name(self) -> str:
        """What it calls itself unless it is told otherwise."""
        if self.is_file:
            return load(self.bot).name or load(self.bot).__name__
        return self.bot if self.bot != "search" or self.level == 10 else f"search-{self.level}"

    @property
    def words(self) -> tuple[str, ...]:
        """What `parlour bot` calls it."""
        level = ("--level", str(self.level)) if self.bot == "search" else ()
        return (self.bot, *level, *(() if self.seed is None else ("--seed", str(self.seed))))

    @property
    def isolation(self) -> Isolation:
        if self.is_file:
            return load(self.bot).isolation
        slow = bool(SLOW.match(self.bot)) or (self.bot == "search" and find_spec("numba") is None)
        return "process" if slow else "thread"

    @property
    def games(self) -> tuple[str, ...]:
        """What it plays, all of it known here."""
        if not self.is_file:
            return tuple(game for game in GAMES if self._plays(game))
        wanted = load(self.bot).games or tuple(GAMES)
        unknown = [game for game in wanted if game not in GAMES]
        if unknown:
            raise LoadError(f"{self.bot} plays {unknown[0]!r}; there are {', '.join(GAMES)}")
        return tuple(wanted)

    def _plays(self, game: str) -> bool:
        """An evaluation behind a name may belong to one game alone."""
        if self.bot == "search":
            return True
        try:
            make_player(self.bot, create(game), Random(0))
        except GameError:
            return False
        return True

    def check(self) -> None:
        """LoadError or GameError if there is no such bot."""
        if self.is_file:
            load(self.bot)
        elif self.bot != "search" and not self.games:
            if not COURSE_BOT.match(self.bot):
                names = ", ".join(NAMES)
                raise LoadError(f"there is no bot {self.bot[:40]!r}; there are {names}, and your own as FILE.py")
            for game in GAMES:
                make_player(self.bot, create(game), Random(0))

    def maker(self) -> Callable[[], Bot]:
        """Makes a bot for every game."""
        if self.is_file:
            return load(self.bot)
        if self.bot == "search":
            from client.bots.builtin.search import SearchBot

            return lambda: SearchBot(PositionRng(self.seed), self.seconds, self.level)
        from client.bots.builtin.course import CourseBot

        return lambda: CourseBot(self.bot, PositionRng(self.seed))

    def warm(self, games: tuple[str, ...]) -> None:
        """Load what is slow to load, before any clock runs."""
        nodes = LEVELS[self.level].nodes
        if self.bot == "search" and self.isolation == "thread" and (nodes is None or nodes > PLAIN_NODES):
            from client.bots.builtin.search import warm

            warm(map(create, games))

    def dump(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> BotSpec:
        return cls(**json.loads(text))
