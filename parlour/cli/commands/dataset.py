"""Export positions for learners: moves, results, and values, exact where they are proved.

parlour dataset mancala --games 1000 --out mancala.jsonl      the search plays against itself
parlour dataset conga --server --out conga.parquet            all finished games of a server
parlour dataset conga --db parlour.db --out conga.jsonl       the same from its database
parlour dataset conga --from game.txt 1rca5jyrpnv --out conga.jsonl

Each move is a row: the position, the legal moves, the move, the result, and the value of the
position. 'value' is proved; where the search proves nothing, 'estimate' and 'depth' have what
it found. The file appears when it is complete. Ctrl-C completes it with the games so far;
--skip continues in another file. docs/learning.md lists the columns.
"""

from __future__ import annotations

import asyncio
import time
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from client.presentation.texts import counted
from engine.errors import GameError
from engine.record import parse
from engine.registry import GAMES, create
from parlour.cli.args import add_options, options_of
from parlour.cli.args_server import SERVER_TIMEOUT_S, add_connection, open_session
from parlour.cli.records import FILE_OR_ROOM, add_database, read_source, record_of
from parlour.cli.search_output import count, tell
from parlour.dataset.rows import Played, RowMaker, recorded, self_played
from parlour.dataset.writers import SUFFIXES, Output
from parlour.errors import UserError
from protocol.types import RoomInfo
from runtime.printable import print_line

NODES = 20_000
GAMES_OF_SELF_PLAY = 100
PROGRESS_INTERVAL_S = 5.0
PAGE_ROOMS = 100


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=f"one of {', '.join(GAMES)}")
    add_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="FILE.jsonl or FILE.parquet")
    text = f"at most N games (default: all that are given, or {GAMES_OF_SELF_PLAY} of self-play)"
    parser.add_argument("--games", type=count, metavar="N", help=text)
    parser.add_argument("--skip", type=number, default=0, metavar="N", help="leave out the first N games")
    parser.add_argument("--from", dest="sources", nargs="+", default=[], metavar="FILE|ROOM", help=FILE_OR_ROOM)
    parser.add_argument("--server", action="store_true", help="the finished games of a server, newest first")
    text = f"nodes of the search per position (default: {NODES:,}); 0: no values"
    parser.add_argument("--nodes", type=number, default=NODES, metavar="N", help=text)
    parser.add_argument("--seed", type=number, default=1, metavar="N", help="of self-play (default: 1)")
    parser.add_argument("--plain", action="store_true", help="do not use compiled code, even if numba is installed")
    add_connection(parser)
    add_database(parser, "read the rooms of --from, or all finished games, from this database, without a server")


def number(text: str) -> int:
    return 0 if text == "0" else count(text)


def run(args: Namespace) -> int:
    create(args.game, options_of(args))  # raises GameError if there is no such game
    if args.server and (args.sources or args.db):
        raise UserError(f"--server and {'--from' if args.sources else '--db'} exclude each other; use one of them")
    if args.out.suffix not in SUFFIXES:
        raise UserError(f"--out must end in {' or '.join(SUFFIXES)}, not {args.out.name[:60]!r}")
    interrupted = False
    with Output(args.out) as output:
        progress = Progress(args, output)
        try:
            asyncio.run(export_finished(args, progress)) if takes_all(args) else export(games_of(args), args, progress)
        except KeyboardInterrupt:
            interrupted = True
    positions, games = counted(output.rows, "position"), counted(progress.games, "game")
    print_line(f"{args.out}: {positions} of {games}, {progress.proved} with a proved value")
    return 130 if interrupted else 0


def takes_all(args: Namespace) -> bool:
    """Return whether to export the finished games of a server or of a database."""
    return args.server or (args.db is not None and not args.sources)


class Progress:
    """Writes games and tells how far the export is."""

    def __init__(self, args: Namespace, output: Output) -> None:
        self.games = self.proved = 0
        self._output, self._total = output, total_of(args)
        self._maker = RowMaker(args.nodes, False if args.plain else None, tell)
        self._told = time.monotonic()

    def add(self, played: Played) -> None:
        rows = self._maker.rows(played)
        self._output.write(rows)
        self.games += 1
        self.proved += sum(row["value"] is not None for row in rows)
        if time.monotonic() - self._told >= PROGRESS_INTERVAL_S:
            self._told = time.monotonic()
            of = "" if self._total is None else f" of {self._total}"
            tell(f"{self.games}{of} games, {self._output.rows} positions")


