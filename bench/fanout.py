"""A server with one room that sends events to its watchers as fast as it can, without players and disk.

Prints its URL. A line "N" on standard input sends N events of the size of a move.
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

SPEAKER = "a-player"
TEXT = "x" * 96  # the frame is as long as that of a move


async def make_room(app: App) -> LiveRoom:
    now, player = app.now(), Player(id="p", name=SPEAKER)
    options = creation.resolve_options("conga", {}, TimeControl())
    created = Created(room="crowded", seq=1, at=now, game="conga", options=options, clock=TimeControl(), by="p")
    new_room = creation.create_room(created, player, 0)
    first = creation_append(new_room)
    await append_and_wait(app.store, first)
    return app.registry.add(new_room, first.payloads)


async def send_events(app: App, live: LiveRoom, count: int) -> None:
    for _ in range(count):
        said = Said(room=live.room.id, seq=live.room.seq + 1, at=app.now(), name=SPEAKER, text=TEXT)
        live.room = apply(live.room, said)
        app.broadcaster.publish(live, [Packet(said)], None, None)
        await asyncio.sleep(0)


async def main() -> None:
    with TemporaryDirectory() as folder:
        settings = Settings(
            port=0, db=f"{folder}/bench.db", watch_tick=float(sys.argv[1]), connections_per_address=100_000,
            send_buffer=1 << 30, rate=1e9, burst=1_000_000,
        )  # fmt: skip
        async with running(settings) as server:
            live = await make_room(server.app)
            print(f"listening on {server.url}", flush=True)
            loop = asyncio.get_running_loop()
            while line := await loop.run_in_executor(None, sys.stdin.readline):
                await send_events(server.app, live, int(line))


if __name__ == "__main__":
    uvloop.run(main())
