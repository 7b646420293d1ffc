"""The rooms of a server, one a line.

parlour rooms
parlour rooms --status ended            finished games, the latest first: see parlour show and export
parlour rooms --game conga --status running
parlour rooms --json | jq .room"""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser, Namespace

from parlour.cli.args_server import PATIENCE, add_connection, visit
from parlour.cli.main import UserError


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--game", default="", help="only rooms of this game")
    parser.add_argument("--status", choices=("waiting", "running", "ended"), help="only these (all but ended)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_connection(parser)


def run(args: Namespace) -> int:
    from client.sdk.errors import SessionError

    try:
        lines = asyncio.run(rooms(args))
    except SessionError as error:
        raise UserError(str(error)) from None
    for line in lines:
        print(line)
    return 0


async def rooms(args: Namespace) -> list[str]:
    from client.presentation.texts import room_line
    from protocol.codec import to_builtins
    from protocol.commands import List

    async with visit(args, "parlour rooms") as session:
        found = await session.ask(List(id=session.id(), game=args.game, status=args.status), within=PATIENCE)
    infos = found.rooms or ()
    if args.json:
        return [json.dumps(to_builtins(info)) for info in infos]
    none = "there are no such rooms" if args.status else "there are no rooms; --status ended lists games that are over"
    return [room_line(info) for info in infos] or [none]
