"""The terminal client: from the command to the first picture, and what a wall of many games costs.

python -m bench.tui start            the time to the first paint, against an interpreter that imports Textual alone
python -m bench.tui wall             the share of a core for a wall of 60 games with 20 moves a second, and its parts
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

FIRST_WORDS = b"one moment"  # what the first screen says


def first_paint(command: list[str], words: bytes) -> float:
    """Seconds until a program in a terminal of its own has drawn these words."""
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
                raise SystemExit(f"{command}: nothing was painted: {seen[-200:]!r}")
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
    first_paint(ours, FIRST_WORDS)  # warm: files are in memory, bytecode is there
    pairs = [(first_paint(ours, FIRST_WORDS), first_paint(bare, FIRST_WORDS)) for _ in range(repeat)]
    mine, theirs = (min(times) for times in zip(*pairs, strict=True))
    print(f"start: first paint after {mine:.2f} s (goal 1 s), a bare Textual app {theirs:.2f} s, {mine / theirs:.2f} x")


BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    BINDINGS = [("ctrl+c", "quit")]
    def compose(self):
        yield Static("one moment")
Bare().run()
"""


async def players(url: str, rooms: int, rate: float, told: list[str]) -> None:
    """Two sessions that play many games at once, so many moves a second in all; a game that ends begins anew."""
    rng = random.Random(1)
    async with Session(url, name="first") as first, Session(url, name="second") as second:
        games = cycle(GAMES)

        async def open_room() -> str:
            made = await first.ask(Create(id=first.id(), game=next(games), seat=0))
            await second.ask(Join(id=second.id(), room=made.room))
            return made.room

        told += [await open_room() for _ in range(rooms)]
        began, moves = time.perf_counter(), 0
        while True:
            room = told[moves % rooms]
            table = first.rooms[room]
            if table.status == "ended":
                told[moves % rooms] = await open_room()
            elif table.game is not None:
                player = (first, second)[table.turn]
                move = rng.choice(table.game.legal(table.state))
                await player.ask(Move(id=player.id(), room=room, ply=table.ply, move=move))
            moves += 1
            await asyncio.sleep(max(0.0, began + moves / rate - time.perf_counter()))


def used(pid: int) -> float:
    """Seconds of CPU that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure_wall(rooms: int, rate: float, seconds: float, size: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", f"{folder}/wall.db", "--house", "none",
            "--rooms-per-player", "100000", "--rate", "100000", "--burst", "100000", "--log-level", "error",
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
    """`parlour watch` in a terminal of its own, whose every byte is read."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    words = [sys.executable, "-m", "parlour", "watch", *names, "--url", url]
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(words, stdin=child, stdout=child, stderr=child, env=environment)
    drain(parent, 5.0)  # until all boards hang
    before, began = used(process.pid), time.perf_counter()
    drawn = drain(parent, seconds)
    cpu, wall = used(process.pid) - before, time.perf_counter() - began
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
    """Read what is drawn for some time; how many bytes that is."""
    end, drawn = time.perf_counter() + seconds, 0
    while (left := end - time.perf_counter()) > 0:
        ready, _, _ = select.select([screen], [], [], left)
        if ready:
            drawn += len(os.read(screen, 65536))
    return drawn


async def load_alone(url: str, rooms: int, rate: float) -> None:
    told: list[str] = []
    task = asyncio.create_task(players(url, rooms, rate, told))
    while len(told) < rooms:
        await asyncio.sleep(0.01)
        if task.done():
            await task
    print(*told, flush=True)
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
        asyncio.run(load_alone(url, int(rooms), float(rate)))
    else:
        for size in ((80, 24), (200, 60)):
            asyncio.run(measure_wall(args.rooms, args.rate, args.seconds, size))


if __name__ == "__main__":
    main()
