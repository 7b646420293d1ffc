"""A server whose one room talks to its watchers as fast as it can: what a crowd costs, without players and disk.

Prints its address and a room; a line "N" on standard input makes N events of the size of a move.
"""

from __future__ import annotations

import asyncio
import sys
from tempfile import TemporaryDirectory

import uvloop

from protocol.events import Created, Said
from protocol.frames import Packet
from protocol.types import Player, TimeControl
from server.app import App, running
from server.config import Settings
from server.domain import creation
from server.domain.room import apply
from server.rooms.live_room import LiveRoom
from server.storage.interface import append_and_wait
from server.storage.room_index import creation_append

TEXT = "x" * 96  # makes a frame as long as that of a move


async def make_room(app: App) -> LiveRoom:
    now, somebody = app.now(), Player(id="p", name="somebody")
    options = creation.resolve_options("conga", {}, TimeControl())
    created = Created(room="crowded", seq=1, at=now, game="conga", options=options, clock=TimeControl(), by="p")
    founded = creation.create_room(created, somebody, 0)
    first = creation_append(founded)
    await append_and_wait(app.store, first)
    return app.registry.add(founded, first.payloads)


async def talk(app: App, live: LiveRoom, count: int) -> None:
    for _ in range(count):
        said = Said(room=live.room.id, seq=live.room.seq + 1, at=app.now(), name="somebody", text=TEXT)
        live.room = apply(live.room, said)
        app.broadcaster.publish(live, [Packet(said)], None, None)
        await asyncio.sleep(0)


async def main() -> None:
    with TemporaryDirectory() as folder:
        settings = Settings(
            port=0, db=f"{folder}/bench.db", watch_tick=float(sys.argv[1]), connections_per_address=100_000,
            send_buffer=1 << 30,
        )  # fmt: skip
        async with running(settings) as server:
            live = await make_room(server.app)
            print(f"listening on {server.url}", flush=True)
            loop = asyncio.get_running_loop()
            while line := await loop.run_in_executor(None, sys.stdin.readline):
                await talk(server.app, live, int(line))


if __name__ == "__main__":
    uvloop.run(main())
