"""Overhead of a bot: milliseconds from the server's timestamp of one move to its timestamp of the next.

    python -m bench.bots                     a bot in a thread, and a program with --exec, 2,000 moves each
    python -m bench.bots --moves 500
    python -m bench.bots --folder /mnt/data  put the database there

Server, bot and opponent are three processes. Both players answer at once, so the time between two timestamps is all
overhead: the server's write to disk, the network, the bot's thread, or the program and its pipe. A move gets its
timestamp before it is written and is sent after that, so every time includes one flush of the disk.

Two more rows of the same run help to separate the bot from the rest. `bare` is the round trip of the same messages with
a session instead of a bot. `flush` is the time the disk takes to make 4 KB durable. Without --folder, everything is
measured twice: on disk and, if there is one, on a memory disk. The goals for the 99th percentile are 5 ms and 10 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from client.sdk.session import Session
from protocol.commands import Create, Join, Lobby, Move, Watch
from protocol.events import Ended, Moved
from protocol.replies import Invited, LobbyUpdate

GAME, OPTIONS = "cohcoh", {"n": 12, "k": 12}  # always 144 moves
MEMORY_DISK = "/dev/shm"
FLUSHES_PER_ROUND = 20
GOALS_MS = {"thread": 5.0, "exec": 10.0}
ANY = """
import random
from parlour import Bot

class Any(Bot):
    def choose(self, game, state, budget):
        return random.choice(game.moves(state))
"""
EXEC = """
import json, random, sys
for line in sys.stdin:
    print(random.choice(json.loads(line)["moves"]), flush=True)
"""


@asynccontextmanager
async def process(*words: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a `parlour` command until the block is left."""
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", *words, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL, env={**os.environ, **environment},
    )  # fmt: skip
    try:
        yield started
    finally:
        if started.returncode is None:
            started.terminate()
        await started.communicate()


async def listening(server: asyncio.subprocess.Process) -> str:
    assert server.stdout is not None
    return (await asyncio.wait_for(server.stdout.readline(), 20)).decode().split()[-1]


async def wait_until_listed(session: Session, name: str) -> None:
    """Wait until a bot is listed in the lobby."""
    await session.ask(Lobby(id=session.id(), on=True))
    async for message in session:
        if isinstance(message, LobbyUpdate) and name in {bot.name for bot in message.bots or ()}:
            break
    await session.ask(Lobby(id=session.id(), on=False))


async def answer(session: Session, room: str) -> None:
    """Play a game with random moves, each sent at once."""
    answered = -1
    async for message in session:
        table = session.rooms.get(room)
        if table is None or getattr(message, "room", "") != room:
            continue
        if table.status == "ended":
            return
        if table.my_move and table.ply != answered:
            answered = table.ply
            assert table.game is not None
            move = table.game.format(table.state, random.choice(table.game.moves(table.state)))
            command = Move(id=session.id(), room=room, ply=table.ply, move=move)
            asyncio.get_running_loop().create_task(session.ask(command))


async def play(url: str, session: Session, name: str) -> list[float]:
    """Play one game. Return the milliseconds that each move of the opponent took, by the server's timestamps."""
    made = await session.ask(Create(id=session.id(), game=GAME, options=dict(OPTIONS), invite=name, seat=0))
    stamps: dict[int, int] = {}

    async with Session(url, name="watcher") as watcher:
        await watcher.ask(Watch(id=watcher.id(), room=made.room))
        playing = asyncio.create_task(answer(session, made.room))
        async for message in watcher:
            if isinstance(message, Moved):
                stamps[message.ply] = message.at
            if isinstance(message, Ended):
                break
        await playing
    return [float(stamps[ply] - stamps[ply - 1]) for ply in range(2, max(stamps) + 1, 2)]


async def bare(url: str, session: Session) -> list[float]:
    """Play one game against a session instead of a bot. Return the times as `play` does."""
    async with Session(url, name="bare") as other:
        joining = asyncio.create_task(join_and_answer(other))
        times = await play(url, session, "bare")
        await joining
        return times


async def join_and_answer(other: Session) -> None:
    async for message in other:
        if isinstance(message, Invited):
            await other.ask(Join(id=other.id(), room=message.room.room))
            await answer(other, message.room.room)
            return


def flushes(folder: str, count: int) -> Iterator[float]:
    """Yield the milliseconds that a disk takes to make a small write durable."""
    with Path(folder, "flush").open("wb", buffering=0) as file:
        for _ in range(count):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            yield (time.perf_counter() - began) * 1000


@contextmanager
def folder_with(files: dict[str, str], where: str | None) -> Iterator[str]:
    """Create a temporary folder with these files."""
    with tempfile.TemporaryDirectory(dir=where) as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text)
        yield folder


async def measure(moves: int, where: str | None = None) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"flush": [], "bare": [], "thread": [], "exec": []}
    with folder_with({"any.py": ANY, "exec.py": EXEC}, where) as folder:
        flags = ["--port", "0", "--db", f"{folder}/bench.db", "--house", "none", "--watch-tick", "0"]
        flags += ["--rate", "1000000", "--burst", "1000000", "--rooms-per-minute", "1000000000", "--log-level", "error"]
        async with process("serve", *flags) as server:
            url = await listening(server)
            bot = ("bot", "--url", url, "--no-state", "--name")
            async with (
                process(*bot, "thread", f"{folder}/any.py"),
                process(*bot, "exec", "--exec", shlex.join([sys.executable, "-S", f"{folder}/exec.py"])),
                Session(url, name="opponent") as session,
            ):
                for name in ("thread", "exec"):
                    await wait_until_listed(session, name)
                while len(times["exec"]) < moves:
                    times["flush"] += flushes(folder, FLUSHES_PER_ROUND)
                    times["bare"] += await bare(url, session)
                    for name in ("thread", "exec"):
                        times[name] += await play(url, session, name)
    return times


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def show(times: dict[str, list[float]]) -> None:
    base = statistics.fmean(times["bare"])
    print(
        f"{'':8} {'moves':>6} {'mean':>7} {'p50':>6} {'p99':>6} {'worst':>6} {'own':>6} {'ratio':>6} {'goal':>5}   (ms)"
    )
    for name, values in times.items():
        mean, p99 = statistics.fmean(values), percentile(values, 0.99)
        figures = f"{len(values):6} {mean:7.2f} {percentile(values, 0.5):6.1f} {p99:6.1f} {max(values):6.1f}"
        more = (
            f"{mean - base:6.2f} {mean / base:6.2f} {GOALS_MS[name] / max(p99, 0.5):5.1f}" if name in GOALS_MS else ""
        )
        print(f"{name:8} {figures} {more}".rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=2000, help="moves of each kind (default: 2000)")
    parser.add_argument("--folder", help="folder for the database")
    args = parser.parse_args()
    folders = [args.folder] if args.folder else [None, *(folder for folder in (MEMORY_DISK,) if Path(folder).is_dir())]
    for folder in folders:
        print(f"database in {folder or tempfile.gettempdir()}")
        show(asyncio.run(measure(max(1, args.moves), folder)))
    print("own: mean minus bare; ratio: mean / bare; goal: goal / p99. Timestamps are whole milliseconds.")


if __name__ == "__main__":
    main()
