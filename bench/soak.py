"""Memory and file descriptors of a server under churn: players come, play, chat, watch and vanish.

    python -m bench.soak                     20 minutes
    python -m bench.soak --minutes 2 --pairs 4

The server is a process of its own with SQLite on disk. Every pair of guests plays a whole game, with a watcher that
gets boards, then all three disconnect, some of them without a word. Prints a line per half minute, and at the end the
growth per hour between the second and the last quarter, when the caches are full. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from bench.processes import Server, parlour
from client.sdk.session import Session
from engine.registry import GAMES
from protocol.commands import Create, Join, Move, Resign, Say, Watch

SAMPLE_S = 30.0
RESIGNS_PER_MOVE, VANISHES_PER_MOVE = 0.01, 0.0002  # a game without players stays in memory for half an hour
LIMIT_S = 60.0  # for one step of a game


def resources(server: Server) -> tuple[float, int]:
    """Return the memory of the server and of its writer in MB, and the server's open files."""
    files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
    return (server.rss_bytes() + server.children_rss_bytes()) / 1e6, files


class Guest:
    """A session whose events are applied as they arrive."""

    def __init__(self, url: str, name: str, wants: tuple[str, ...] = ()) -> None:
        self.session = Session(url, name=name, wants=wants)
        self._changed = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self.session.open()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for _ in self.session:
            self._changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def close(self) -> None:
        await self.session.close()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)


async def churn(url: str, number: int, until: float, played: list[int]) -> None:
    """Play games with new guests until the time is over."""
    rng = random.Random(number)
    while time.monotonic() < until:
        guests = [Guest(url, f"soak-{number}", wants) for wants in ((), (), ("board", "legal"))]
        try:
            await play_once(guests, rng)
            played[0] += 1
        finally:
            for guest in guests:
                await guest.close()


async def play_once(guests: list[Guest], rng: random.Random) -> None:
    """Play a game between the first two guests, before the third. Some resign, and few leave without a word."""
    for guest in guests:
        await guest.open()
    first, second, watcher = (guest.session for guest in guests)
    room = (await first.ask(Create(id=first.id(), game=rng.choice(list(GAMES)), seat=0))).room
    await second.ask(Join(id=second.id(), room=room))
    await watcher.ask(Watch(id=watcher.id(), room=room))
    await watcher.ask(Say(id=watcher.id(), room=room, text="good luck"))
    await guests[0].until(lambda: room in first.rooms and first.rooms[room].status == "running")
    view = first.rooms[room]
    while view.status == "running" and view.game is not None:
        chance = rng.random()
        if chance < RESIGNS_PER_MOVE:
            await first.ask(Resign(id=first.id(), room=room))
        if chance < RESIGNS_PER_MOVE + VANISHES_PER_MOVE:
            return
        mover, ply = (first, second)[view.turn], view.ply
        await mover.ask(Move(id=mover.id(), room=room, ply=ply, move=rng.choice(view.game.legal(view.state))))
        await guests[0].until(lambda: first.rooms[room].ply > ply or first.rooms[room].status == "ended")  # noqa: B023
        view = first.rooms[room]


async def run(minutes: float, pairs: int) -> None:
    with TemporaryDirectory() as folder, parlour(folder) as server:
        began, played = time.monotonic(), [0]
        tasks = [asyncio.create_task(churn(server.url, n, began + 60 * minutes, played)) for n in range(pairs)]
        samples: list[tuple[float, float, int]] = []
        while time.monotonic() < began + 60 * minutes:
            await asyncio.sleep(min(SAMPLE_S, 60 * minutes / 8))
            memory, files = resources(server)
            samples.append((time.monotonic() - began, memory, files))
            print(f"{samples[-1][0]:6.0f} s  {memory:7.1f} MB  {files:4} files  {played[0]:6} games", flush=True)
        await asyncio.gather(*tasks)
        report(samples)


def report(samples: list[tuple[float, float, int]]) -> None:
    """Print the growth per hour between the second and the last quarter."""
    quarter = max(1, len(samples) // 4)
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    hours = (fmean(s[0] for s in late) - fmean(s[0] for s in early)) / 3600
    for name, column in (("MB", 1), ("files", 2)):
        grown = fmean(s[column] for s in late) - fmean(s[column] for s in early)
        print(
            f"growth: {grown:+.1f} {name} in {hours * 60:.0f} min, {grown / hours if hours else 0:+.1f} {name} per hour"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0, help="how long (default: 20)")
    parser.add_argument("--pairs", type=int, default=8, help="pairs of players at a time (default: 8)")
    args = parser.parse_args()
    asyncio.run(run(args.minutes, args.pairs))


if __name__ == "__main__":
    main()
