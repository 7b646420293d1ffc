"""Specification of a bot by name or file, in a form that can be passed to another process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from random import Random

from client.bots.builtin.levels import DEFAULT_TABLE_MB, LEVELS, MAX_PLAIN_NODES
from client.bots.builtin.names import COURSE_BOT, NAMES
from client.bots.builtin.rng import PositionRng
from client.bots.loader import LoadError, load
from client.sdk.bot import Bot, Isolation
from engine.course.players import make_player
from engine.errors import GameError
from engine.registry import GAMES, create

SLOW_BOT = re.compile(r"(minimax|alphabeta)\b")  # plain Python that may take long for a move


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A built-in name or FILE.py[:Class]. All fields but `bot` and `seed` apply to search only."""

    bot: str
    seconds: float | None = None
    level: int = 10
    seed: int | None = None
    threads: int = 1
    table_mb: float = DEFAULT_TABLE_MB

    @property
    def is_file(self) -> bool:
        return bool(re.search(r"\.py(:\w+)?$", self.bot))

    @property
    def name(self) -> str:
        """The bot's default player name."""
        if self.is_file:
            return load(self.bot).name or load(self.bot).__name__
        return self.bot if self.bot != "search" or self.level == 10 else f"search-{self.level}"

    @property
    def engine(self) -> str:
        """The program that plays."""
        return self.name if self.is_file else f"parlour {self.bot}"

    @property
    def version(self) -> str:
        """The version of the program: that of Parlour for built-in bots."""
        return load(self.bot).version if self.is_file else installed_version("parlour")

    @property
    def args(self) -> tuple[str, ...]:
        """The arguments of `parlour bot` that select this bot."""
        args = [self.bot]
        if self.bot == "search":
            args += ["--level", str(self.level)]
            args += [] if self.threads == 1 else ["--threads", str(self.threads)]
            args += [] if self.table_mb == DEFAULT_TABLE_MB else ["--table", f"{self.table_mb:g}"]
        return (*args, *(() if self.seed is None else ("--seed", str(self.seed))))

    @property
    def isolation(self) -> Isolation:
        if self.is_file:
            return load(self.bot).isolation
        slow = bool(SLOW_BOT.match(self.bot)) or (self.bot == "search" and find_spec("numba") is None)
        return "process" if slow else "thread"

    @property
    def games(self) -> tuple[str, ...]:
        """The games the bot plays. Raises LoadError if its class names an unknown game."""
        if not self.is_file:
            return tuple(game for game in GAMES if self._plays(game))
        wanted = load(self.bot).games or tuple(GAMES)
        unknown = [game for game in wanted if game not in GAMES]
        if unknown:
            raise LoadError(f"{self.bot} plays an unknown game {unknown[0]!r}; the games are {', '.join(GAMES)}")
        return tuple(wanted)

    def _plays(self, game: str) -> bool:
        """Return whether the bot's evaluation, if its name has one, belongs to this game."""
        if self.bot == "search":
            return True
        try:
            make_player(self.bot, create(game), Random(0))
        except GameError:
            return False
        return True

    def check(self) -> None:
        """Raise LoadError or GameError if there is no such bot."""
        if self.is_file:
            load(self.bot)
        elif self.bot != "search" and not self.games:
            if not COURSE_BOT.match(self.bot):
                names = f"{', '.join(NAMES)} (search@1 to search@10 are weaker)"
                raise LoadError(f"there is no bot {self.bot[:40]!r}; use {names}, or your own bot as FILE.py")
            for game in GAMES:
                make_player(self.bot, create(game), Random(0))

    def constructor(self) -> Callable[[], Bot]:
        """Return a function that creates a bot for one game."""
        if self.is_file:
            return load(self.bot)
        if self.bot == "search":
            from client.bots.builtin.search import SearchBot

            settings = self.seconds, self.level, self.threads, self.table_mb
            return lambda: SearchBot(PositionRng(self.seed), *settings)
        from client.bots.builtin.course import CourseBot

        return lambda: CourseBot(self.bot, PositionRng(self.seed))

    def warm(self, games: tuple[str, ...]) -> None:
        """Load the compiled searches if the bot needs them."""
        nodes = LEVELS[self.level].nodes
        if self.bot == "search" and self.isolation == "thread" and (nodes is None or nodes > MAX_PLAIN_NODES):
            from client.bots.builtin.search import warm

            warm(map(create, games), endgames=nodes is None)

    def dump(self) -> str:
        """Return the spec as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> BotSpec:
        """Return the spec that `dump` wrote."""
        return cls(**json.loads(text))
