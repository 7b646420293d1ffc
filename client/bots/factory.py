"""Factories that create a bot for each game: from a spec, a class, or an external program."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from client.bots.loader import LoadError
from client.bots.spec import BotSpec
from client.programs.adapters import ADAPTERS
from client.programs.adapters.base import check_placeholders
from client.programs.crash_report import default_crash_folder
from client.programs.interactive_bot import InteractiveBot
from client.programs.jail.base import Jail
from client.programs.limits import Limits
from client.programs.line_bot import LineBot, ProgramPool
from client.programs.oneshot_bot import OneShotBot
from client.programs.program import Program, program_name
from client.programs.recipe import Recipe
from client.programs.ugi_bot import UgiBot
from client.programs.workdir import WorkdirFactory
from client.sdk.bot import Bot
from engine.registry import GAMES

WORKER = (sys.executable, "-P", "-m", "client.bots.worker")  # -P: do not import from the working folder
WORKER_STARTUP_S = 30.0
PACKAGES = ("parlour", "client", "server", "engine", "protocol", "runtime")


def close_nothing() -> None:
    """Do nothing: the factory holds no resources."""


def warm_nothing(games: tuple[str, ...]) -> None:
    """Do nothing: the bot has nothing to load."""


@dataclass(frozen=True, slots=True)
class BotFactory:
    """Creates bots. `source`: the arguments of `parlour bot` that select the bot. `engine`, `version`: as in `hello`.

    `warm` loads what the given games need before a clock runs. `close` releases idle resources.
    """

    name: str
    source: tuple[str, ...]
    games: tuple[str, ...]
    make: Callable[[], Bot]
    warm: Callable[[tuple[str, ...]], None] = warm_nothing
    close: Callable[[], None] = close_nothing
    engine: str = ""
    version: str = ""
    whole_games: bool = False  # the bot plays only games that it has played from their start


def spec_factory(spec: BotSpec, forensics: Path | None = None, lazy: bool = False) -> BotFactory:
    """Return the factory of a spec. `lazy`: load nothing in advance. Raises LoadError or GameError."""
    spec.check()
    if spec.isolation == "thread":
        return BotFactory(
            spec.name,
            spec.args,
            spec.games,
            spec.constructor(),
            warm_nothing if lazy else spec.warm,
            engine=spec.engine,
            version=spec.version,
        )
    program = Program(
        (*WORKER, spec.dump()),
        limits=Limits(startup=WORKER_STARTUP_S, memory=0, file=0),
        ready=True,
        events=True,
        name=spec.name,
        forensics=forensics or default_crash_folder(),
    )
    pool = ProgramPool(program)
    return BotFactory(
        spec.name,
        spec.args,
        spec.games,
        lambda: LineBot(pool),
        close=pool.close,
        engine=spec.engine,
        version=spec.version,
    )


def jailed_factory(spec: BotSpec, jail: Jail, limits: Limits, forensics: Path, name: str = "") -> BotFactory:
    """Return the factory of a bot in a file whose code runs only in a jail. This process never imports the file.

    So its name and its games are not known here: the file's name is the bot's, and it is offered all games.
    """
    known = name or Path(spec.bot.partition(":")[0]).stem
    program = Program(
        (*WORKER, spec.dump()),
        limits=replace(limits, startup=max(limits.startup, WORKER_STARTUP_S)),
        jail=jail,
        ready=True,
        events=True,
        name=known,
        forensics=forensics,
    )
    pool = ProgramPool(program)
    return BotFactory(
        known, spec.args, tuple(GAMES), lambda: LineBot(pool), lambda games: pool.warm(), pool.close, engine=known
    )


def worker_packages() -> tuple[Path, ...]:
    """Return the folders of Parlour's packages that a worker and a bot import."""
    found = filter(None, map(find_spec, PACKAGES))
    return tuple(Path(folder) for spec in found for folder in spec.submodule_search_locations or ())


def class_factory(bot: type[Bot], forensics: Path | None = None) -> BotFactory:
    """Return the factory of a bot class. Raises LoadError.

    A class with isolation "process" is loaded from its file by the worker, so it must be defined at module level.
    """
    games = tuple(bot.games) or tuple(GAMES)
    unknown = [game for game in games if game not in GAMES]
    if unknown:
        raise LoadError(f"{bot.__name__} plays an unknown game {unknown[0]!r}; the games are {', '.join(GAMES)}")
    name = bot.name or bot.__name__
    try:
        source = f"{Path(inspect.getfile(bot)).resolve()}:{bot.__qualname__}"
    except (OSError, TypeError):
        source = ""
    if bot.isolation == "thread":
        return BotFactory(name, (source or name,), games, bot, engine=name, version=bot.version)
    if not source or "<locals>" in source:
        raise LoadError(f"{bot.__name__} has isolation 'process' and must be defined at the top level of a file")
    return spec_factory(BotSpec(source), forensics)


def program_factory(program: Program, games: tuple[str, ...], source: tuple[str, ...] = ()) -> BotFactory:
    """Return the factory of an external program that keeps running, and speaks the line protocol or UGI."""
    pool, bot = ProgramPool(program), UgiBot if program.protocol == "ugi" else LineBot
    return BotFactory(
        program.name,
        source,
        games,
        lambda: bot(pool),
        lambda games: pool.warm(),
        pool.close,
        engine=program_name(program.argv),
    )


def interactive_factory(program: Program, recipe: Recipe, source: tuple[str, ...] = ()) -> BotFactory:
    """Return the factory of a program for a person at a terminal, which a recipe describes."""
    return BotFactory(
        program.name,
        source,
        (recipe.game,),
        lambda: InteractiveBot(program, recipe),
        engine=program_name(program.argv),
        whole_games=True,
    )


def oneshot_factory(
    program: Program, adapter: str, copied: Path | None = None, source: tuple[str, ...] = ()
) -> BotFactory:
    """Return the factory of a program that is run once per move, through an adapter.

    Raises Failure if the command has placeholders that the adapter does not fill.
    """
    chosen, workdirs = ADAPTERS[adapter], WorkdirFactory(copied, program.forensics)
    check_placeholders(program.argv, chosen)
    return BotFactory(
        program.name,
        source,
        (chosen.game,),
        lambda: OneShotBot(program, chosen, workdirs),
        lambda games: workdirs.check(),
        workdirs.close,
        engine=program_name(program.argv),
    )
