"""Speed of the terminal client: time to the first paint, and CPU time of the TV.

python -m bench.tui start            time to the first paint of play, tv and the lobby, and of a bare Textual app
python -m bench.tui tv               share of a core for the TV of a server with 60 games and 20 moves per second
python -m bench.tui tv --rooms 9     all moves are on the screen
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import pty
import random
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from client.sdk.session import Session
from engine.registry import GAMES
from protocol.commands import Create, Join, Move

FIRST_WORDS = b"Starting"  # text of the first screen
FIRST_PAINT_GOAL_S = 0.45
TV_GOAL_PERCENT = 15
SETTLING_S = 5.0  # until all boards are shown
SIZES = ((80, 24), (120, 40), (200, 60))


class Paint(NamedTuple):
    """The time until a program has drawn something: by the clock, and of its process."""

    seconds: float
    cpu_s: float


def first_paint(command: list[str], words: bytes) -> Paint:
    """Return the time until a program in a new terminal has drawn these words."""
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    with tempfile.TemporaryDirectory() as state:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=child, stdout=child, stderr=child, env={**environment, "XDG_STATE_HOME": state}
        )
        seen = b""
        while words not in seen:
            ready, _, _ = select.select([parent], [], [], 20)
            if not ready:
                raise SystemExit(f"{command} did not draw {words!r}: {seen[-200:]!r}")
            seen += os.read(parent, 65536)
        taken = Paint(time.perf_counter() - began, cpu_s(process.pid))
        os.write(parent, b"\x03")
        while process.poll() is None:
            ready, _, _ = select.select([parent], [], [], 0.05)
            if ready:
                os.read(parent, 65536)
    os.close(parent)
    os.close(child)
    return taken


async def measure_start(repeat: int) -> None:
    """Print the time to the first paint of each command, and to its first useful screen."""
    async with server() as url:
        commands = {  # name -> arguments, words of the first useful screen
            "play": (["play", "conga", "--private"], b"Your move"),
            "play, with a server": (["play", "conga", "--url", url], b"Room"),
            "tv": (["tv", "--url", url], b"live game"),
            "lobby": (["play", "--url", url], b"to filter"),
        }
        bare = [sys.executable, "-c", BARE]
        for name, (words, useful) in commands.items():
            ours = [sys.executable, "-m", "parlour", *words]
            await asyncio.to_thread(first_paint, ours, FIRST_WORDS)  # warms the file cache and writes bytecode
            rounds = [
                (
                    await asyncio.to_thread(first_paint, ours, FIRST_WORDS),
                    await asyncio.to_thread(first_paint, ours, useful),
                    await asyncio.to_thread(first_paint, bare, FIRST_WORDS),
                )
                for _ in range(repeat)
            ]
            ours_s, ready, bare_s = zip(*rounds, strict=True)
            middle = sorted(paint.seconds for paint in ours_s)[repeat // 2]
            print(
                f"{name}: first paint after {min(ours_s).seconds:.2f} s "
                f"(median {middle:.2f}, goal {FIRST_PAINT_GOAL_S}), CPU {least_cpu(ours_s):.2f} s; "
                f"useful after {min(ready).seconds:.2f} s; "
                f"a bare Textual app {min(bare_s).seconds:.2f} s, CPU {least_cpu(bare_s):.2f} s",
                flush=True,
            )


def least_cpu(paints: Sequence[Paint]) -> float:
    return min(paint.cpu_s for paint in paints)


BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    BINDINGS = [("ctrl+c", "quit")]
    def compose(self):
        yield Static("Starting")
Bare().run()
"""


async def players(url: str, rooms: int, rate: float, names: list[str]) -> None:
    """Play many games at once with two sessions, `rate` moves per second in total. A game that ends is replaced."""
    rng = random.Random(1)
    async with Session(url, name="first") as first, Session(url, name="second") as second:
        games = cycle(GAMES)

        async def open_room() -> str:
            made = await first.ask(Create(id=first.id(), game=next(games), seat=0))
            await second.ask(Join(id=second.id(), room=made.room))
            return made.room

        names += [await open_room() for _ in range(rooms)]
        began, moves = time.perf_counter(), 0
        while True:
            room = names[moves % rooms]
            table = first.rooms[room]
            if table.status == "ended":
                names[moves % rooms] = await open_room()
            elif table.game is not None:
                player = (first, second)[table.turn]
                move = rng.choice(table.game.legal(table.state))
                await player.ask(Move(id=player.id(), room=room, ply=table.ply, move=move))
            moves += 1
            await asyncio.sleep(max(0.0, began + moves / rate - time.perf_counter()))


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def server() -> AsyncIterator[str]:
    """Run a server without bots and without limits. Yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", f"{folder}/tui.db", "--house", "none",
            "--rooms-per-player", "100000", "--rooms-per-minute", "1000000000", "--rate", "100000", "--burst", "100000",
            "--log-level", "error",
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            yield (await process.stdout.readline()).decode().split()[-1]
        finally:
            process.terminate()
            await process.wait()


async def measure_tv(rooms: int, rate: float, seconds: float, sizes: Sequence[tuple[int, int]]) -> None:
    async with server() as url:
        load = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.tui", "players", url, str(rooms), str(rate), stdout=asyncio.subprocess.PIPE
        )
        assert load.stdout is not None
        await load.stdout.readline()
        try:
            for size in sizes:
                await asyncio.to_thread(watch_tv, rooms, url, seconds, size)
        finally:
            load.kill()
            await load.wait()


def watch_tv(rooms: int, url: str, seconds: float, size: tuple[int, int]) -> None:
    """Run `parlour tv` in a new terminal, read everything it draws, and print its share of a core."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    words = [sys.executable, "-m", "parlour", "tv", "--url", url]
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(words, stdin=child, stdout=child, stderr=child, env=environment)
    drain(parent, SETTLING_S)
    before, began = cpu_s(process.pid), time.perf_counter()
    drawn = drain(parent, seconds)
    cpu, wall = cpu_s(process.pid) - before, time.perf_counter() - began
    os.write(parent, b"\x03")
    while process.poll() is None:
        drain(parent, 0.1)
    os.close(parent)
    os.close(child)
    print(
        f"tv: {rooms} games, {size[0]}x{size[1]}: {100 * cpu / wall:.1f} % of a core (goal {TV_GOAL_PERCENT} %), "
        f"{drawn / wall / 1024:.0f} KiB/s drawn",
        flush=True,
    )


def drain(screen: int, seconds: float) -> int:
    """Read the output of a terminal for some time. Return the number of bytes."""
    end, drawn = time.perf_counter() + seconds, 0
    while (left := end - time.perf_counter()) > 0:
        ready, _, _ = select.select([screen], [], [], left)
        if ready:
            drawn += len(os.read(screen, 65536))
    return drawn


async def run_players(url: str, rooms: int, rate: float) -> None:
    names: list[str] = []
    task = asyncio.create_task(players(url, rooms, rate, names))
    while len(names) < rooms:
        await asyncio.sleep(0.01)
        if task.done():
            await task
    print(*names, flush=True)
    await task


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("start", "tv", "players"))
    parser.add_argument("load", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rooms", type=int, default=60)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    if args.what == "start":
        asyncio.run(measure_start(args.repeat))
    elif args.what == "players":
        url, rooms, rate = args.load
        asyncio.run(run_players(url, int(rooms), float(rate)))
    else:
        asyncio.run(measure_tv(args.rooms, args.rate, args.seconds, SIZES))


if __name__ == "__main__":
    main()
