"""Speed of a server with several workers, relative to one process in the same run, in turns.

    python -m bench.workers                    200 matches on one process and on two workers, in short rounds
    python -m bench.workers --workers 4        another number of workers
    python -m bench.workers --apart            Python load: opponents of every match connect to different workers
    python -m bench.workers --together         Python load: opponents of every match on one worker
    python -m bench.workers --idle-workers 8   the CPU time of a move when more workers run that have nothing to do

Without --apart or --together the system chooses the worker of each connection, as it does for real clients. A compiled
generator (--generator) has no choice either. In the first seconds, which do not count, the connections of a match
move to one worker.

Every rate comes with the CPU time of all processes of the server per move. The delays include the disk of --dir.
"""

from __future__ import annotations

import asyncio
import re
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

import uvloop

from bench.loads import WARM_UP_S, Measured, add_generator_argument, in_turn, load_of
from bench.processes import Server, parlour
from bench.server import MATCHES, spread
from client.loadtest.matches import GAME_MIX, Match, Tally
from client.loadtest.sockets import Client, connect

IDLE_S = 3.0
SETTLING_S = 4.0  # in which connections move to the worker of their game
SCALE_MATCHES = 50
CALM_SHARE = 10  # the calm load has this part of the matches
MAX_ATTEMPTS = 1000  # the system chooses the worker of a connection


class PlacedMatch(Match):
    """A match whose players are on chosen workers."""

    def __init__(self, number: int, tally: Tally, workers: tuple[int, int]) -> None:
        game, options = GAME_MIX[number % len(GAME_MIX)]
        super().__init__(game, options, number, tally)
        self._workers = workers

    async def connect(self, url: str) -> Client:
        """Connect the next player, and try until the system chooses its worker."""
        wanted = self._workers[len(self.players)]
        for _ in range(MAX_ATTEMPTS):
            client = await connect(url)
            if worker_of(client) == wanted:
                return client
            client.transport.close()
        raise SystemExit(f"no connection to worker {wanted}")


def worker_of(client: Client) -> int:
    """Return the worker that a client is connected to."""
    found = re.search(rb"worker (\d+)", client.head)
    return int(found[1]) if found else 0


class PlacedLoad:
    """Matches with both players on one worker, or on two."""

    def __init__(self, apart: bool) -> None:
        self._apart = apart
        self._open: dict[tuple[int, int], tuple[Tally, list[PlacedMatch]]] = {}

    async def moves(self, server: Server, seconds: float, matches: int, workers: int) -> Measured:
        """Measure durable moves on a server with this many workers."""
        key = server.pid, matches
        if key not in self._open:
            tally, opened = Tally(), list[PlacedMatch]()
            for number in range(matches):
                places = number % workers, (number + (1 if self._apart else 0)) % workers
                opened.append(PlacedMatch(number, tally, places))
                await opened[-1].open(server.url)
            await in_turn(server, list(opened), matches, tally, SETTLING_S if workers > 1 else WARM_UP_S)
            self._open[key] = tally, opened
        tally, opened = self._open[key]
        return await in_turn(server, list(opened), matches, tally, seconds)


async def compare(args: Namespace) -> None:
    """Measure one process and several workers in turns."""
    placed = PlacedLoad(args.apart) if args.apart or args.together else None
    load = load_of(args.generator)

    async def moves(server: Server, matches: int, workers: int) -> Measured:
        if placed is not None:
            return await placed.moves(server, args.seconds, matches, workers)
        return await load.moves(server, args.seconds, matches, SETTLING_S if workers > 1 else WARM_UP_S)

    rates, costs, late, calm = [], [], [], []
    with parlour(args.dir) as one, parlour(args.dir, "--workers", str(args.workers)) as several:
        for _ in range(args.rounds):
            single = await moves(one, MATCHES, 1)
            many = await moves(several, MATCHES, args.workers)
            calm.append((await moves(several, MATCHES // CALM_SHARE, args.workers)).p99_ms)
            rates.append(many.rate / single.rate)
            costs.append(many.cpu.total_us - single.cpu.total_us)
            late.append(many.p99_ms)
            print(
                f"one process: {single.rate:.0f}/s at {single.cpu.total_us:.1f} µs; "
                f"{args.workers} workers: {many.rate:.0f}/s at {many.cpu.total_us:.1f} µs, p99 {many.p99_ms:.1f} ms: "
                f"rate {rates[-1]:.2f} x",
                flush=True,
            )
        memory_mb = several.pss_bytes() / 1e6
    goal = "1.10" if args.apart else "1.25"
    print(f"rate {spread(rates)} x one process (goal {goal}), CPU of a move {spread(costs)} µs more")
    print(f"p99 {spread(late)} ms (goal 25), with a tenth of the matches {spread(calm)} ms (goal 5)")
    print(f"{MATCHES} matches take {memory_mb:.0f} MB with all processes")


async def scale(args: Namespace) -> None:
    """Measure the CPU time of a move on two of N workers: it must not grow with N.

    What the server needs without any load, most of it in the sweep of each worker, is subtracted.
    """
    for workers in (2, args.idle_workers):
        load = PlacedLoad(apart=True)
        with parlour(args.dir, "--workers", str(workers)) as server:
            await load.moves(server, args.seconds, SCALE_MATCHES, 2)
            before = server.cpu()
            await asyncio.sleep(IDLE_S)
            idle_us = server.cpu().per(IDLE_S, since=before).total_us
            rounds = [await load.moves(server, args.seconds, SCALE_MATCHES, 2) for _ in range(args.rounds)]
        costs = [one.cpu.total_us - idle_us / one.rate for one in rounds]
        print(f"{workers} workers: {spread(costs)} µs CPU for a move; without load {idle_us / 1e4:.1f} % of a core")


def arguments() -> Namespace:
    parser = ArgumentParser("bench.workers", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each measurement")
    parser.add_argument("--dir", help="folder for the databases; /dev/shm leaves the disk out")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--idle-workers", type=int, default=0, metavar="N")
    add_generator_argument(parser)
    return parser.parse_args()


if __name__ == "__main__":
    args = arguments()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(scale(args) if args.idle_workers else compare(args))
