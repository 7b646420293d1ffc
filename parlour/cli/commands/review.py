"""Judge every move of a recorded game, by proof where the search can prove the values.

parlour review game.txt
parlour review 1rca5jyrpnv    a finished game on the server ('parlour rooms --status ended')
parlour review 1rca5jyrpnv --server    by the reviewer of the server, which keeps the review
parlour review game.txt --json
parlour review game.txt --threads 2
parlour review game.txt --out reviewed.txt    then: parlour show reviewed.txt
parlour review game.txt --learn --side red

A move is best, the only move, fine, an inaccuracy, a mistake, a blunder or a missed win. A value is
proved, which means exact, or an estimate with the depth of its search. --learn shows the position
before each mistake and asks for a better move.
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from pathlib import Path

from client.presentation.server_reviews import fetch_review, review_of
from client.sdk.errors import SessionError
from client.sdk.sides import side_names
from engine.errors import InvalidRecord
from engine.record import Record, parse, write
from engine.review import Budget, Review, annotate, review
from parlour.cli.args_server import SERVER_TIMEOUT_S, open_session
from parlour.cli.commands.export import as_json
from parlour.cli.learn import learn
from parlour.cli.records import add_record, read_record
from parlour.cli.review_output import TerminalProgress, review_lines
from parlour.cli.search_output import add_search, count, seconds, tell
from parlour.errors import UserError
from protocol.commands import Export
from runtime.file_errors import describe_file_error
from runtime.printable import print_line, print_lines

DEFAULT = Budget()


def arguments(parser: ArgumentParser) -> None:
    add_record(parser)
    parser.add_argument(
        "--nodes",
        type=count,
        default=DEFAULT.nodes,
        metavar="N",
        help=f"search N positions per move (default: {DEFAULT.nodes:,})",
    )
    parser.add_argument(
        "--seconds",
        type=seconds,
        default=DEFAULT.seconds,
        metavar="S",
        help=f"for the whole game (default: {DEFAULT.seconds:g})",
    )
    add_search(parser, table=128)
    text = "let the reviewer of the server review the game, or fetch the review that it has made"
    parser.add_argument("--server", action="store_true", help=text)
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the record with the review in its notes")
    parser.add_argument("--learn", action="store_true", help="step through the mistakes and find better moves")
    parser.add_argument("--side", default="", help="with --learn: only the mistakes of this side, by name or number")


def run(args: Namespace) -> int:
    record, fetched = fetch(args) if args.server else (read_record(args), None)
    sides = sides_of(record, args.side)
    if args.learn and args.json:
        raise UserError("--learn and --json exclude each other; use one of them")
    found = run_review(args, record) if fetched is None else fetched
    if args.out is not None:
        save(args.out, annotate(record, found))
    if args.json:
        print_lines(as_json(found.to_json()))
    elif args.learn:
        learn(record, found, sides, Budget(args.nodes, args.seconds), False if args.plain else None)
    else:
        for line in review_lines(record, found):
            print_line(line)
    return 0


def fetch(args: Namespace) -> tuple[Record, Review]:
    """Return a game on the server, and its review by the server's reviewer. Raises UserError."""
    if args.db is not None:
        raise UserError("--server and --db exclude each other: a database has no reviewer")
    return asyncio.run(fetch_from_server(args))


async def fetch_from_server(args: Namespace) -> tuple[Record, Review]:
    progress = TerminalProgress()
    try:
        async with open_session(args, "parlour review") as session:
            exported = await session.ask(Export(id=session.id(), room=args.record), within=SERVER_TIMEOUT_S)
            record = parse(exported.text)
            update = await fetch_review(
                session, args.record, lambda update: progress.update(update.done, update.total or len(record.moves))
            )
        return record, review_of(record, update)
    except SessionError as error:
        raise UserError(str(error)) from None
    finally:
        progress.clear()


def run_review(args: Namespace, record: Record) -> Review:
    """Return the review of a record. Raises UserError if the record is wrong."""
    progress, budget = TerminalProgress(), Budget(args.nodes, args.seconds)
    try:
        compiled = False if args.plain else None
        return review(
            record,
            budget,
            progress.update,
            table_mb=args.table,
            compiled=compiled,
            notice=tell,
            threads=args.threads,
        )
    except InvalidRecord as error:
        raise UserError(f"the record is wrong, so it cannot be reviewed: {error}") from None
    finally:
        progress.clear()


def sides_of(record: Record, name: str) -> tuple[int, ...]:
    """Return the sides whose mistakes are shown: the named one, or the only person, or both. Raises UserError."""
    game = record.create()
    sides = side_names(type(game))
    if name in ("0", "1"):
        return (int(name),)
    for names in (sides, game.sides, record.seats):
        if name and name in names and names[0] != names[1]:
            return (names.index(name),)
    if name:
        raise UserError(f"there is no side {name[:40]!r}: use {sides[0]!r}, {sides[1]!r} or the name of a player")
    people = tuple(side for side, program in enumerate(record.bots) if program is None)
    return people or (0, 1)


def save(path: Path, record: Record) -> None:
    """Write a record to a file. Raises UserError."""
    try:
        path.write_text(write(record), encoding="utf-8")
    except OSError as error:
        raise UserError(describe_file_error("write", str(path), error)) from None