def total_of(args: Namespace) -> int | None:
    """Return the number of games, or None if it is not known."""
    given = max(0, len(args.sources) - args.skip) if args.sources else None if takes_all(args) else GAMES_OF_SELF_PLAY
    return given if args.games is None else args.games if given is None or not args.sources else min(given, args.games)


def export(games: Iterator[Played], args: Namespace, progress: Progress) -> None:
    for played in islice(games, total_of(args)):
        progress.add(played)


def games_of(args: Namespace) -> Iterator[Played]:
    """Yield recorded games, or games that the search plays. Raises UserError."""
    if not args.sources:
        compiled = False if args.plain else None
        yield from self_played(create(args.game, options_of(args)), args.seed, args.skip, compiled)
    for source in args.sources[args.skip :]:
        played = read_game(read_source(args, source), source)
        if played.game.name != args.game:
            raise UserError(f"{source} is a game of {played.game.name}: leave it out")
        yield played


def read_game(text: str, source: str) -> Played:
    """Return the game of a record. Raises UserError."""
    try:
        return recorded(parse(text), source)
    except GameError as error:
        raise UserError(f"{source}: {error}") from None


Page = tuple[Sequence[RoomInfo], int | None]  # finished games, latest first, and the time before which there are more


class Archive(NamedTuple):
    """How to read the finished games of a server or of a database."""

    page: Callable[[int | None], Awaitable[Page]]
    record: Callable[[str], Awaitable[str]]


async def export_finished(args: Namespace, progress: Progress) -> None:
    """Export the finished games of a server or of a database. Raises UserError."""
    from client.sdk.errors import SessionError
    from server.storage.interface import StoreError

    left = args.games
    try:
        async with served(args) if args.server else stored(args) as archive:
            async for played in finished_games(args, archive):
                if left == 0:
                    break
                await asyncio.to_thread(progress.add, played)  # the search would block the connection
                left = None if left is None else left - 1
    except (SessionError, StoreError) as error:
        raise UserError(str(error)) from None


async def finished_games(args: Namespace, archive: Archive) -> AsyncIterator[Played]:
    """Yield the finished games with the options that are given, newest first."""
    wanted, skip = options_of(args), args.skip
    before: int | None = None
    while True:
        infos, before = await archive.page(before)
        for info in infos:
            if any(str(info.options.get(name)) != value for name, value in wanted.items()):
                continue
            if skip:
                skip -= 1
                continue
            yield read_game(await archive.record(info.room), info.room)
        if before is None:
            return


@asynccontextmanager
async def served(args: Namespace) -> AsyncIterator[Archive]:
    """Read the finished games of a server. Raises SessionError and UserError."""
    from protocol.commands import Export, History

    async with open_session(args, "parlour dataset") as session:

        async def page(before: int | None) -> Page:
            asked = History(id=session.id(), game=args.game, before=before, limit=PAGE_ROOMS)
            found = await session.ask(asked, within=SERVER_TIMEOUT_S)
            return found.rooms or (), found.before

        async def record(room: str) -> str:
            return (await session.ask(Export(id=session.id(), room=room), within=SERVER_TIMEOUT_S)).text

        yield Archive(page, record)


@asynccontextmanager
async def stored(args: Namespace) -> AsyncIterator[Archive]:
    """Read the finished games of a database. Raises StoreError and UserError."""
    from parlour.cli.database import opened_store
    from server.storage.room_index import read_infos

    async with opened_store(args.db, "events") as (store, _):

        async def page(before: int | None) -> Page:
            rows = await store.history(args.game, "", before, PAGE_ROOMS)
            return read_infos(info for _, info in rows), rows[-1][0] if len(rows) >= PAGE_ROOMS else None

        async def record(room: str) -> str:
            return record_of(await store.events(room), room, args.db)

        yield Archive(page, record)
