"""Watch a game, several games, two bots, or the lobby.

parlour watch                      open the lobby
parlour watch ROOM                 watch one game; when it has ended, step through its moves
parlour watch ROOM ROOM …          watch several games side by side; parlour tv finds live ones
parlour watch --demo conga search@8 greedy
                                   two bots play here, without a server; also your own: my_bot.py
parlour watch --plain              the newest running game as text
parlour watch ROOM --plain         boards and moves as text, for pipes and screen readers
parlour watch ROOM --json          one JSON event per line
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from parlour.cli.args import add_options, options_of
from parlour.cli.args_server import SERVER_TIMEOUT_S, add_connection, add_looks, identity, open_session, url_of
from parlour.errors import UserError
from runtime.printable import print_error, print_line

if TYPE_CHECKING:
    from client.sdk.session import Session
    from client.tui.app.demo_app import DemoBot

DEMO_ONLY = ("option", "clock", "seed", "pace")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "rooms",
        metavar="ROOM",
        nargs="*",
        help="the room of a game; 'parlour rooms' lists them (default: open the lobby)",
    )
    parser.add_argument("--plain", action="store_true", help="print text, without a full-screen display")
    parser.add_argument("--json", action="store_true", help="print one JSON event per line")
    parser.add_argument("--code", default="", help="the code of a private room")
    demo = parser.add_argument_group("two bots against each other (--demo)")
    demo.add_argument(
        "--demo", nargs=3, metavar=("GAME", "BOT", "BOT"), help="start two bots, NAME or FILE.py, and watch them play"
    )
    add_options(demo)  # type: ignore[arg-type]  # a group takes arguments too
    demo.add_argument("--clock", help="5+3, 90s+1, 10/move, 10/move+60 or none (default: none)")
    demo.add_argument("--seed", type=int, help="make random choices of the bots repeatable")
    demo.add_argument(
        "--pace", choices=("bot", "human"), help="human: move no faster than a person; bot: at once (default: human)"
    )
    add_connection(parser)
    add_looks(parser)


def run(args: Namespace) -> int:
    from client.sdk.errors import SessionError
    from client.tui.app.run import has_terminal

    if args.demo is not None:
        return run_demo(args)
    for name in DEMO_ONLY:
        if getattr(args, name):
            raise UserError(f"--{name} needs --demo, as in 'parlour watch --demo conga search@8 greedy'")
    if args.plain or args.json or not has_terminal():
        if len(args.rooms) > 1 or not (args.rooms or args.plain):
            why = "text output" if args.plain or args.json else "without a terminal, 'parlour watch'"
            raise UserError(f"{why} needs exactly one room: parlour watch ROOM --plain ('parlour rooms' lists them)")
        try:
            asyncio.run(follow_room(args))
        except SessionError as error:
            raise UserError(str(error)) from None
        return 0
    from client.presentation.launch_plan import LaunchPlan
    from client.sdk.url import DEFAULT_URL
    from client.tui.app.run import run as show
    from client.tui.render.appearance import Appearance

    plan = LaunchPlan(
        mode="watch" if args.rooms else "lobby",
        url=url_of(args) or ("" if args.private else DEFAULT_URL),
        private=args.private,
        persistent=args.private,
        rooms=tuple(args.rooms),
        code=args.code,
        **identity(args),
    )
    problem = show(plan, Appearance.choose(args.theme, args.ascii, motion=not args.no_motion))
    if problem:
        raise UserError(problem)
    return 0


def run_demo(args: Namespace) -> int:
    """Let two bots play, and show their games. Raises UserError or GameError."""
    from client.sdk.time_control import parse_time_control
    from client.tui.app.demo_app import Demo
    from client.tui.app.run import has_terminal
    from client.tui.app.run import run_demo as show
    from client.tui.render.appearance import Appearance
    from engine.registry import create

    for name in ("rooms", "plain", "json", "code", "url", "name", "token", "private"):
        if getattr(args, name):
            flag = "a room" if name == "rooms" else f"--{name}"
            raise UserError(f"--demo cannot be used with {flag}: the bots play here, without a server")
    game = create(args.demo[0], options_of(args))
    given = {name: value for name, value in game.spec.options.items() if name in options_of(args)}
    demo = Demo(game.name, demo_bots(args), given, parse_time_control(args.clock or "none"))
    if not has_terminal():
        raise UserError("--demo needs a terminal; 'parlour tournament' plays matches of bots without one")
    problem = show(demo, Appearance.choose(args.theme, args.ascii, motion=not args.no_motion))
    if problem:
        raise UserError(problem)
    return 0


def demo_bots(args: Namespace) -> tuple[DemoBot, DemoBot]:
    """Return both bots, with different names. Raises UserError if there is no such bot, or if it plays other games."""
    from client.bots.loader import LoadError
    from client.bots.spec import BotSpec
    from client.tui.app.demo_app import DemoBot
    from parlour.cli.house_bots import parse_bot_name

    game, *words = args.demo
    bots: list[DemoBot] = []
    for number, word in enumerate(words):
        try:
            spec = BotSpec(word) if word.endswith(".py") or ".py:" in word else parse_bot_name(word)
            spec.check()
        except LoadError as error:
            raise UserError(str(error)) from None
        if game not in spec.games:
            raise UserError(f"{word} does not play {game}; it plays {', '.join(spec.games)}")
        name = spec.name if spec.is_file else word
        name = f"{name}-2" if name in [bot.name for bot in bots] else name
        seed = () if args.seed is None else ("--seed", str(args.seed + number))
        bots.append(DemoBot(name, (word, "--pace", args.pace or "human", *seed)))
    return bots[0], bots[1]


async def follow_room(args: Namespace) -> None:
    from client.presentation.plain_watch import follow

    async with open_session(args, "parlour watch") as session:
        room = args.rooms[0] if args.rooms else await newest_game(session)
        await follow(session, room, args.code, args.json, say, print_error)


async def newest_game(session: Session) -> str:
    """Return the room of the newest running game. Raises UserError if no game is running."""
    from protocol.commands import List

    found = await session.ask(List(id=session.id(), status="running"), within=SERVER_TIMEOUT_S)
    if not found.rooms:
        raise UserError("no game is running: start one, or name a room ('rooms --status ended' lists finished games)")
    return found.rooms[0].room


def say(line: str) -> None:
    print_line(line, flush=True)
