"""What a bot costs beyond its own thinking: milliseconds from the server's stamp of one move to its stamp of the next.

python -m bench.bots                     a bot in a thread, and a program through --exec, 2,000 moves each
python -m bench.bots --moves 500
python -m bench.bots --folder /mnt/data  with the database there

Server, bot and opponent are three processes, as in life. Both players answer at once, so that the time between two
stamps is all overhead: the server's write to its disk, the network, the bot's thread or its child and its pipe. A move
is stamped before it is written and shown when it is written, so one flush of the disk is in every time. To tell it from
the bot there are, in the same run and turn by turn, `bare`, the round trip of the same messages with a session that
answers by itself, and `flush`, the time that the disk takes to make 4 KB durable; and without --folder everything is
done twice, on the disk and on a memory disk where there is one. The goals are 5 ms and 10 ms for the 99th percentile.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
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

GAME, OPTIONS = "cohcoh", {"n": 12, "k": 12}  # 144 moves, whatever is played
MEMORY = "/dev/shm"
FLUSHES = 20  # between two rounds of games
GOALS = {"thread": 5.0, "exec": 10.0}
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
    """A `parlour` command for as long as the block lasts."""
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


async def until_here(session: Session, name: str) -> None:
    """Wait for a bot to be in the lobby."""
    await session.ask(Lobby(id=session.id(), on=True))
    async for happening in session:
        if isinstance(happening, LobbyUpdate) and name in {bot.name for bot in happening.bots or ()}:
            break
    await session.ask(Lobby(id=session.id(), on=False))


async def answer(session: Session, room: str) -> None:
    """Play a game by answering at once, with any move."""
    answered = -1
    async for happening in session:
        table = session.rooms.get(room)
        if table is None or getattr(happening, "room", "") != room:
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
    """One game against somebody: the milliseconds that each of the opponent's moves took, by the server's stamps."""
    made = await session.ask(Create(id=session.id(), game=GAME, options=dict(OPTIONS), invite=name, seat=0))
    stamps: dict[int, int] = {}

    async with Session(url, name="watcher") as watcher:
        await watcher.ask(Watch(id=watcher.id(), room=made.room))
        playing = asyncio.create_task(answer(session, made.room))
        async for happening in watcher:
            if isinstance(happening, Moved):
                stamps[happening.ply] = happening.at
            if isinstance(happening, Ended):
                break
        await playing
    return [float(stamps[ply] - stamps[ply - 1]) for ply in range(2, max(stamps) + 1, 2)]


async def bare(url: str, session: Session) -> list[float]:
    """The same against another session instead of a bot."""
    async with Session(url, name="bare") as other:
        joining = asyncio.create_task(join_and_answer(other))
        times = await play(url, session, "bare")
        await joining
        return times


async def join_and_answer(other: Session) -> None:
    async for happening in other:
        if isinstance(happening, Invited):
            await other.ask(Join(id=other.id(), room=happening.room.room))
            await answer(other, happening.room.room)
            return


def flushes(folder: str, count: int) -> Iterator[float]:
    """How long a disk takes to make a small write durable."""
    with Path(folder, "flush").open("wb", buffering=0) as file:
        for _ in range(count):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            yield (time.perf_counter() - began) * 1000


@contextmanager
def written(files: dict[str, str], where: str | None) -> Iterator[str]:
    """A folder with these files."""
    with tempfile.TemporaryDirectory(dir=where) as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text)
        yield folder


async def measure(moves: int, where: str | None = None) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"flush": [], "bare": [], "thread": [], "exec": []}
    with written({"any.py": ANY, "exec.py": EXEC}, where) as folder:
        flags = ["--port", "0", "--db", f"{folder}/bench.db", "--house", "none", "--watch-tick", "0"]
        flags += ["--rate", "1000000", "--burst", "1000000", "--log-level", "error"]
        async with process("serve", *flags) as server:
            url = await listening(server)
            bot = ("bot", "--url", url, "--no-state", "--name")
            async with (
                process(*bot, "thread", f"{folder}/any.py"),
                process(*bot, "exec", "--exec", f"{sys.executable} -S {folder}/exec.py"),
                Session(url, name="opponent") as session,
            ):
                for name in ("thread", "exec"):
                    await until_here(session, name)
                while len(times["exec"]) < moves:
                    times["flush"] += flushes(folder, FLUSHES)
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
        more = f"{mean - base:6.2f} {mean / base:6.2f} {GOALS[name] / max(p99, 0.5):5.1f}" if name in GOALS else ""
        print(f"{name:8} {figures} {more}".rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=2000, help="moves of each kind (2000)")
    parser.add_argument("--folder", help="where the database is")
    args = parser.parse_args()
    folders = [args.folder] if args.folder else [None, *(folder for folder in (MEMORY,) if Path(folder).is_dir())]
    for folder in folders:
        print(f"the database in {folder or tempfile.gettempdir()}")
        show(asyncio.run(measure(max(1, args.moves), folder)))
    print("stamps are whole milliseconds; own: mean beyond bare; ratio: mean over bare; goal: the goal over the p99")


if __name__ == "__main__":
    main()
