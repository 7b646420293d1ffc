"""The plan of a tournament: everything that is fixed before the first game. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from client.programs.program import Protocol
from engine.game import Game
from engine.options import OptionValue
from engine.registry import create

Format = Literal["round-robin", "gauntlet", "swiss", "knockout", "match", "grading"]
FORMATS: tuple[str, ...] = get_args(Format)


def bot_file(bot: str) -> str:
    """Return the file of FILE.py or FILE.py:Class, or "" for a built-in bot."""
    file, dot, _ = bot.partition(".py")
    return file + dot if dot else ""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player: a bot or a program that the runner starts, or, with neither, a client that connects under this name."""

    name: str
    bot: str = ""  # a built-in bot like search@3, or FILE.py[:Class]
    exec: str = ""  # a command line
    adapter: str = ""
    protocol: Protocol = "lines"
    workdir: str = ""
    seconds: float = 0.0  # per move; 0: as the clock allows
    lenient: bool = False
    depth: int = 4  # the value of {depth} in the command line
    memory: int = 2048  # MB
    processes: int = 64  # in a jail
    disk: int = 256  # MB of files, in a jail
    retries: int = 0
    startup: float = 10.0  # seconds
    ready: bool = False
    events: bool = False
    token: str = ""  # the environment variable that holds the token of an account
    at_a_time: int = 0  # concurrent games; 0: one for players who connect, no limit for the others
    student: bool = False

    @property
    def started(self) -> bool:
        """Whether the runner starts this player. Such a player disconnects when the runner stops."""
        return bool(self.bot or self.exec)

    @property
    def foreign(self) -> bool:
        """Whether the runner starts code that is not part of Parlour."""
        return bool(self.exec or bot_file(self.bot))


SprtModel = Literal["logistic", "normalized"]


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test whether the first player is at most `elo0` or at least `elo1` stronger.

    `alpha`, `beta`: the error rates. `model`: whether the bounds are logistic Elo, which says how many points a player
    scores, or normalized Elo, which says how many games it takes to see the difference.
    """

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05
    model: SprtModel = "logistic"


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal that students have to reach.

    `beats`: win against `against`, according to the SPRT. `points`: score at least this many points in `games` games.
    `forfeits`: lose at most this many of `games` games by forfeit. `solves`: find the best move in at least `needed` of
    `positions`, within `seconds` each.
    """

    kind: Literal["beats", "points", "forfeits", "solves"]
    name: str
    against: str = ""
    games: int = 0
    sprt: Sprt = Sprt()
    points: float = 0.0
    forfeits: int = 0
    positions: tuple[str, ...] = ()
    needed: int = 0
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Plan:
    name: str
    game: str
    format: Format
    players: tuple[Contestant, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    clock: str = "none"
    seed: int = 1
    rounds: int = 0  # 0: the default of the format
    games: int = 0  # per meeting of two players; with an SPRT the maximum
    opening_plies: int = -1  # random moves before the players begin; -1: the default
    openings: tuple[str, ...] = ()  # positions to begin at, in turn, instead of random ones
    balanced: bool = False  # choose openings by value, instead of random ones
    same_openings: bool = False  # every pair of players gets the same openings
    concurrency: int = 4
    wait: float = 60.0  # seconds to wait for a player
    longest: float = 3600.0  # maximum seconds per game
    illegal: int = 0
    rated: bool = False
    adjudicate: int = 0  # node limit of a proof; 0: no adjudication
    url: str = ""
    sprt: Sprt | None = None
    extra: int = 2  # extra pairs for a level knockout tie
    goals: tuple[Goal, ...] = ()
    jail: str = "none"  # for programs and bots in files: auto, bwrap, docker or none
    jail_image: str = ""
    jail_allow: tuple[str, ...] = ()  # paths that programs may read
    jail_cores: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.players)

    @property
    def students(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.players if player.student)

    def player(self, name: str) -> Contestant:
        return next(player for player in self.players if player.name == name)

    @property
    def pairs_ahead(self) -> int:
        """Number of pairs to schedule in advance when the total is not known yet."""
        return 2 * self.concurrency

    def limit(self, name: str) -> int:
        """Return the number of games this player plays concurrently."""
        player = self.player(name)
        return player.at_a_time or (self.concurrency if player.started else 1)

    def create(self, start: str = "") -> Game:
        """Return the game, starting from `start` or from the usual position."""
        return create(self.game, {**self.options, **({"start": start} if start else {})})
