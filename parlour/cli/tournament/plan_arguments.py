"""Make a plan from the command line: flags, a TOML file, or a file with flags that override it."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace, _ArgumentGroup
from dataclasses import replace
from pathlib import Path
from typing import Any

from client.programs.jail.choice import JAIL_KINDS
from client.tournament.model import opening_file, plan_file
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import FORMATS, Contestant, Plan, Sprt, SprtModel
from client.tournament.model.plan_defaults import with_defaults
from engine.registry import GAMES
from parlour.cli.args import add_options, options_of
from parlour.cli.search_output import count, seconds
from parlour.errors import UserError
from runtime.cores import usable_cores

EXEC = "exec:"
PLAYER_KEYS = [key for key in plan_file.PlayerTable.__struct_fields__ if key not in ("name", "bot", "exec")]
SETTING = re.compile(rf"\s*;\s*(?=(?:{'|'.join(PLAYER_KEYS)})=)")  # any other ; is part of the command
TEXT_KEYS = ("game", "format", "clock", "sprt", "jail", "jail_image", "jail_cores")
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
    add_games(parser.add_argument_group("games"))
    add_players(parser.add_argument_group("players (repeatable)"))
    add_jail(parser.add_argument_group("jail (for programs and FILE.py bots that you do not trust)"))
    add_running(parser.add_argument_group("running"))


def add_games(games: _ArgumentGroup) -> None:
    games.add_argument("--plan", metavar="FILE", type=Path, help="a TOML file; flags override it")
    games.add_argument("--game", help=f"one of {', '.join(GAMES.names())}")
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
    text = "random moves (the default), random moves after which neither player is much better, or those of a file in "
    text += "turn, with one opening per line: a position or moves"
    games.add_argument("--openings", metavar="random|balanced|FILE", help=text)
    text = "every pair of players gets the same openings (default: every pair of games has a new one)"
    games.add_argument("--same-openings", action="store_true", help=text)
    games.add_argument("--seed", metavar="N", type=non_negative, help="seed of everything random (default: 1)")
    games.add_argument(
        "--sprt",
        metavar="ELO0,ELO1[,ALPHA,BETA][,MODEL]",
        type=sprt,
        help="end a match as soon as this test is decided; MODEL: logistic (default) or normalized Elo",
    )
    games.add_argument(
        "--adjudicate",
        metavar="NODES",
        type=count,
        help="end a game when its result can be proved within this many nodes",
    )
    games.add_argument("--illegal", metavar="N", type=count, help="a player loses with the Nth illegal move")
    games.add_argument("--rated", action="store_true", help="count the games for the ratings of the server")


def add_players(players: _ArgumentGroup) -> None:
    add: dict[str, Any] = {"dest": "players", "action": "append", "default": []}
    players.add_argument(
        "--bot",
        metavar="[NAME=]BOT",
        type=bot_contestant,
        help="greedy, search@3, alphabeta:4, FILE.py …, or exec:CMD with a name; after it any keys of a [[player]] "
        "table, as in 'ann=exec:./a.out;adapter=mancala;workdir=ann'",
        **add,
    )
    players.add_argument(
        "--exec",
        metavar="NAME=CMD",
        type=program_contestant,
        help="a program, as for parlour bot --exec; keys may follow, as for --bot",
        **add,
    )
    players.add_argument(
        "--connects", metavar="NAME", type=Contestant, help="a player who connects under this name", **add
    )


def add_jail(jail: _ArgumentGroup) -> None:
    text = "run them in a jail: bwrap (bubblewrap), docker, auto (what works here) or none (default: none)"
    jail.add_argument("--jail", choices=JAIL_KINDS, help=text)
    jail.add_argument("--jail-image", metavar="IMAGE", help="the image for docker or podman")
    text = "a file or folder that programs may read; may be repeated"
    jail.add_argument("--jail-allow", metavar="PATH", type=Path, action="append", default=[], help=text)
    jail.add_argument("--jail-cores", metavar="LIST", help="the CPUs that programs may use, for example 0,2-3")


def add_running(running: _ArgumentGroup) -> None:
    running.add_argument(
        "--extra", metavar="N", type=non_negative, help="extra pairs of games for a level knockout tie (default: 2)"
    )
    text = "concurrent games, or auto for as many as there are cores (default: 4)"
    running.add_argument("--concurrency", metavar="N", type=concurrency, help=text)
    running.add_argument(
        "--wait", metavar="S", type=seconds, help="seconds to wait for a player, who then forfeits (default: 60)"
    )
    running.add_argument("--longest", metavar="S", type=seconds, help="maximum seconds per game (default: 3600)")


def non_negative(text: str) -> int:
    return 0 if text == "0" else count(text)


def concurrency(text: str) -> int:
    return usable_cores() if text == "auto" else count(text)


def has_plan_arguments(args: Namespace) -> bool:
    """Return whether the arguments describe a plan."""
    names = ("plan", *TEXT_KEYS, *NUMBER_KEYS)
    given = args.players or args.option or args.rated or args.jail_allow or args.openings or args.same_openings
    return bool(given or any(getattr(args, name, None) is not None for name in names))


def plan_of(args: Namespace, name: str) -> Plan:
    changes: dict[str, Any] = {key: getattr(args, key) for key in (*TEXT_KEYS, *NUMBER_KEYS)}
    changes = {key: value for key, value in changes.items() if value is not None}
    if args.rated:
        changes["rated"] = True
    if args.same_openings:
        changes["same_openings"] = True
    if args.jail_allow:
        changes["jail_allow"] = tuple(str(path.absolute()) for path in args.jail_allow)
    if args.option:
        changes["options"] = options_of(args)
    players = tuple(args.players)
    if args.plan is not None:
        plan = plan_file.load(args.plan)
        plan = replace(plan, **changes, players=plan.players + players)
        if args.openings is not None:
            plan = with_openings(plan, args.openings, args.opening_plies)
        return with_defaults(plan, str(args.plan))
    if args.game is None:
        raise UserError(
            "the plan is missing: give --game GAME and players with --bot, --exec or --connects, or --plan FILE"
        )
    values = {"format": "round-robin", "games": 0, **changes}
    plan = Plan(name=name, players=players, **values)
    if args.openings is not None:
        plan = with_openings(plan, args.openings, args.opening_plies)
    return with_defaults(plan, "the plan")


def with_openings(plan: Plan, openings: str, plies: int | None) -> Plan:
    """Return the plan with random openings, balanced ones or those of a file. Raises TournamentError.

    `plies`: the number of opening plies, if it is given too.
    """
    if openings in plan_file.OPENING_KINDS:
        kept = -1 if plan.openings else plan.opening_plies  # a plan that lists openings has no plies
        return replace(
            plan, openings=(), balanced=openings == "balanced", opening_plies=kept if plies is None else plies
        )
    positions = opening_file.load(Path(openings), plan.create())
    return replace(plan, openings=positions, balanced=False, opening_plies=0 if plies is None else plies)


def bot_contestant(text: str) -> Contestant:
    """Return the player of BOT, NAME=BOT or NAME=exec:COMMAND, each with `;KEY=VALUE` after it."""
    first, *settings = SETTING.split(text)
    name, equals, bot = (part.strip() for part in first.partition("="))
    if bot.startswith(EXEC):
        return program_contestant(text.replace(EXEC, "", 1))
    bot = bot if equals else name
    if not name or not bot:
        raise ArgumentTypeError(f"expected BOT or NAME=BOT, for example greedy or mine=my_bot.py, not {text[:40]!r}")
    return contestant({"bot": bot, **({"name": name} if equals else {})}, settings)


def program_contestant(text: str) -> Contestant:
    """Return the player of NAME=COMMAND, with `;KEY=VALUE` after it."""
    first, *settings = SETTING.split(text)
    name, _, command = (part.strip() for part in first.partition("="))
    if not name or not command:
        raise ArgumentTypeError(f"expected NAME=COMMAND, not {text[:40]!r}")
    return contestant({"name": name, "exec": command}, settings)


def contestant(values: dict[str, Any], settings: list[str]) -> Contestant:
    """Return a player with the keys of a [[player]] table, as they are typed. Raises ArgumentTypeError."""
    for setting in settings:
        key, _, value = setting.partition("=")
        values[key] = typed_value(value.strip())
    try:
        return plan_file.read_player(values, Path.cwd(), values.get("name") or values["bot"])
    except TournamentError as error:
        raise ArgumentTypeError(str(error)) from None


def typed_value(text: str) -> str | float | bool:
    """Return a number or true or false as such, and any other text as text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def sprt(text: str) -> Sprt:
    words = text.split(",")
    model: SprtModel = "normalized" if words[-1].strip() == "normalized" else "logistic"
    try:
        numbers = [float(word) for word in words if word.strip() != model]
        test = Sprt(**dict(zip(("elo0", "elo1", "alpha", "beta"), numbers, strict=False)), model=model)
    except ValueError:
        numbers, test = [], Sprt()
    valid = len(numbers) in (2, 4) and -1000 < test.elo0 < test.elo1 < 1000
    if not valid or not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        example = "like 0,50,0.05,0.05 (or 0,5,normalized for normalized Elo)"
        raise ArgumentTypeError(f"expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA {example}, not {text[:40]!r}")
    return test
