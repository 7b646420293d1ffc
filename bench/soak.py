"""Memory and file descriptors of a server under churn: players come, play, chat, watch and vanish.

    python -m bench.soak                     20 minutes
    python -m bench.soak --resigns 0.1       short games: more players come and go in a minute
    python -m bench.soak --minutes 2 --pairs 4

The server is a process of its own with SQLite on disk, and so is its writer. Every pair of guests plays a whole game,
with a watcher that gets boards, then all three disconnect, some of them without a word. Prints a line per half minute:
the memory of both processes by kind, as the kernel tells it. `anonymous` is what a process has allocated; `file` are
mapped programs and libraries; `database` are the maps of SQLite, a part of `file`. At the end it prints the growth
between the second and the last quarter, and within the last third. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Callable
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.processes import Memory, Server, descendants, memory, parlour
from client.sdk.errors import SessionError
from client.sdk.session import Session
from engine.registry import GAMES
from protocol.commands import Create, Join, Move, Resign, Say, Watch

SAMPLE_S = 30.0
RESIGNS_PER_MOVE, VANISHES_PER_MOVE = 0.01, 0.0002  # a game without players stays in memory for a minute
LIMIT_S = 600.0  # for one step of a game
PAUSED_S = 5.0  # a sample that is later than this: the processes were stopped


class Sample(NamedTuple):
    """What the processes used at a time."""

    s: float
    games: int
    files: int  # open files and sockets of the server
    server: Memory
    writer: Memory


def take_sample(server: Server, s: float, games: int) -> Sample:
    (writer,) = descendants(server.pid)
    return Sample(s, games, server.descriptors(), memory(server.pid), memory(writer))


FIELDS: dict[str, Callable[[Sample], float]] = {
    "files": lambda sample: sample.files,
    "server rss": lambda sample: sample.server.rss,
    "server anonymous": lambda sample: sample.server.anonymous,
    "writer rss": lambda sample: sample.writer.rss,
    "writer anonymous": lambda sample: sample.writer.anonymous,
}


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


async def churn(url: str, number: int, until: float, played: list[int], broken: list[str], resigns: float) -> None:
    """Play games with new guests until the time is over. Games may break while the processes are stopped."""
    rng = random.Random(number)
    while time.monotonic() < until:
        guests = [Guest(url, f"soak-{number}", wants) for wants in ((), (), ("board", "legal"))]
        try:
            await play_once(guests, rng, resigns)
            played[0] += 1
        except (SessionError, TimeoutError) as error:
            broken.append(f"{type(error).__name__}: {error}")
        finally:
            for guest in guests:
                await guest.close()


async def play_once(guests: list[Guest], rng: random.Random, resigns: float) -> None:
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
        if chance < resigns:
            await first.ask(Resign(id=first.id(), room=room))
        if chance < resigns + VANISHES_PER_MOVE:
            return
        mover, ply = (first, second)[view.turn], view.ply
        await mover.ask(Move(id=mover.id(), room=room, ply=ply, move=rng.choice(view.game.legal(view.state))))
        await guests[0].until(lambda: first.rooms[room].ply > ply or first.rooms[room].status == "ended")  # noqa: B023
        view = first.rooms[room]


async def run(minutes: float, pairs: int, resigns: float) -> None:
    with TemporaryDirectory() as folder, parlour(folder) as server:
        began, played, broken, paused_s = time.monotonic(), [0], list[str](), list[float]()
        end, interval = began + 60 * minutes, min(SAMPLE_S, 60 * minutes / 12)
        tasks = [asyncio.create_task(churn(server.url, n, end, played, broken, resigns)) for n in range(pairs)]
        samples: list[Sample] = []
        print("     s    games files | server MB: rss    pss anonymous   file database | writer MB: the same")
        while time.monotonic() < end - interval:  # at the end, the pairs leave
            due = time.monotonic() + interval
            await asyncio.sleep(interval)
            if time.monotonic() > due + PAUSED_S:
                paused_s.append(time.monotonic() - due)
            samples.append(take_sample(server, time.monotonic() - began, played[0]))
            print(line(samples[-1]), flush=True)
        await asyncio.gather(*tasks)
        print(f"{played[0]} games, {len(broken)} broken; paused {len(paused_s)} times, {sum(paused_s):.0f} s")
        print(*sorted(set(broken)), sep="\n", end="\n" if broken else "")
        report(samples)


def line(sample: Sample) -> str:
    server, writer = (
        f"{used.rss:6.1f} {used.pss:6.1f} {used.anonymous:8.1f} {used.file:7.1f} {used.database:7.2f}"
        for used in (sample.server, sample.writer)
    )
    return f"{sample.s:6.0f} {sample.games:8} {sample.files:5} |        {server}  | {writer}"


def report(samples: list[Sample]) -> None:
    """Print the growth between the second and the last quarter, and from half to half of the last third."""
    quarter, sixth = max(1, len(samples) // 4), max(1, len(samples) // 6)
    for name, field in FIELDS.items():
        print(
            f"{name:17} {field(samples[-1]):6.1f}   "
            f"second to last quarter {grown(field, samples[quarter : 2 * quarter], samples[-quarter:])}   "
            f"last third {grown(field, samples[-2 * sixth : -sixth], samples[-sixth:])}"
        )


def grown(field: Callable[[Sample], float], before: list[Sample], after: list[Sample]) -> str:
    """Return the growth of a figure, and what it would be per hour."""
    growth = fmean(map(field, after)) - fmean(map(field, before))
    hours = (fmean(sample.s for sample in after) - fmean(sample.s for sample in before)) / 3600
    return f"{growth:+6.2f} in {60 * hours:2.0f} min, {growth / hours if hours else 0:+6.1f} per hour"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0, help="how long (default: 20)")
    parser.add_argument("--pairs", type=int, default=8, help="pairs of players at a time (default: 8)")
    parser.add_argument(
        "--resigns", type=float, default=RESIGNS_PER_MOVE, metavar="P",
        help=f"how likely a player resigns before a move (default: {RESIGNS_PER_MOVE})",
    )  # fmt: skip
    args = parser.parse_args()
    asyncio.run(run(args.minutes, args.pairs, args.resigns))


if __name__ == "__main__":
    main()
