"""A server in this process for tests of clients, and sessions of the client library."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from client.sdk.session import Session
from protocol.commands import Create, Join, Move
from runtime.backoff import Backoff
from server.app import Running, running
from server.config import Settings
from server.rooms.timers import Now, now
from server.transport.website import Website
from tests.waiting import TIMEOUT_S
from tests.waiting import until as until


@asynccontextmanager
async def running_server(
    folder: Path, clock: Now = now, website: Website | None = None, **settings: Any
) -> AsyncIterator[Running]:
    """Run a server on a free port, practically without rate limits."""
    values = {"port": 0, "db": str(folder / "parlour.db"), "rate": 100_000.0, "burst": 100_000, **settings}
    async with running(Settings(**values), clock, website) as server:
        yield server


def session(url: str, name: str = "", **more: Any) -> Session:
    return Session(url, name=name, **{"backoff": Backoff(0.005, 0.05), "timeout": TIMEOUT_S, **more})


async def seat_two(first: Session, second: Session, game: str = "conga", **setup: Any) -> str:
    """Create a room with the first session on seat 0 and the second on seat 1, and wait until the game starts."""
    created = await first.ask(Create(id=first.id(), game=game, seat=0, **setup))
    await second.ask(Join(id=second.id(), room=created.room))
    for player in (first, second):
        await until("the game has started", partial(running_in, player, created.room))
    return created.room


def running_in(player: Session, room: str) -> bool:
    return room in player.rooms and player.rooms[room].status == "running"


LINE = ("a1", "d4", "a2", "d3", "a3")  # a whole game of n-k-coh-coh


async def play(players: tuple[Session, Session], room: str, moves: tuple[str, ...]) -> None:
    """Play moves in turns, from the start."""
    for ply, move in enumerate(moves):
        player = players[ply % 2]
        await player.ask(Move(id=player.id(), room=room, ply=ply, move=move, note="depth 1" if not ply else ""))


async def parlour_command(*words: str, **environment: str) -> tuple[int, str, str]:
    """Run a `parlour` command as a process, and return its exit status, stdout and stderr."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", *words,
        env={**os.environ, **environment}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(TIMEOUT_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
