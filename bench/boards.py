"""Cost of boards: one match with JSON watchers that want boards, compared with plain JSON watchers.

    python -m bench.boards                  500 watchers, 20 moves a second
    python -m bench.boards --rounds 8

The rounds alternate between plain watchers and watchers with boards, on one server. Each prints the CPU time of the
server per move, and how long a move takes to the opponent. The goal for the CPU time is 1.5 x of plain watchers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from tempfile import gettempdir

import uvloop

from bench.processes import Server, cpu_s, parlour
from client.loadtest.matches import Match, Tally, percentile
from client.loadtest.sockets import Client, connect, masked
from protocol.types import Options

TEXT = 0x81  # first byte of a text frame
GAME, SEED = "conga", 0
OPTIONS: Options = {"max_plies": 400}
OPEN_TIMEOUT_S = 60
SNAPSHOT_BYTES = 400  # a watcher that has read more has got its snapshot


async def watch(url: str, room: str, wants: list[str]) -> Client:
    """Return a JSON watcher that only counts the bytes it gets."""
    client = await connect(url)
    arrived, received = asyncio.Event(), 0

    def count(amount: int) -> None:
        nonlocal received
        received += amount
        if received > SNAPSHOT_BYTES:
            arrived.set()

    client.on_bytes = count
    for command in ({"type": "hello", "id": 1, "wants": wants}, {"type": "watch", "id": 2, "room": room}):
        client.send(masked(json.dumps(command).encode(), TEXT))
    await asyncio.wait_for(arrived.wait(), OPEN_TIMEOUT_S)
    return client


async def measure(server: Server, wants: list[str], args: argparse.Namespace) -> tuple[float, list[float]]:
    """Play with watchers for some time. Return the server's CPU microseconds per move, and the sorted delays in ms."""
    tally = Tally()
    match = Match(GAME, OPTIONS, SEED, tally, think=1 / args.rate)
    await match.open(server.url)
    spectators = [await watch(server.url, match.room, wants) for _ in range(args.watchers)]
    await asyncio.sleep(0.5)  # for the last replies
    match.start()
    before_s = cpu_s(server.process.pid)
    await asyncio.sleep(args.seconds)
    spent_us = (cpu_s(server.process.pid) - before_s) * 1e6
    moves, delays = tally.moves, sorted(delay * 1000 for delay in tally.delays)
    assert not tally.errors, tally.errors[0]
    assert moves < len(match.moves), "the game is too short: lower --seconds or --rate"
    match.close()
    for client in spectators:
        client.transport.close()
    await asyncio.sleep(0.5)  # for the server to forget them
    return spent_us / moves, delays


async def run(args: argparse.Namespace) -> None:
    """Alternate between the two kinds of watchers, and print the medians."""
    costs: dict[str, list[float]] = {"plain": [], "boards": []}
    late: dict[str, list[float]] = {"plain": [], "boards": []}
    with parlour(gettempdir()) as server:
        for number in range(args.rounds + 1):
            for name, wants in (("plain", []), ("boards", ["board"])):
                cost, delays = await measure(server, wants, args)
                if number:  # the first round warms up
                    costs[name].append(cost)
                    late[name].append(percentile(delays, 99))
                    print(
                        f"{name:<6} {cost:6.0f} µs per move, delay p50 {percentile(delays, 50):.1f} "
                        f"p99 {percentile(delays, 99):.1f} ms",
                        flush=True,
                    )
    ratios = [new / old for old, new in zip(costs["plain"], costs["boards"], strict=True)]
    print(
        f"boards: CPU {statistics.median(ratios):.2f} x of plain ({min(ratios):.2f} to {max(ratios):.2f}; goal 1.5), "
        f"players' p99 {statistics.median(late['boards']):.1f} ms, with plain watchers "
        f"{statistics.median(late['plain']):.1f} ms"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="python -m bench.boards"
    )
    parser.add_argument("--watchers", type=int, default=500, help="default: 500")
    parser.add_argument("--rate", type=float, default=20.0, help="moves per second; default: 20")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement; default: 4")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
