"""Records as commands take them: from a file, from standard input, or a game that was played on a server."""

from __future__ import annotations

import asyncio
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path

from engine.errors import InvalidRecord
from engine.record import Record, parse
from parlour.cli.args import read_text
from parlour.cli.args_server import PATIENCE, add_connection, visit
from parlour.cli.main import UserError

ROOM = re.compile(r"\w+")  # so no file with a dot or a folder in its name is looked for anywhere else
FILE_OR_ROOM = "a record, or - for standard input; where there is no such file, the room of a game that is over"


def add_record(parser: ArgumentParser) -> None:
    parser.add_argument("record", metavar="FILE|ROOM", help=FILE_OR_ROOM)
    add_connection(parser)


def read_record(args: Namespace) -> Record:
    try:
        return parse(text_of(args, args.record))
    except InvalidRecord as error:
        raise UserError(f"{args.record}: {error}") from None


def text_of(args: Namespace, name: str) -> str:
    """What is in the file, or was played in the room, of that name."""
    if name != "-" and (args.url or args.private):
        return asyncio.run(played(args, name))
    if ROOM.fullmatch(name) is None or Path(name).exists():
        return read_text(name)
    try:
        return asyncio.run(played(args, name))
    except UserError as error:
        raise UserError(f"there is no file {name}; as for a room, {error}") from None


async def played(args: Namespace, room: str) -> str:
    from client.sdk.errors import SessionError
    from protocol.commands import Export

    try:
        async with visit(args, "parlour export") as session:
            found = await session.ask(Export(id=session.id(), room=room), within=PATIENCE)
    except SessionError as error:
        raise UserError(str(error)) from None
    return found.text
