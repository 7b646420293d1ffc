"""A plan from the command line: flags, or a TOML file, or a file with flags that say something else."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from client.tournament.model import plan_file
from client.tournament.model.plan import FORMATS, Contestant, Plan, Sprt, file_of
from client.tournament.model.plan_defaults import with_defaults
from engine.registry import GAMES
from parlour.cli.args import add_options, options_of
from parlour.cli.main import UserError
from parlour.cli.search_output import count, seconds

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
    what = parser.add_argument_group("what is played")
    what.add_argument("--plan", metavar="FILE", type=Path, help="a TOML file; flags beside it say something else")
    what.add_argument("--game", help=f"one of {', '.join(GAMES)}")
    add_options(what)  # type: ignore[arg-type]  # a group takes arguments too
    what.add_argument("--format", choices=[name for name in FORMATS if name != "grading"], help="(round-robin)")
    what.add_argument(
        "--rounds", metavar="N", type=count, help="of a swiss, or how often a round robin is gone through"
    )
    what.add_argument("--games", metavar="N", type=count, help="when two meet: an even number (2; a match: 100)")
    what.add_argument("--clock", help="5+3, 90s+1, 10/move, 10/move+60 or none (none)")
    what.add_argument("--opening-plies", metavar="N", type=non_negative, help="begin after so many moves by chance (4)")
    what.add_argument("--seed", metavar="N", type=non_negative, help="of everything that is left to chance (1)")
    what.add_argument(
        "--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", type=sprt, help="end a match as soon as this is decided"
    )
    what.add_argument("--adjudicate", metavar="NODES", type=count, help="end a game once its result is proved")
    what.add_argument("--illegal", metavar="N", type=count, help="lose with the Nth illegal move")
    what.add_argument("--rated", action="store_true", help="games count for the ratings of the server")
    who = parser.add_argument_group("who plays; all may be repeated")
    add: dict[str, Any] = {"dest": "players", "action": "append", "default": []}
    who.add_argument(
        "--bot", metavar="[NAME=]BOT", type=bot_contestant, help="greedy, search@3, alphabeta:4, FILE.py …", **add
    )
    who.add_argument(
        "--exec",
        metavar="NAME=CMD",
        type=program_contestant,
        help="a program, as of parlour bot --exec",
        **add,
    )
    who.add_argument("--connects", metavar="NAME", type=Contestant, help="somebody who connects by that name", **add)
    how = parser.add_argument_group("how it is run")
    how.add_argument("--extra", metavar="N", type=non_negative, help="more pairs of games for a tie of a knockout (2)")
    how.add_argument("--concurrency", metavar="N", type=count, help="games at a time (4)")
    how.add_argument("--wait", metavar="S", type=seconds, help="for a player who does not come, who then forfeits (60)")
    how.add_argument("--longest", metavar="S", type=seconds, help="a game may last (3600)")


def non_negative(text: str) -> int:
    return 0 if text == "0" else count(text)


def has_plan_arguments(args: Namespace) -> bool:
    """Whether the arguments say anything about a plan."""
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
        known = plan_file.load(args.plan)
        return with_defaults(replace(known, **changes, players=known.players + players), str(args.plan))
    if args.game is None:
        raise UserError("say what is played: --game GAME and players with --bot, --exec or --connects, or --plan FILE")
    settled = {"format": "round-robin", "games": 0, **changes}
    return with_defaults(Plan(name=name, players=players, **settled), "the plan")


def bot_contestant(text: str) -> Contestant:
    name, equals, bot = text.partition("=")
    bot = bot if equals else name
    file = file_of(bot)
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
    sane = len(numbers) in (2, 4) and -1000 < test.elo0 < test.elo1 < 1000
    if not sane or not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise ArgumentTypeError(f"expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA like 0,50,0.05,0.05, not {text[:40]!r}")
    return test
