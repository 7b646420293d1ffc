"""How long a server takes to start with many games in its database, and how much memory it needs.

    python -m bench.start                              20,000 finished and 20,000 running games in SQLite
    python -m bench.start --finished 0 --running 2000
    python -m bench.start --db postgresql://…          an empty database of PostgreSQL

The games are written directly into the store, as a server would have written them. Then a server starts, and a player
of one game returns. Prints the seconds until the server listens, its memory, and the seconds until the player has the
game.
"""

from __future__ import annotations

import asyncio
import random
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import uvloop

from bench.processes import NO_LIMITS, server
from client.loadtest.matches import FISCHER, ask, random_moves
from client.loadtest.sockets import connect
from protocol.codec import MSGPACK
from protocol.commands import Hello, Join, Move, Resign
from protocol.events import AnyEvent, Created
from protocol.replies import Welcome
from protocol.types import Player
from server.domain import creation
from server.domain.decide import decide
from server.rooms.timers import now
from server.storage.factory import open_store
from server.storage.interface import Append, Session, append_and_wait
from server.storage.room_index import room_row

GAME = "maxconnect4"
PLIES = 20
APPENDS_AT_ONCE = 500
SECRET = "a" * 48


def games(count: int, finished: bool, first: int) -> Iterator[Append]:
    """Yield games of two players each, in the middle or resigned there."""
    options = creation.resolve_options(GAME, {}, FISCHER)
    moves = random_moves(GAME, {}, random.Random(1))[:PLIES]
    for number in range(first, first + count):
        at = now()
        players = [Player(id=f"{seat}{number:015}", name=f"{seat}-{number}") for seat in "ab"]
        setup = Created(
            room=f"room{number:08}", seq=1, at=at, game=GAME, options=options, clock=FISCHER, by=players[0].id
        )  # fmt: skip
        events, room = creation.create_room(setup, players[0], 0)
        log: list[AnyEvent] = list(events)
        commands: list[tuple[int, Join | Move | Resign]] = [(1, Join(id=1, room=setup.room))]
        commands += [(side, Move(id=1, room=setup.room, ply=ply, move=text)) for ply, (side, text) in enumerate(moves)]
        if finished:
            commands.append((0, Resign(id=1, room=setup.room)))
        for side, command in commands:
            new_events, room = decide(room, players[side], command, at, 0, 0)
            log += new_events
        yield Append(room.id, 0, tuple([MSGPACK.encode(event) for event in log]), room_row(room, room.deadline))


async def fill(db: str, finished: int, running: int) -> None:
    """Write the games, and a session for a player of the first one that runs."""
    store = open_store(db)
    await store.open()
    await store.save_session(SECRET, Session(f"a{finished:015}", "returning", ""), now())
    pending = []
    for over, count, first in ((True, finished, 0), (False, running, finished)):
        for append in games(count, over, first):
            pending.append(append_and_wait(store, append))
            if len(pending) == APPENDS_AT_ONCE:
                await asyncio.gather(*pending)
                pending.clear()
    await asyncio.gather(*pending)
    await store.mark_alive("bench", now())
    await store.close()


async def return_to_game(url: str) -> tuple[float, int]:
    """Return the seconds until a player is welcome again, and the number of the player's games."""
    began = time.perf_counter()
    client = await connect(url)
    welcome = await ask(client, Hello(id=1, resume=SECRET))
    assert isinstance(welcome, Welcome)
    client.transport.close()
    return time.perf_counter() - began, len(welcome.rooms)


async def measure(db: str, args: Namespace) -> None:
    await fill(db, args.finished, args.running)
    for _ in range(args.repeat):
        began = time.perf_counter()
        with server("parlour", "serve", "--port", "0", "--db", db, *NO_LIMITS) as running:
            seconds = time.perf_counter() - began
            memory_mb, cpu_s = running.pss_bytes() / 1e6, running.cpu().total_us / 1e6
            returned_s, rooms = await return_to_game(running.url)
        print(
            f"start: {args.finished} finished and {args.running} running games: {seconds:.2f} s (goal 2), "
            f"{cpu_s:.2f} s CPU, {memory_mb:.0f} MB with the writer process; "
            f"a player returns to {rooms} game in {returned_s * 1000:.0f} ms",
            flush=True,
        )


def main() -> None:
    parser = ArgumentParser(
        description=__doc__, formatter_class=RawDescriptionHelpFormatter, prog="python -m bench.start"
    )
    parser.add_argument("--finished", type=int, default=20_000, help="default: 20000")
    parser.add_argument("--running", type=int, default=20_000, help="default: 20000")
    parser.add_argument("--repeat", type=int, default=3, help="starts, one after the other (default: 3)")
    parser.add_argument("--db", default="", help="an empty database (default: a temporary file)")
    parser.add_argument("--dir", default=None, help="folder of the temporary file")
    args = parser.parse_args()
    with TemporaryDirectory(dir=args.dir) as folder:
        uvloop.run(measure(args.db or f"{folder}/start.db", args))


if __name__ == "__main__":
    main()
