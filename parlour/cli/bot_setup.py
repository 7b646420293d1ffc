"""Build and run a bot from the arguments of `parlour bot`."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from client.bots.builtin.levels import LEVELS
from client.bots.factory import (
    BotFactory,
    interactive_factory,
    jailed_factory,
    oneshot_factory,
    program_factory,
    spec_factory,
    worker_packages,
)
from client.bots.game_loop import PlaySettings
from client.bots.loader import LoadError
from client.bots.main import ConnectionSettings, play
from client.bots.move_request import BotSource, request_move
from client.bots.policy import Policy, Seek
from client.bots.source_digest import digest_sources
from client.bots.spec import BotSpec
from client.programs import recipe as recipes
from client.programs.adapters import ADAPTERS
from client.programs.crash_report import default_crash_folder
from client.programs.failure import Failure
from client.programs.jail.base import FolderAccess, Jail
from client.programs.jail.choice import JailSettings, choose
from client.programs.limits import Limits
from client.programs.program import Program, parse_command, program_name, with_absolute_paths
from client.sdk.bot import Budget
from client.sdk.credentials import is_replaceable
from client.sdk.errors import SessionError
from client.sdk.time_control import default_clock, parse_time_control
from engine.registry import GAMES, create
from parlour.cli.args import options_of
from parlour.cli.dry_run import try_program
from parlour.cli.house_bots import parse_bot_name
from parlour.errors import UserError
from protocol.usernames import fold
from runtime.event_loop import run_loop
from runtime.file_errors import describe_file_error
from runtime.printable import print_error, print_line


def run_bot(args: Namespace) -> int:
    """Run the bot and return the exit code: 1 if it failed, or played fewer games than --count. Raises UserError."""
    if args.tried is not None and args.exec is None:
        args.exec = args.tried
    try:
        factory = with_version(args, factory_of(args))
        if args.tried is not None:
            return run_loop(try_program(args, factory, play_settings_of(args, factory).source))
        if args.ask is not None:
            return run_loop(ask_once(args, factory))
        runner = run_loop(
            play(
                connection_of(args),
                factory,
                policy_of(args, factory),
                play_settings_of(args, factory),
                seeks=seeks_of(args, factory),
                open_rooms=args.open,
                games=1 if args.challenge and args.count is None else args.count,
            )
        )
    except Failure as failure:
        raise UserError(f"{args.bot or args.exec} cannot be started: {failure}") from None
    except (LoadError, SessionError) as error:
        raise UserError(str(error)) from None
    if runner.failed:
        games = "1 game" if runner.failed == 1 else f"{runner.failed} games"
        print_error(f"the bot failed in {games}; the lines above say how")
    return 1 if runner.failed or runner.played < (args.count or 0) else 0


def factory_of(args: Namespace) -> BotFactory:
    if (args.bot is None) == (args.exec is None):
        raise UserError("name either a bot (a built-in one or a file), or a program with --exec")
    if args.level not in LEVELS:
        raise UserError(f"--level must be from 1 to 10, not {args.level}")
    if args.ask is None and (args.position is not None or args.moves):
        raise UserError("--position and --moves need --ask")
    if args.bot is not None:
        for name in ("adapter", "workdir", "ready", "events", "lenient"):
            if getattr(args, name):
                raise UserError(f"--{name} needs --exec")
        if args.protocol != "lines":
            raise UserError("--protocol needs --exec")
        spec = BotSpec(args.bot, level=args.level)
        if args.bot.startswith("search@"):
            spec = parse_bot_name(args.bot)
        spec = replace(spec, seconds=args.seconds, seed=args.seed, threads=args.threads, table_mb=args.table)
        if spec.is_file and args.jail != "none":
            return jailed_bot_of(args, spec)
        return spec_factory(spec, args.forensics, lazy=args.lazy)
    return program_of(args)


def with_version(args: Namespace, factory: BotFactory) -> BotFactory:
    """Return the factory with the version that others see. A bot on a ladder always has one."""
    version = args.bot_version or factory.version
    if args.ladder and not args.bot_version and args.bot is not None and not BotSpec(args.bot).is_file:
        version = f"{factory.name} {version}"  # a level of a built-in bot is a version of its own
    if args.ladder and not version:
        version = digest_sources(args.bot or args.exec, args.workdir)
    return replace(factory, version=version)


def jailed_bot_of(args: Namespace, spec: BotSpec) -> BotFactory:
    path, colon, name = spec.bot.partition(".py")
    file = Path(path + colon).resolve()
    if not file.is_file():
        raise UserError(f"there is no file {file}: check the name")
    jail = jail_of(args, "empty", (file, *worker_packages()))
    if not jail.confines:
        return spec_factory(spec, args.forensics, lazy=args.lazy)
    forensics = args.forensics or default_crash_folder()
    return jailed_factory(replace(spec, bot=f"{file}{name}"), jail, limits_of(args), forensics, args.name)


def jail_of(args: Namespace, folder: FolderAccess, needed: tuple[Path, ...] = ()) -> Jail:
    """Return the jail of the arguments. Raises Failure if it does not work here. Print which one "auto" means."""
    allowed = tuple(path.resolve() for path in args.jail_allow)
    missing = [path for path in allowed if not path.exists()]
    if missing:
        raise UserError(f"--jail-allow: there is no {missing[0]}: check the name")
    jail = choose(JailSettings(args.jail, args.jail_image, (*needed, *allowed), args.jail_cores), folder)
    if args.jail == "auto":
        print_error(jail.enforced(limits_of(args)))
    return jail


def limits_of(args: Namespace) -> Limits:
    return Limits(startup=args.startup, memory=args.memory, cpu=args.cpu, processes=args.processes, disk=args.disk)


def program_of(args: Namespace) -> BotFactory:
    recipe = recipes.load(Path(args.adapter)) if (args.adapter or "").endswith(recipes.SUFFIX) else None
    if args.adapter is not None and recipe is None and args.adapter not in ADAPTERS:
        names = f"{', '.join(ADAPTERS)}, or a recipe, FILE{recipes.SUFFIX}"
        raise UserError(f"there is no adapter {args.adapter[:40]!r}; choose one of {names}")
    if args.adapter is not None and args.protocol != "lines":
        raise UserError("use either --adapter or --protocol ugi, not both")
    oneshot = args.adapter is not None and recipe is None
    folder = args.workdir or Path.cwd()
    argv = parse_command(args.exec, folder)
    if args.workdir is None and (oneshot or args.jail != "none"):
        argv = (argv[0], *with_absolute_paths(argv[1:]))
    program = Program(
        argv=argv,
        folder=folder.absolute(),
        limits=limits_of(args),
        jail=jail_of(args, "writable" if oneshot else "empty" if args.workdir is None else "copied"),
        protocol=args.protocol,
        ready=args.ready,
        events=args.events,
        retries=args.retries,
        depth=args.depth,
        lenient=args.lenient,
        name=args.name or program_name(argv),
        forensics=args.forensics or default_crash_folder(),
    )
    if recipe is not None:
        return interactive_factory(program, recipe, source_of(args))
    if args.adapter is not None:
        return oneshot_factory(program, args.adapter, args.workdir, source_of(args))
    return program_factory(program, tuple(GAMES), source_of(args))


def source_of(args: Namespace) -> tuple[str, ...]:
    """Return the arguments that start the same program again, for crash reports."""
    names = ("adapter", "protocol", "workdir", "depth", "startup", "memory", "cpu", "processes", "disk", "jail")
    values = {name: getattr(args, name) for name in names}
    words = [word for name, value in values.items() if value is not None for word in (f"--{name}", str(value))]
    return (
        "--exec",
        args.exec,
        *words,
        *(f"--{name}" for name in ("ready", "events", "lenient") if getattr(args, name)),
    )


def split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def policy_of(args: Namespace, factory: BotFactory) -> Policy:
    wanted = split_names(args.games) or list(factory.games)
    for game in wanted:
        if game not in factory.games:
            raise UserError(f"{factory.name} does not play {game[:40]!r}; it plays {', '.join(factory.games)}")
    return Policy(
        games=tuple(wanted),
        options={name: str(value) for name, value in options_of(args).items()},
        concurrent=args.concurrent,
        stakes=args.stakes or "any",
        opponents=frozenset(fold(name) for name in split_names(args.opponents)),
        avoid=frozenset(fold(name) for name in split_names(args.avoid)),
    )


def play_settings_of(args: Namespace, factory: BotFactory) -> PlaySettings:
    return PlaySettings(
        move_timeout=args.deadline,
        seconds=args.seconds,
        human=args.pace == "human",
        greeting=args.greet,
        source=BotSource(factory.source, args.forensics or default_crash_folder(), args.cpu_clock),
    )


def seeks_of(args: Namespace, factory: BotFactory) -> tuple[Seek, ...]:
    if args.challenge and len(args.seek) != 1:
        raise UserError("--challenge needs one --seek GAME")
    if args.bot_after is not None and (args.challenge or not args.seek):
        raise UserError("--bot-after needs --seek, and cannot be used with --challenge")
    rated, games = args.stakes == "rated", policy_of(args, factory).games
    clock = parse_time_control(args.clock or default_clock(rated))
    seeks = []
    for name in args.seek:
        if name not in games:
            raise UserError(f"{factory.name} does not play {name[:40]!r}; it plays {', '.join(games)}")
        options = dict(create(name, options_of(args)).spec.options)
        seeks.append(Seek(name, options, clock, rated, args.challenge, args.bot_after))
    return tuple(seeks)


def connection_of(args: Namespace) -> ConnectionSettings:
    environ = os.environ.get
    url = args.url or environ("PARLOUR_URL", "")
    token = args.token or environ("PARLOUR_TOKEN", "")
    if args.tls_trust and not Path(args.tls_trust).is_file():
        raise UserError(f"--tls-trust: there is no file {args.tls_trust}: check the name")
    if args.state is not None and not token:
        check_state_file(args.state)
    state = Path() if args.no_state else args.state
    if args.state is not None and not is_replaceable(args.state):
        raise UserError(f"--state: {args.state} is not a state file of a bot; give the name of another or a new file")
    return ConnectionSettings(
        url,
        args.name,
        token,
        state,
        trust=args.tls_trust,
        with_stdin=args.leave_with_stdin,
        ladder=args.ladder,
    )


def check_state_file(path: Path) -> None:
    """Raise UserError if the session cannot be stored in this file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
    except OSError as error:
        raise UserError(f"--state: {describe_file_error('write', path, error)}") from None


async def ask_once(args: Namespace, factory: BotFactory) -> int:
    """Print the bot's move in one position, without a server. Raises UserError if the bot fails."""
    options = options_of(args) | ({} if args.position is None else {"start": args.position.strip() or " "})
    game = create(args.ask, options)
    state, history = game.start(), tuple(args.moves.split())
    for move in history:
        state = game.play(state, game.parse(state, move))
    if not game.moves(state):
        raise UserError("the game is over in this position: give another --position or fewer --moves")
    if game.name not in factory.games:
        raise UserError(f"{factory.name} does not play {game.name}; it plays {', '.join(factory.games)}")
    bot = factory.make()
    wanted = args.seconds or 2.0
    deadline = time.monotonic() + args.deadline
    budget = Budget(wanted, deadline, ply=len(history), side=game.turn(state), history=history)
    try:
        bot.started(game, game.turn(state), "")
        thought = await request_move(bot, game, state, budget, play_settings_of(args, factory).source)
    except Failure as failure:
        where = f"; crash report in {failure.evidence}" if failure.evidence else ""
        raise UserError(f"{factory.name} failed: {failure}{where}") from None
    finally:
        bot.close()
        factory.close()
    print_line(f"{thought.move}  {thought.note}".rstrip())
    return 0
