"""Speed of the server, as ratios to bare websockets measured in the same run, in turns.

    python -m bench.server              everything, a few minutes
    python -m bench.server moves        durable moves in 200 matches, relative to echo round trips on 400 connections
    python -m bench.server hello        clients that connect and say hello, relative to bare connections
    python -m bench.server calm         delay of a move at a tenth of that load
    python -m bench.server idle         delay of a move when nothing else goes on, relative to an echo
    python -m bench.server watchers     events to 200 watchers of one room, relative to websockets.broadcast()
    python -m bench.server crowd        delay of a move with 200 watchers, relative to none
    python -m bench.server memory       memory of an idle watcher, relative to a bare connection
    python -m bench.server rooms        moves per second with 10, 200 and 2000 rooms

Servers and load run in separate processes, all on the loopback interface. A move counts when the opponent has received
it, which is after it is on disk. So no delay is shorter than a write to the disk of --dir, which is measured too.

Each rate comes with the CPU time of the server and its writer process. CPU time varies less than rates on a shared
machine. The load generator in Python is slower than the server: for rates, use a compiled one with --generator.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shlex
import sqlite3
import statistics
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from bench.loads import MOVE_BYTES, Measured, add_generator_argument, in_turn, load_of
from bench.processes import Cpu, Server, parlour, server
from client.loadtest.matches import REPLY_TIMEOUT_S, Match, Tally, ask, open_matches, percentile
from client.loadtest.matches import play as play_on
from client.loadtest.sockets import Client, connect, masked
from protocol.commands import Hello, Watch

MATCHES = 200
ROUNDS = 4  # per measurement that compares two servers
STORM_CONNECTIONS = 2000
MEMORY_FOLDER = "/dev/shm"  # of Linux


# -- loads


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
    load = load_of(args.generator)
    rates, costs, late, memory_mb = [], [], [], []
    with server("bench.echo") as bare, parlour(args.dir, *args.serve) as ours:
        for _ in range(args.repeat * ROUNDS):
            echo = await load.echo(bare, args.seconds / ROUNDS)
            moved = await load.moves(ours, args.seconds / ROUNDS, MATCHES)
            rates.append(moved.rate / echo.rate)
            costs.append(moved.cpu.total_us / echo.cpu.total_us)
            late.append(moved.p99_ms)
            memory_mb.append(ours.pss_bytes() / 1e6)
            print(
                f"moves: {moved.rate:.0f}/s durable at {as_text(moved.cpu)}, "
                f"echo {echo.rate:.0f}/s at {echo.cpu.total_us:.1f} µs: "
                f"rate {rates[-1]:.2f} x, CPU {costs[-1]:.2f} x; p50 {moved.p50_ms:.1f} p99 {moved.p99_ms:.1f} ms",
                flush=True,
            )
    print(f"moves: rate {spread(rates)} x echo (goal 0.75), CPU {spread(costs)} x (goal 1.5)")
    print(
        f"moves: p99 {spread(late)} ms (goal 25); "
        f"{MATCHES} matches take {memory_mb[0]:.0f} MB with the writer process (goal 75)"  # later, there are old rooms
    )


def as_text(cpu: Cpu) -> str:
    """Return the CPU time per operation, with the share of the process that writes to the database."""
    return f"{cpu.total_us:.1f} µs CPU (writer {cpu.children_us:.1f})"


def spread(values: list[float]) -> str:
    """Return the median with the range, which is the noise of this machine."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


async def hello(args: Namespace) -> None:
    """Measure clients that connect all at once and say hello."""
    load = load_of(args.generator)
    rates, costs = [], []
    for _ in range(args.repeat):
        with server("bench.echo") as bare, parlour(args.dir, *args.serve) as ours:
            echo = await load.storm(bare, STORM_CONNECTIONS, False)
            welcomed = await load.storm(ours, STORM_CONNECTIONS, True)
        rates.append(welcomed.rate / echo.rate)
        costs.append(welcomed.cpu.total_us / echo.cpu.total_us)
        print(
            f"hello: {welcomed.rate:.0f} connections/s at {as_text(welcomed.cpu)}, "
            f"bare websockets {echo.rate:.0f}/s at {echo.cpu.total_us:.1f} µs",
            flush=True,
        )
    print(f"hello: rate {spread(rates)} x, CPU {spread(costs)} x of a bare connection with one echo")


async def calm(args: Namespace) -> None:
    with parlour(args.dir, *args.serve) as ours:
        tally = Tally()
        rate, _ = await play(await open_matches(ours.url, MATCHES, tally), tally, args.seconds)
        tally = Tally()
        matches = await open_matches(ours.url, MATCHES, tally, think=10 * MATCHES / rate)
        cpu = ours.cpu()
        paced, delays = await play(matches, tally, 2 * args.seconds)
        print(
            f"calm: {paced:.0f}/s of {rate:.0f}/s at {as_text(ours.cpu().per(tally.moves, since=cpu))}: latency "
            f"p50 {percentile(delays, 50):.1f} p99 {percentile(delays, 99):.1f} ms "
            f"(goal p99 5; the disk takes {flush_ms(args.dir):.1f} ms)"
        )


