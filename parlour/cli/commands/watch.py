"""Watch a game, a wall of several games, or the lobby.

parlour watch                      open the lobby
parlour watch ROOM                 watch one game; when it has ended, step through its moves
parlour watch ROOM ROOM …          watch several games side by side; parlour tv finds live ones
parlour watch ROOM --plain         boards and moves as text, for pipes and screen readers
parlour watch ROOM --json          one JSON event per line
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace

from parlour.cli.args_server import add_connection, add_looks, identity, open_session, url_of
from parlour.errors import UserError
from runtime.printable import print_error, print_line


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
    add_connection(parser)
    add_looks(parser)


def run(args: Namespace) -> int:
    from client.sdk.errors import SessionError
    from client.tui.app.run import has_terminal

    if args.plain or args.json or not has_terminal():
        if len(args.rooms) != 1:
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
    complaint = show(plan, Appearance.choose(args.theme, args.ascii, motion=not args.no_motion))
    if complaint:
        raise UserError(complaint)
    return 0


async def follow_room(args: Namespace) -> None:
    from client.presentation.plain_watch import follow

    async with open_session(args, "parlour watch") as session:
        await follow(session, args.rooms[0], args.code, args.json, say, print_error)


def say(line: str) -> None:
    print_line(line, flush=True)
