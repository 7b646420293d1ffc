"""Make a plan from the command line: flags, a TOML file, or a file with flags that override it."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from client.tournament.model import plan_file
from client.tournament.model.plan import FORMATS, Contestant, Plan, Sprt, bot_file
from client.tournament.model.plan_defaults import with_defaults
from engine.registry import GAMES
from parlour.cli.args import add_options, options_of
from parlour.cli.search_output import count, seconds
from parlour.errors import UserError

NUMBER_KEYS = (
    "seed",
    "rounds",
    "games",
    "opening_plies",
    "concurrency",
    "illegal",
    "adjudicate",
    "extra",
    "wait",
    "longest",
)


def add_plan(parser: ArgumentParser) -> None:
    games = parser.add_argument_group("games")
    games.add_argument("--plan", metavar="FILE", type=Path, help="a TOML file; flags override it")
    games.add_argument("--game", help=f"one of {', '.join(GAMES)}")
    add_options(games)  # type: ignore[arg-type]  # a group takes arguments too
    games.add_argument("--format", choices=[name for name in FORMATS if name != "grading"], help="default: round-robin")
    games.add_argument(
        "--rounds", metavar="N", type=count, help="rounds of a Swiss, or repetitions of a round robin or gauntlet"
    )
    games.add_argument(
        "--games", metavar="N", type=count, help="games per meeting, an even number (default: 2; match: 100)"
    )
    games.add_argument("--clock", help="5+3, 90s+1, 10/move, 10/move+60 or none (default: none)")
    games.add_argument(
        "--opening-plies", metavar="N", type=non_negative, help="random moves before the players begin (default: 4)"
    )
    games.add_argument("--seed", metavar="N", type=non_negative, help="seed of everything random (default: 1)")
    games.add_argument(
        "--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", type=sprt, help="end a match as soon as this test is decided"
    )
    games.add_argument(
        "--adjudicate",
        metavar="NODES",
        type=count,
        help="end a game when its result can be proved within this many nodes",
    )
    games.add_argument("--illegal", metavar="N", type=count, help="a player loses with the Nth illegal move")
    games.add_argument("--rated", action="store_true", help="count the games for the ratings of the server")
    players = parser.add_argument_group("players (repeatable)")
    add: dict[str, Any] = {"dest": "players", "action": "append", "default": []}
    players.add_argument(
        "--bot", metavar="[NAME=]BOT", type=bot_contestant, help="greedy, search@3, alphabeta:4, FILE.py …", **add
    )
    players.add_argument(
        "--exec",
        metavar="NAME=CMD",
        type=program_contestant,
        help="a program, as for parlour bot --exec",
        **add,
    )
    players.add_argument(
        "--connects", metavar="NAME", type=Contestant, help="a player who connects under this name", **add
    )
    running = parser.add_argument_group("running")
    running.add_argument(
        "--extra", metavar="N", type=non_negative, help="extra pairs of games for a level knockout tie (default: 2)"
    )
    running.add_argument("--concurrency", metavar="N", type=count, help="concurrent games (default: 4)")
    running.add_argument(
        "--wait", metavar="S", type=seconds, help="seconds to wait for a player, who then forfeits (default: 60)"
    )
    running.add_argument("--longest", metavar="S", type=seconds, help="maximum seconds per game (default: 3600)")


def non_negative(text: str) -> int:
    return 0 if text == "0" else count(text)


def has_plan_arguments(args: Namespace) -> bool:
    """Return whether the arguments describe a plan."""
    names = ("plan", "game", "format", "clock", "sprt", *NUMBER_KEYS)
    return bool(
        args.players or args.option or args.rated or any(getattr(args, name, None) is not None for name in names)
    )


def plan_of(args: Namespace, name: str) -> Plan:
    changes: dict[str, Any] = {key: getattr(args, key) for key in ("game", "format", "clock", "sprt", *NUMBER_KEYS)}
    changes = {key: value for key, value in changes.items() if value is not None}
    if args.rated:
        changes["rated"] = True
    if args.option:
        changes["options"] = options_of(args)
    players = tuple(args.players)
    if args.plan is not None:
        plan = plan_file.load(args.plan)
        return with_defaults(replace(plan, **changes, players=plan.players + players), str(args.plan))
    if args.game is None:
        raise UserError(
            "the plan is missing: give --game GAME and players with --bot, --exec or --connects, or --plan FILE"
        )
    values = {"format": "round-robin", "games": 0, **changes}
    return with_defaults(Plan(name=name, players=players, **values), "the plan")


def bot_contestant(text: str) -> Contestant:
    name, equals, bot = text.partition("=")
    bot = bot if equals else name
    if not name.strip() or not bot.strip():
        raise ArgumentTypeError(f"expected BOT or NAME=BOT, for example greedy or mine=my_bot.py, not {text[:40]!r}")
    file = bot_file(bot)
    path = str(Path(file).absolute()) + bot[len(file) :] if file else bot
    return Contestant(name if equals else Path(file).stem if file else bot, bot=path)


def program_contestant(text: str) -> Contestant:
    name, _, command = text.partition("=")
    if not name.strip() or not command.strip():
        raise ArgumentTypeError(f"expected NAME=COMMAND, not {text[:40]!r}")
    return Contestant(name.strip(), exec=command.strip(), workdir=str(Path.cwd()))


def sprt(text: str) -> Sprt:
    try:
        numbers = [float(word) for word in text.split(",")]
        test = Sprt(*numbers)
    except (ValueError, TypeError):
        numbers, test = [], Sprt()
    valid = len(numbers) in (2, 4) and -1000 < test.elo0 < test.elo1 < 1000
    if not valid or not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise ArgumentTypeError(f"expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA like 0,50,0.05,0.05, not {text[:40]!r}")
    return test
