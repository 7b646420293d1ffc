"""What is to be played, by whom and how: everything that is settled before the first game. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from engine.game import Game
from engine.options import OptionValue
from engine.registry import create

Format = Literal["round-robin", "gauntlet", "swiss", "knockout", "match", "grading"]
FORMATS: tuple[str, ...] = get_args(Format)


def file_of(bot: str) -> str:
    """The file of FILE.py or FILE.py:Class; "" for a bot of the house."""
    file, dot, _ = bot.partition(".py")
    return file + dot if dot else ""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player: a bot or a program that the runner starts, or (neither) somebody who connects under that name."""

    name: str
    bot: str = ""  # a name of the house like search@3, or FILE.py[:Class]
    exec: str = ""  # a command
    adapter: str = ""
    workdir: str = ""
    seconds: float = 0.0  # to think about a move; 0: as the clock allows
    depth: int = 4  # what {depth} stands for in a command
    memory: int = 2048
    retries: int = 0
    startup: float = 10.0
    ready: bool = False
    events: bool = False
    token: str = ""  # the environment variable that holds the token of an account
    at_a_time: int = 0  # games; 0: one for those who connect, as many as there are for the others
    student: bool = False

    @property
    def started(self) -> bool:
        """Whether the runner starts it, and is to blame when it goes away with the runner."""
        return bool(self.bot or self.exec)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test: is the difference `elo0` or less, or `elo1` or more? `alpha`, `beta`: how often it may err."""

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05


@dataclass(frozen=True, slots=True)
class Goal:
    """What a student is to reach.

    `beats`: wins against `against`, as sure as the test says. `points` of `games`, at least. `forfeits` in `games`, at
    most. `solves`: of these positions so many, each within so many seconds.
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
    rounds: int = 0  # 0: what is usual for the format
    games: int = 0  # of two players when they meet; with an SPRT at most
    opening_plies: int = -1  # moves by chance before the players begin; -1: as many as are usual
    concurrency: int = 4
    wait: float = 60.0  # seconds for a player to come
    longest: float = 3600.0  # seconds that a game may last
    illegal: int = 0
    rated: bool = False
    adjudicate: int = 0  # nodes to prove a result with; 0: games are played to their end
    url: str = ""
    sprt: Sprt | None = None
    extra: int = 2  # pairs of games that may decide a tie of a knockout
    goals: tuple[Goal, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.players)

    @property
    def students(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.players if player.student)

    def player(self, name: str) -> Contestant:
        return next(player for player in self.players if player.name == name)

    @property
    def ahead(self) -> int:
        """Pairs of games to have ready where it is not certain how many will be needed."""
        return 2 * self.concurrency

    def limit(self, name: str) -> int:
        """How many games this player plays at a time."""
        player = self.player(name)
        return player.at_a_time or (self.concurrency if player.started else 1)

    def create(self, start: str = "") -> Game:
        return create(self.game, {**self.options, **({"start": start} if start else {})})
