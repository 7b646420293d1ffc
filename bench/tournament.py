"""Speed of a tournament, relative to the same players without a tournament runner.

    python -m bench.tournament                500 games, 20 at a time, three times in turns

Server, players and runner are separate processes; the runner is this one. The players answer at once. Every result is
on the disk of --dir before it counts, in the server's database and in the tournament's log.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from bench.instant import GAME, name
from bench.processes import parlour
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant, Plan
from client.tournament.model.plan_defaults import with_defaults
from client.tournament.play.setup import ServerAccess, open_runner, play

PLAYERS = 5
PAIRINGS = PLAYERS * (PLAYERS - 1) // 2
numbers = count(1)


@contextmanager
def players(url: str, *more: int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.instant", url, str(PLAYERS), *map(str, more)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def alone(url: str, args: Namespace) -> float:
    """Return games per second when the players invite each other."""
    with players(url, args.games, args.concurrency) as process:
        assert process.stdout is not None
        return float(args.games / float(process.stdout.readline()))


async def run(folder: Folder, url: str) -> tuple[float, float]:
    """Play a tournament. Return the seconds and the CPU seconds of this process."""
    async with open_runner(folder, ServerAccess(url), lambda line: None, lambda update: None) as runner:
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        await play(runner)
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return time.perf_counter() - began, spent


def tournament(url: str, args: Namespace, place: Path) -> tuple[float, float]:
    """Return games per second, and the runner's CPU time per game in milliseconds."""
    folder = Folder(place / f"cup{next(numbers)}")
    contestants = tuple(Contestant(name(number), at_a_time=args.concurrency) for number in range(PLAYERS))
    games = args.games // PAIRINGS // 2 * 2
    plan = Plan("bench", GAME, "round-robin", contestants, games=games, concurrency=args.concurrency)
    folder.create(with_defaults(plan, "bench"))
    with players(url):
        seconds, spent = uvloop.run(run(folder, url))
    done = len(folder.state().results)
    assert done == games * PAIRINGS
    return done / seconds, 1000 * spent / done


def main(args: Namespace) -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {args.games} games, {args.concurrency} at a time")
    ratios = []
    with TemporaryDirectory(dir=args.dir) as folder, parlour(folder, "--rooms-per-player", "1000") as server:
        for _ in range(args.repeat):
            bare = alone(server.url, args)
            rate, cost = tournament(server.url, args, Path(folder))
            ratios.append(rate / bare)
            print(
                f"players alone {bare:.1f} games/s, tournament {rate:.1f} games/s: {rate / bare:.2f} x; "
                f"the runner takes {cost:.1f} ms of CPU time per game",
                flush=True,
            )
    print(f"tournament: median {statistics.median(ratios):.2f} x of the rate without a runner")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--dir", help="folder for database and log (default: a temporary folder)")
    main(parser.parse_args())
