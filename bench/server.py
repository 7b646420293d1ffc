"""Speed of the server, as ratios to bare websockets measured in the same run, in turns.

    python -m bench.server              everything, a few minutes
    python -m bench.server moves        durable moves in 200 matches, relative to echo round trips on 400 connections
    python -m bench.server calm         delay of a move at a tenth of that load
    python -m bench.server watchers     events to 200 watchers of one room, relative to websockets.broadcast()
    python -m bench.server crowd        delay of a move with 200 watchers, relative to none
    python -m bench.server memory       memory of an idle watcher, relative to a bare connection
    python -m bench.server rooms        moves per second with 10, 200 and 2000 rooms

Servers and load run in separate processes, all on the loopback interface. A move counts when the opponent has received
it, which is after it is on disk. So no delay is shorter than a write to the disk of --dir, which is measured too.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from client.loadtest.matches import REPLY_TIMEOUT_S, Match, Tally, ask, measure, open_matches, percentile
from client.loadtest.matches import play as play_on
from client.loadtest.sockets import Client, connect, masked
from protocol.commands import Hello, Watch

MOVE_BYTES = 44  # message of the echo
SETTLING_POLL_S = 0.05
ROUNDS = 4  # per measurement that compares two servers
NO_LIMITS = [
    "--house",
    "none",
    "--rate",
    "1e9",
    "--burst",
    "1000000",
    "--connections-per-address",
    "100000",
    "--log-level",
    "error",
]


# a variable, because bench.compare also starts older servers: they ignore what they do not know
NO_ROOM_LIMIT = {"PARLOUR_ROOMS_PER_MINUTE": "1000000000"}


class Server:
    """A server process. The last word of the first line it prints is its URL."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **NO_ROOM_LIMIT},
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().decode().split()[-1]

    def rss_bytes(self) -> int:
        return rss_bytes(self.process.pid)

    def children_rss_bytes(self) -> int:
        """Return the memory of its child processes: the one that writes to the database."""
        pid = self.process.pid
        return sum(rss_bytes(int(child)) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())

    def send_line(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()


def rss_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


@contextmanager
def server(*command: str) -> Iterator[Server]:
    running = Server(*command)
    try:
        yield running
    finally:
        running.process.terminate()
        running.process.communicate()


@contextmanager
def parlour(folder: str, *flags: str) -> Iterator[Server]:
    with (
        TemporaryDirectory(dir=folder) as place,
        server("parlour", "serve", "--port", "0", "--db", f"{place}/bench.db", *NO_LIMITS, *flags) as running,
    ):
        yield running


# -- loads


async def echo(url: str, connections: int, seconds: float) -> float:
    """Return the round trips per second of an echo."""
    clients = [await connect(url) for _ in range(connections)]
    count, running, frame = 0, True, masked(bytes(MOVE_BYTES))

    def reader(client: Client) -> Callable[[bytes], None]:
        def read(payload: bytes) -> None:
            nonlocal count
            count += 1
            if running:
                client.send(frame)

        return read

    for client in clients:
        client.on_message = reader(client)
        client.send(frame)
    await asyncio.sleep(0.5)
    before, began = count, time.perf_counter()
    await asyncio.sleep(seconds)
    rate = (count - before) / (time.perf_counter() - began)
    running = False
    await asyncio.sleep(0.2)
    for client in clients:
        client.transport.close()
    return rate


async def play(matches: list[Match], tally: Tally, seconds: float) -> tuple[float, list[float]]:
    """Return moves per second, and the sorted delays in ms until the opponent received a move. Fails on any error."""
    measured = await play_on(matches, tally, seconds)
    assert not tally.errors, tally.errors[0]
    await asyncio.sleep(0.3)
    return measured


def flush_ms(folder: str) -> float:
    """Return the median time of a minimal durable transaction on this disk."""
    times = []
    with TemporaryDirectory(dir=folder) as place:
        connection = sqlite3.connect(f"{place}/flush.db", isolation_level=None)
        connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (x)")
        for _ in range(50):
            began = time.perf_counter()
            connection.execute("INSERT INTO t VALUES (1)")
            times.append((time.perf_counter() - began) * 1000)
        connection.close()
    return statistics.median(times)


# -- measurements


async def moves(args: Namespace) -> None:
    """Measure in short alternating rounds, because the speed of a shared machine changes from second to second."""
    print(f"disk: {flush_ms(args.dir):.1f} ms for a minimal transaction")
    ratios, late = [], []
    with server("bench.echo") as bare, parlour(args.dir) as ours:
        tally = Tally()
        matches = await open_matches(ours.url, 200, tally)
        for _ in range(args.repeat * ROUNDS):
            trips = await echo(bare.url, 400, args.seconds / ROUNDS)
            rate, delays = await in_turn(matches, len(matches), tally, args.seconds / ROUNDS)
            ratios.append(rate / trips)
            late.append(percentile(delays, 99))
            print(
                f"moves: {rate:.0f}/s durable, echo {trips:.0f}/s: {ratios[-1]:.2f} x; "
                f"latency p50 {percentile(delays, 50):.1f} p99 {late[-1]:.1f} ms",
                flush=True,
            )
        size, writing = ours.rss_bytes() / 2**20, ours.children_rss_bytes() / 2**20
        for match in matches:
            match.close()
    print(
        f"moves: median {statistics.median(ratios):.2f} x (goal 0.75), p99 {statistics.median(late):.1f} ms (goal 25); "
        f"RSS with 200 matches {size:.0f} MB (goal 60), writer process {writing:.0f} MB"
    )


async def calm(args: Namespace) -> None:
    with parlour(args.dir) as ours:
        tally = Tally()
        rate, _ = await play(await open_matches(ours.url, 200, tally), tally, args.seconds)
        tally = Tally()
        paced, delays = await play(await open_matches(ours.url, 200, tally, think=2000 / rate), tally, 2 * args.seconds)
        print(
            f"calm: {paced:.0f}/s of {rate:.0f}/s: latency "
            f"p50 {percentile(delays, 50):.1f} p99 {percentile(delays, 99):.1f} ms "
            f"(goal p99 5; the disk takes {flush_ms(args.dir):.1f} ms)"
        )


async def deliveries(url: str, start: Callable[[Client], None], count: int, watch: bool) -> float:
    """Return the deliveries per second of `count` messages to 200 connections, until the last byte has arrived."""
    clients = [await connect(url) for _ in range(200)]
    for client in clients if watch else ():
        await ask(client, Hello(id=1))
        await ask(client, Watch(id=2, room="crowded"))
    await asyncio.sleep(0.3)
    received, size = 0, 0
    done = asyncio.Event()

    def count_bytes(amount: int) -> None:
        nonlocal received
        received += amount
        if size and received >= count * size * len(clients):
            done.set()

    for client in clients:
        client.on_bytes = count_bytes
    size = EVENT_BYTES + 4  # with the header of the frame
    began = time.perf_counter()
    start(clients[0])
    await asyncio.wait_for(done.wait(), 120)
    rate = count * len(clients) / (time.perf_counter() - began)
    for client in clients:
        client.transport.close()
    return rate


EVENT_BYTES = 158  # size of an event of bench/fanout.py


async def watchers(args: Namespace) -> None:
    count = 2000
    request = masked(f"broadcast {count} {EVENT_BYTES}".encode())
    with server("bench.echo") as bare, server("bench.fanout", "0") as once, server("bench.fanout", "0.02") as tick:
        for _ in range(args.repeat):
            base = await deliveries(bare.url, lambda client: client.send(request), count, False)
            at_once = await deliveries(once.url, lambda _: once.send_line(str(count)), count, True)
            on_tick = await deliveries(tick.url, lambda _: tick.send_line(str(count)), count, True)
            print(
                f"watchers: broadcast() {base / 1e6:.2f} M/s; at once {at_once / base:.2f} x (goal 1.5), "
                f"on the tick {on_tick / base:.2f} x (goal 8)",
                flush=True,
            )


async def crowd(args: Namespace) -> None:
    with parlour(args.dir) as ours:
        for _ in range(args.repeat):
            medians = []
            for size in (0, 200):
                tally = Tally()
                (match,) = await open_matches(ours.url, 1, tally)
                spectators = [await connect(ours.url) for _ in range(size)]
                for client in spectators:
                    await ask(client, Hello(id=1))
                    await ask(client, Watch(id=2, room=match.room))
                    client.on_bytes = lambda amount: None
                _, delays = await play([match], tally, args.seconds)
                medians.append(percentile(delays, 50))
                for client in spectators:
                    client.transport.close()
            print(f"crowd: p50 {medians[0]:.2f} ms alone, with 200 watchers {medians[1] / medians[0]:.2f} x (goal 1.5)")


async def memory(args: Namespace) -> None:
    count, used = args.idle, []
    with server("bench.echo") as bare, parlour(args.dir) as ours:
        (match,) = await open_matches(ours.url, 1, Tally())
        for running, watch in ((bare, False), (ours, True)):
            empty, clients = running.rss_bytes(), []
            for _ in range(count):
                client = await connect(running.url)
                clients.append(client)
                if watch:
                    await ask(client, Hello(id=1))
                    await ask(client, Watch(id=2, room=match.room))
            await asyncio.sleep(1)
            used.append((running.rss_bytes() - empty) / count / 1024)
            for client in clients:
                client.transport.close()
    print(f"memory: {count} idle watchers: {used[1]:.1f} KiB each (goal 18), bare websockets {used[0]:.1f} KiB")
    print(f"memory: {used[1] / used[0]:.2f} x (goal 1.3)")


async def rooms(args: Namespace) -> None:
    """Keep ten moves in flight at any time, in all rooms by turns."""
    rates: dict[int, list[float]] = {10: [], 200: [], 2000: []}
    with ExitStack() as servers:
        tables: dict[int, tuple[Tally, list[Match]]] = {}
        for count in rates:
            tally = Tally()
            matches = await open_matches(servers.enter_context(parlour(args.dir)).url, count, tally)
            for number, match in enumerate(matches):
                match.next_match = matches[(number + 10) % count] if count > 10 else None
            tables[count] = tally, matches
        for _ in range(args.repeat):
            for count, (tally, matches) in tables.items():
                rate, _ = await in_turn(matches, 10, tally, args.seconds)
                rates[count].append(rate)
        for _, matches in tables.values():
            for match in matches:
                match.close()
    for count, measured in rates.items():
        ratio = statistics.median(rate / few for rate, few in zip(measured, rates[10], strict=True))
        rate = statistics.median(measured)
        print(f"rooms: {count}: {rate:.0f} moves/s, {ratio:.2f} x of 10 rooms (goal 0.8)", flush=True)


async def in_turn(matches: list[Match], in_flight: int, tally: Tally, seconds: float) -> tuple[float, list[float]]:
    """Measure as `play` does, with `in_flight` moves at any time. The matches can continue afterwards."""
    for match in matches:
        match.playing = True
    for match in matches[:in_flight]:
        match.move()
    measured = await measure(tally, seconds)
    assert not tally.errors, tally.errors[0]
    for match in matches:
        match.playing = False
    async with asyncio.timeout(REPLY_TIMEOUT_S):  # for the last moves and for rematches
        while not all(match.settled for match in matches):  # noqa: ASYNC110
            await asyncio.sleep(SETTLING_POLL_S)
    return measured


PARTS: dict[str, Callable[[Namespace], Coroutine[Any, Any, None]]] = {
    "moves": moves,
    "calm": calm,
    "watchers": watchers,
    "crowd": crowd,
    "memory": memory,
    "rooms": rooms,
}


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each measurement (default: 5)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--idle", type=int, default=5000, help="connections of the memory part (default: 5000)")
    parser.add_argument("--dir", default=".", help="folder on the disk to measure (default: the current folder)")
    args = parser.parse_args()
    if unknown := [part for part in args.parts if part not in PARTS]:
        parser.error(f"{unknown[0]!r} is not a part: try {', '.join(PARTS)}")
    wanted = [part for part in PARTS if not args.parts or part in args.parts]
    max_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for part in wanted:
        uvloop.run(PARTS[part](args))


if __name__ == "__main__":
    main()
