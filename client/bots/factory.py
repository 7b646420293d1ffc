"""What makes a bot for every game: a class, a name of the house, or a program that is not ours."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from client.bots.loader import LoadError
from client.bots.spec import BotSpec
from client.programs.adapters import ADAPTERS
from client.programs.adapters.base import check_placeholders
from client.programs.crash_report import default_folder
from client.programs.limits import Limits
from client.programs.line_bot import ExecBot, Pool
from client.programs.oneshot_bot import HomeworkBot
from client.programs.program import Program
from client.programs.workdir import Workshop
from client.sdk.bot import Bot
from engine.registry import GAMES

WORKER = (sys.executable, "-P", "-m", "client.bots.worker")  # -P: the working folder may hold anything
STARTUP = 30.0  # seconds that a process of ours may take to come up


def nothing() -> None:
    """There is nothing to do."""


def nothing_for(games: tuple[str, ...]) -> None:
    """There is nothing to load."""


@dataclass(frozen=True, slots=True)
class BotFactory:
    """`source`: the words with which `parlour bot` gets it. `warm` has the first bot ready before any of these games
    begins; `close` gets rid of whatever still waits.
    """

    name: str
    source: tuple[str, ...]
    games: tuple[str, ...]
    make: Callable[[], Bot]
    warm: Callable[[tuple[str, ...]], None] = nothing_for
    close: Callable[[], None] = nothing


def spec_factory(recipe: BotSpec, forensics: Path | None = None, lazy: bool = False) -> BotFactory:
    """LoadError or GameError if there is no such bot. `lazy`: load nothing before it is needed."""
    recipe.check()
    if recipe.isolation == "thread":
        return BotFactory(recipe.name, recipe.words, recipe.games, recipe.maker(), nothing_for if lazy else recipe.warm)
    program = Program(
        (*WORKER, recipe.dump()),
        limits=Limits(startup=STARTUP, memory=0, file=0),
        ready=True,
        events=True,
        name=recipe.name,
        forensics=forensics or default_folder(),
    )
    pool = Pool(program)
    return BotFactory(recipe.name, recipe.words, recipe.games, lambda: ExecBot(pool), nothing_for, pool.close)


def class_factory(bot: type[Bot], forensics: Path | None = None) -> BotFactory:
    """A class of the caller's own. In a process of its own it is loaded from its file, so it needs to have one."""
    games = tuple(bot.games) or tuple(GAMES)
    unknown = [game for game in games if game not in GAMES]
    if unknown:
        raise LoadError(f"{bot.__name__} plays {unknown[0]!r}; there are {', '.join(GAMES)}")
    name = bot.name or bot.__name__
    try:
        source = f"{Path(inspect.getfile(bot)).resolve()}:{bot.__qualname__}"
    except (OSError, TypeError):
        source = ""
    if bot.isolation == "thread":
        return BotFactory(name, (source or name,), games, bot)
    if not source or "<locals>" in source:
        raise LoadError(f"{bot.__name__} with isolation 'process' must stand at the top of a file")
    return spec_factory(BotSpec(source), forensics)


def program_factory(program: Program, games: tuple[str, ...], source: tuple[str, ...] = ()) -> BotFactory:
    pool = Pool(program)
    return BotFactory(program.name, source, games, lambda: ExecBot(pool), lambda games: pool.warm(), pool.close)


def oneshot_factory(
    program: Program, adapter: str, copied: Path | None = None, source: tuple[str, ...] = ()
) -> BotFactory:
    """Failure if the adapter cannot fill in what the command asks for."""
    chosen, workshop = ADAPTERS[adapter], Workshop(copied, program.forensics)
    check_placeholders(program.words, chosen)
    return BotFactory(
        program.name,
        source,
        (chosen.game,),
        lambda: HomeworkBot(program, chosen, workshop),
        lambda games: workshop.check(),
        workshop.close,
    )
