"""Speed of the terminal client: time to the first paint, and CPU time of a wall of games.

python -m bench.tui start            time to the first paint, compared with a bare Textual app
python -m bench.tui wall             share of a core for a wall of 60 games with 20 moves per second
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
from itertools import cycle
from pathlib import Path

from client.sdk.session import Session
from engine.registry import GAMES
from protocol.commands import Create, Join, Move

FIRST_WORDS = b"Starting"  # text of the first screen


def first_paint(command: list[str], words: bytes) -> float:
    """Return the seconds until a program in a new terminal has drawn these words."""
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
        taken = time.perf_counter() - began
        os.write(parent, b"\x03")
        while process.poll() is None:
            ready, _, _ = select.select([parent], [], [], 0.05)
            if ready:
                os.read(parent, 65536)
    os.close(parent)
    os.close(child)
    return taken


def measure_start(repeat: int) -> None:
    ours = [sys.executable, "-m", "parlour", "play", "conga", "--private"]
    bare = [sys.executable, "-c", BARE]
    first_paint(ours, FIRST_WORDS)  # warms the file cache and writes bytecode
    pairs = [(first_paint(ours, FIRST_WORDS), first_paint(bare, FIRST_WORDS)) for _ in range(repeat)]
    mine, theirs = (min(times) for times in zip(*pairs, strict=True))
    print(f"start: first paint after {mine:.2f} s (goal 1 s), a bare Textual app {theirs:.2f} s, {mine / theirs:.2f} x")


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


async def measure_wall(rooms: int, rate: float, seconds: float, size: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", f"{folder}/wall.db", "--house", "none",
            "--rooms-per-player", "100000", "--rooms-per-minute", "1000000000", "--rate", "100000", "--burst", "100000",
            "--log-level", "error",
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert server.stdout is not None
        url = (await server.stdout.readline()).decode().split()[-1]
        load = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.tui", "players", url, str(rooms), str(rate), stdout=asyncio.subprocess.PIPE
        )
        assert load.stdout is not None
        names = (await load.stdout.readline()).decode().split()
        try:
            await asyncio.to_thread(watch_wall, names, url, seconds, size)
        finally:
            load.kill()
            server.terminate()
            await asyncio.gather(load.wait(), server.wait())


def watch_wall(names: list[str], url: str, seconds: float, size: tuple[int, int]) -> None:
    """Run `parlour watch` in a new terminal, read everything it draws, and print its share of a core."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    words = [sys.executable, "-m", "parlour", "watch", *names, "--url", url]
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(words, stdin=child, stdout=child, stderr=child, env=environment)
    drain(parent, 5.0)  # until all boards are shown
    before, began = cpu_s(process.pid), time.perf_counter()
    drawn = drain(parent, seconds)
    cpu, wall = cpu_s(process.pid) - before, time.perf_counter() - began
    os.write(parent, b"\x03")
    while process.poll() is None:
        drain(parent, 0.1)
    os.close(parent)
    os.close(child)
    print(
        f"wall: {len(names)} games, {size[0]}x{size[1]}: {100 * cpu / wall:.0f} % of a core (goal 30 %), "
        f"{drawn / wall / 1024:.0f} KiB/s drawn"
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
    parser.add_argument("what", choices=("start", "wall", "players"))
    parser.add_argument("load", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rooms", type=int, default=60)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    if args.what == "start":
        measure_start(args.repeat)
    elif args.what == "players":
        url, rooms, rate = args.load
        asyncio.run(run_players(url, int(rooms), float(rate)))
    else:
        for size in ((80, 24), (200, 60)):
            asyncio.run(measure_wall(args.rooms, args.rate, args.seconds, size))


if __name__ == "__main__":
    main()