async def idle(args: Namespace) -> None:
    """Measure one move after the other: on the disk of --dir, in memory, and an echo with one connection."""
    delays: dict[str, list[float]] = {"disk": [], "memory": []}
    echoes = []
    with ExitStack() as servers:
        bare = servers.enter_context(server("bench.echo"))
        tables = {}
        for where, folder in (("disk", args.dir), ("memory", MEMORY_FOLDER)):
            running, tally = servers.enter_context(parlour(folder, *args.serve)), Tally()
            tables[where] = running, tally, await open_matches(running.url, 1, tally)
        for _ in range(args.repeat * ROUNDS):
            echoes.append(await echo_ms(bare, args.seconds / ROUNDS))
            for where, (running, tally, matches) in tables.items():
                delays[where].append((await in_turn(running, matches, 1, tally, args.seconds / ROUNDS)).p50_ms)
    for where, medians in delays.items():
        ratios = [moved / echo for moved, echo in zip(medians, echoes, strict=True)]
        print(f"idle: {where}: p50 {1000 * statistics.median(medians):.0f} µs, {spread(ratios)} x echo")
    print(f"idle: echo {1000 * statistics.median(echoes):.0f} µs; the disk takes {flush_ms(args.dir):.2f} ms")


async def echo_ms(running: Server, seconds: float) -> float:
    """Return the median round trip of an echo with one connection."""
    client, frame = await connect(running.url), masked(bytes(MOVE_BYTES))
    delays, done, sent_at = [], asyncio.Event(), 0.0

    def read(payload: bytes) -> None:
        nonlocal sent_at
        now = time.perf_counter()
        delays.append((now - sent_at) * 1000)
        if now > end:
            done.set()
            return
        sent_at = time.perf_counter()
        client.send(frame)

    client.on_message = read
    sent_at = time.perf_counter()
    end = sent_at + seconds
    client.send(frame)
    await asyncio.wait_for(done.wait(), seconds + REPLY_TIMEOUT_S)
    client.transport.close()
    return statistics.median(delays)


async def deliveries(running: Server, start: Callable[[Client], None], count: int, watch: bool) -> Measured:
    """Measure the deliveries of `count` messages to 200 connections, until the last byte has arrived."""
    clients = [await connect(running.url) for _ in range(200)]
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
    began, cpu, total = time.perf_counter(), running.cpu(), count * len(clients)
    start(clients[0])
    await asyncio.wait_for(done.wait(), 120)
    measured = Measured(total / (time.perf_counter() - began), running.cpu().per(total, since=cpu))
    for client in clients:
        client.transport.close()
    return measured


EVENT_BYTES = 158  # size of an event of bench/fanout.py


async def watchers(args: Namespace) -> None:
    count = 2000
    request = masked(f"broadcast {count} {EVENT_BYTES}".encode())
    with server("bench.echo") as bare, server("bench.fanout", "0") as once, server("bench.fanout", "0.02") as tick:
        for _ in range(args.repeat):
            base = await deliveries(bare, lambda client: client.send(request), count, False)
            at_once = await deliveries(once, lambda _: once.send_line(str(count)), count, True)
            on_tick = await deliveries(tick, lambda _: tick.send_line(str(count)), count, True)
            print(
                f"watchers: broadcast() {base.rate / 1e6:.2f} M/s at {base.cpu.total_us:.2f} µs CPU; "
                f"at once {at_once.rate / base.rate:.2f} x (goal 1.5) at {at_once.cpu.total_us:.2f} µs, "
                f"on the tick {on_tick.rate / base.rate:.2f} x (goal 8) at {on_tick.cpu.total_us:.2f} µs",
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
    """Keep ten moves in flight at any time, in all rooms in turn."""
    measured: dict[int, list[Measured]] = {10: [], 200: [], 2000: []}
    with ExitStack() as servers:
        tables: dict[int, tuple[Server, Tally, list[Match]]] = {}
        for count in measured:
            tally, running = Tally(), servers.enter_context(parlour(args.dir))
            matches = await open_matches(running.url, count, tally)
            for number, match in enumerate(matches):
                match.next_match = matches[(number + 10) % count] if count > 10 else None
            tables[count] = running, tally, matches
        for _ in range(args.repeat):
            for count, (running, tally, matches) in tables.items():
                measured[count].append(await in_turn(running, matches, 10, tally, args.seconds))
        for _, _, matches in tables.values():
            for match in matches:
                match.close()
    for count, rounds in measured.items():
        ratio = statistics.median(many.rate / few.rate for many, few in zip(rounds, measured[10], strict=True))
        rate = statistics.median(each.rate for each in rounds)
        cpu_us = statistics.median(each.cpu.total_us for each in rounds)
        print(
            f"rooms: {count}: {rate:.0f} moves/s at {cpu_us:.1f} µs CPU, {ratio:.2f} x of 10 rooms (goal 0.8)",
            flush=True,
        )


PARTS: dict[str, Callable[[Namespace], Coroutine[Any, Any, None]]] = {
    "moves": moves,
    "hello": hello,
    "calm": calm,
    "idle": idle,
    "watchers": watchers,
    "crowd": crowd,
    "memory": memory,
    "rooms": rooms,
}


def main() -> None:
    parser = ArgumentParser(
        description=__doc__, formatter_class=RawDescriptionHelpFormatter, prog="python -m bench.server"
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each measurement (default: 5)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--idle", type=int, default=5000, help="connections of the memory part (default: 5000)")
    parser.add_argument("--dir", default=".", help="folder on the disk to measure (default: the current folder)")
    parser.add_argument(
        "--serve", metavar="FLAGS", type=shlex.split, default=[], help="more flags for `parlour serve`, as one text"
    )
    add_generator_argument(parser)
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
