"""Records as arguments: a file, standard input, or a finished game on a server or in a database."""

from __future__ import annotations

import asyncio
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from zipfile import is_zipfile

from engine.errors import InvalidRecord, UnknownGame
from engine.record import Record, parse
from parlour.cli.args_server import SERVER_TIMEOUT_S, add_connection, open_session
from parlour.errors import UserError
from parlour.input_file import read_text
from runtime.printable import printable

MAX_ERROR_CHARS = 120
ROOM_ID = re.compile(r"\w+")  # a name with a dot or a slash can only be a file
FILE_OR_ROOM = "a record file, - for standard input, or the room of a finished game"


def add_record(parser: ArgumentParser) -> None:
    parser.add_argument("record", metavar="FILE|ROOM", help=FILE_OR_ROOM)
    add_connection(parser)
    add_database(parser)


def add_database(
    parser: ArgumentParser, text: str = "read the room from this database or archive, without a server"
) -> None:
    parser.add_argument("--db", metavar="FILE|URL", help=text)


def read_record(args: Namespace) -> Record:
    """Return the record of the arguments. Raises UserError if it cannot be read."""
    try:
        return parse(read_source(args, args.record))
    except InvalidRecord as error:
        name = "standard input" if args.record == "-" else args.record
        raise UserError(f"{name}: {error}") from None


def read_source(args: Namespace, name: str) -> str:
    """Return the text of a record: of a file, or of a room if there is no such file. Raises UserError."""
    if args.db is not None:
        return asyncio.run(stored_record(args.db, name))
    if name != "-" and (args.url or args.private):
        return asyncio.run(fetch_record(args, name))
    if ROOM_ID.fullmatch(name) is None or Path(name).exists():
        check_no_tournament(name)
        return read_text(name)
    try:
        return asyncio.run(fetch_record(args, name))
    except UserError as error:
        raise UserError(f"there is no file {name!r}, and a room of this name was not found: {error}") from None


def check_no_tournament(name: str) -> None:
    """Raise UserError if the file is the bundle or the folder of a tournament."""
    if name != "-" and (Path(name).is_file() and is_zipfile(name)):
        how = f"check the bundle of a tournament with 'parlour tournament verify {name}'"
        raise UserError(f"{name} is an archive, not a recorded game: {how}")
    if (Path(name) / "plan.toml").is_file():
        how = f"'parlour tournament export {name}' writes a bundle with all games"
        raise UserError(f"{name} is the folder of a tournament, not a recorded game: {how}")


async def stored_record(db: str, room: str) -> str:
    """Return the record of a finished game in a database. Raises UserError.

    The archive of an older version is brought to the current schema first, as any database.
    """
    from parlour.cli.database import opened_store
    from server.storage.interface import StoreError

    try:
        async with opened_store(db, "events") as (store, _):
            payloads = await store.events(room)
    except StoreError as error:
        raise UserError(str(error)) from None
    return record_of(payloads, room, db)


def record_of(payloads: Sequence[bytes], room: str, db: str) -> str:
    """Return the record of the log of a room. Raises UserError."""
    from engine.record import write
    from protocol.codec import decode_event
    from server.domain import snapshots
    from server.domain.room import replay

    if not payloads:
        raise UserError(f"there is no room {room[:40]!r} in {db}: check the name, or look in another archive")
    try:
        played = replay(decode_event(payload) for payload in payloads)
    except UnknownGame:  # its sentence says how to install the game
        raise
    except Exception as error:  # a damaged log may raise anything
        why = printable(str(error))[:MAX_ERROR_CHARS] or type(error).__name__
        raise UserError(f"the log of room {room[:40]!r} in {db} is damaged: {why}; restore a backup") from None
    if played.ended is None:
        raise UserError(f"the game in room {room} has not ended: only finished games have a record")
    return write(snapshots.record(played))


async def fetch_record(args: Namespace, room: str) -> str:
    """Return the record of a finished game on the server. Raises UserError."""
    from client.sdk.errors import SessionError
    from protocol.commands import Export

    try:
        async with open_session(args, "parlour export") as session:
            found = await session.ask(Export(id=session.id(), room=room), within=SERVER_TIMEOUT_S)
    except SessionError as error:
        raise UserError(str(error)) from None
    return found.text
