"""Compare the server of this checkout with that of another one, in alternating short rounds.

    git worktree add /tmp/old v0.1.0
    python -m bench.compare /tmp/old                durable moves, 200 matches on each server
    python -m bench.compare /tmp/old --rounds 20

Both servers run at the same time and take turns, because the speed of a shared machine changes from second to second.
Each round prints durable moves per second and the CPU time per move of server and writer process. The last lines print
the medians of the ratios, new to old, with their range. CPU time varies less than the rate.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from bench.server import NO_LIMITS, NO_ROOM_LIMIT, in_turn
from client.loadtest.matches import Match, Tally, open_matches

HERE = Path(__file__).resolve().parents[1]
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Candidate:
    """A server of one checkout, and the matches that run on it."""

    def __init__(self, name: str, pid: int, url: str) -> None:
        self.name, self.pid, self.url = name, pid, url
        self.tally = Tally()
        self.matches: list[Match] = []

    async def open(self, count: int) -> None:
        """Connect the players of all matches."""
        self.matches = await open_matches(self.url, count, self.tally)

    async def measure(self, seconds: float) -> tuple[float, float]:
        """Play for some time. Return moves per second, and CPU microseconds per move."""
        cpu_s, moves = self._cpu_s(), self.tally.moves
        rate, _ = await in_turn(self.matches, len(self.matches), self.tally, seconds)
        spent_us = (self._cpu_s() - cpu_s) * 1e6
        return rate, spent_us / max(1, self.tally.moves - moves)

    def _cpu_s(self) -> float:
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return sum(cpu_s(pid) for pid in [self.pid, *map(int, children)])


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


@contextmanager
def serve(name: str, tree: Path) -> Iterator[Candidate]:
    """Run the server of a checkout on a free port, with a temporary database."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", f"{folder}/bench.db", *NO_LIMITS]
        environment = {**os.environ, **NO_ROOM_LIMIT, "PYTHONPATH": str(tree)}
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=tree, env=environment, stdout=pipe, stderr=null)
        try:
            assert process.stdout is not None
            words = process.stdout.readline().decode().split()
            if not words:
                raise SystemExit(f"the server of {tree} does not start")
            yield Candidate(name, process.pid, words[-1])
        finally:
            process.terminate()
            process.communicate()


async def compare(old: Candidate, new: Candidate, rounds: int, seconds: float, matches: int) -> None:
    """Measure both servers in turn, and print the ratios."""
    for candidate in (old, new):
        await candidate.open(matches)
    rates, costs = [], []
    for number in range(rounds + 1):
        order = (old, new) if number % 2 else (new, old)
        measured = {candidate.name: await candidate.measure(seconds) for candidate in order}
        (old_rate, old_us), (new_rate, new_us) = measured["old"], measured["new"]
        if number:  # the first round warms up
            rates.append(new_rate / old_rate)
            costs.append(new_us / old_us)
            print(
                f"old {old_rate:6.0f} moves/s {old_us:5.1f} µs   new {new_rate:6.0f} moves/s {new_us:5.1f} µs   "
                f"rate {rates[-1]:.2f} x, CPU {costs[-1]:.2f} x",
                flush=True,
            )
    for candidate in (old, new):
        for match in candidate.matches:
            match.close()
    for what, ratios in (("durable moves/s", rates), ("CPU per move", costs)):
        print(f"{what}: new to old {statistics.median(ratios):.3f} x ({min(ratios):.2f} to {max(ratios):.2f})")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="python -m bench.compare"
    )
    parser.add_argument("other", type=Path, metavar="CHECKOUT", help="the folder of the older checkout")
    parser.add_argument("--rounds", type=int, default=12, help="default: 12")
    parser.add_argument("--seconds", type=float, default=1.5, help="for each server in each round; default: 1.5")
    parser.add_argument("--matches", type=int, default=200, help="on each server; default: 200")
    args = parser.parse_args()
    with serve("old", args.other.resolve()) as old, serve("new", HERE) as new:
        uvloop.run(compare(old, new, args.rounds, args.seconds, args.matches))


if __name__ == "__main__":
    main()
