"""List the rooms of a server, one per line.

parlour rooms                   rooms that wait for a player, and running games
parlour rooms --game conga --status running
parlour rooms --status ended    finished games, newest first; 'parlour show ROOM' replays one
parlour rooms --json | jq .room
"""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace

from parlour.cli.args_server import SERVER_TIMEOUT_S, add_connection, open_session
from parlour.errors import UserError
from runtime.printable import print_line

NO_MATCH = "no matching rooms"
NO_ROOMS = "no open rooms; --status ended lists finished games"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--game", default="", help="only rooms of this game")
    parser.add_argument(
        "--status",
        choices=("waiting", "running", "ended"),
        help="only rooms with this status (default: waiting and running)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    add_connection(parser)


def run(args: Namespace) -> int:
    from client.sdk.errors import SessionError
    from engine.registry import create

    if args.game:
        create(args.game)  # raises GameError if there is no such game
    try:
        lines = asyncio.run(rooms(args))
    except SessionError as error:
        raise UserError(str(error)) from None
    for line in lines:
        print_line(line)
    if not lines and not args.json:
        print_line(NO_MATCH if args.status else NO_ROOMS, file=sys.stderr)
    return 0


async def rooms(args: Namespace) -> list[str]:
    from client.presentation.texts import has_begun, room_line
    from protocol.codec import to_builtins
    from protocol.commands import List

    async with open_session(args, "parlour rooms") as session:
        found = await session.ask(List(id=session.id(), game=args.game, status=args.status), within=SERVER_TIMEOUT_S)
    infos = [info for info in found.rooms or () if has_begun(info) or info.status != "ended"]
    if args.json:
        return [json.dumps(to_builtins(info)) for info in infos]
    return [room_line(info) for info in infos]
