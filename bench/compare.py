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
import statistics
from pathlib import Path

import uvloop

from bench.loads import Load, add_generator_argument, load_of
from bench.processes import Server, parlour

HERE = Path(__file__).resolve().parents[1]


async def compare(load: Load, old: Server, new: Server, rounds: int, seconds: float, matches: int) -> None:
    """Measure both servers in turn, and print the ratios."""
    rates, costs = [], []
    for number in range(rounds + 1):
        order = (old, new) if number % 2 else (new, old)
        measured = {server: await load.moves(server, seconds, matches) for server in order}
        before, after = measured[old], measured[new]
        if number:  # the first round warms up
            rates.append(after.rate / before.rate)
            costs.append(after.cpu.total_us / before.cpu.total_us)
            print(
                f"old {before.rate:6.0f} moves/s {before.cpu.total_us:5.1f} µs   "
                f"new {after.rate:6.0f} moves/s {after.cpu.total_us:5.1f} µs   "
                f"rate {rates[-1]:.2f} x, CPU {costs[-1]:.2f} x",
                flush=True,
            )
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
    add_generator_argument(parser)
    args = parser.parse_args()
    with parlour(None, tree=args.other.resolve()) as old, parlour(None, tree=HERE) as new:
        uvloop.run(compare(load_of(args.generator), old, new, args.rounds, args.seconds, args.matches))


if __name__ == "__main__":
    main()
