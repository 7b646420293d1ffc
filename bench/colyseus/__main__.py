"""Events to watchers, beside Colyseus in the same run, in turns.

    python -m bench.colyseus --generator PROGRAM                  20 matches with 50 watchers each
    python -m bench.colyseus --generator PROGRAM --watchers 0     moves only

Colyseus keeps its rooms in memory; Parlour writes every move to the disk first. npm installs Colyseus into a temporary
folder. Its other transport, uWebSockets.js, is not in the npm registry and is not measured.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import subprocess
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import msgpack

from bench.loads import WARM_UP_S, add_generator_argument
from bench.processes import parlour
from engine.registry import create

HERE = Path(__file__).parent
WAYS = ("patch", "broadcast")
OURS = "Parlour"
LONG_GAME_PLIES = 9900
LONG_GAME_OPTIONS = {"max_plies": 10_000}


def main() -> None:
    arguments = parse_arguments()
    if not arguments.generator:
        raise SystemExit("bench.colyseus: --generator is needed: a load generator in Python is slower than the servers")
    if shutil.which("npm") is None:
        raise SystemExit("bench.colyseus: npm is not installed: install Node.js")
    with TemporaryDirectory(dir=arguments.dir) as folder:
        place = Path(folder)
        for file in ("server.mjs", "package.json"):
            shutil.copy(HERE / file, place)
        subprocess.run(
            ["npm", "install", "--silent", "--no-package-lock", "--no-audit", "--no-fund"], cwd=place, check=True
        )
        (place / "long.txt").write_text(long_game())
        report(asyncio.run(measure_in_turns(arguments, place)), arguments.watchers)


def parse_arguments() -> Namespace:
    parser = ArgumentParser(
        prog="python -m bench.colyseus", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--watchers", type=int, default=50, help="of each match (default: 50)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement (default: 3)")
    parser.add_argument("--dir", default=".", help="folder on the disk to measure (default: the current folder)")
    add_generator_argument(parser)
    return parser.parse_args()


def long_game() -> str:
    """Return a long game of Conga for the generator: no game ends while it is measured."""
    rules, chooser = create("conga", LONG_GAME_OPTIONS), random.Random(7)
    for _ in range(100):
        moves: list[str] = []
        state, seen = rules.start(), set()
        while len(moves) < LONG_GAME_PLIES:
            seen.add(state)
            candidates = [(move, rules.after(state, move)) for move in rules.moves(state)]
            fresh = [(move, after) for move, after in candidates if after not in seen and len(rules.moves(after)) >= 3]
            if not fresh:
                break
            move, after = chooser.choice(fresh)
            moves.append(f"{state.turn} {rules.format(state, move)}\n")
            state = after
        else:
            return f"conga {msgpack.packb(LONG_GAME_OPTIONS).hex()} {len(moves)}\n{''.join(moves)}"
    raise SystemExit("bench.colyseus: no long game found")


async def measure_in_turns(arguments: Namespace, place: Path) -> dict[str, list[Any]]:
    """Return what the generator reports of each server, in rounds."""
    measured: dict[str, list[Any]] = {name: [] for name in (*WAYS, OURS)}
    for _ in range(arguments.rounds):
        for way in WAYS:
            with colyseus(place, arguments, way) as (port, pid):
                measured[way].append(await generate(arguments, place, port=port, spid=pid, proto="coly"))
        with parlour(arguments.dir) as ours:
            seats = [0, 1] + [2] * arguments.watchers
            lines = [f"{match} {seat} /ws\n" for match in range(arguments.matches) for seat in seats]
            (place / "conf").write_text("".join(lines))
            load = {"proto": "parlour", "script": place / "long.txt"}
            measured[OURS].append(await generate(arguments, place, port=ours.port, spid=ours.pid, **load))
    return measured


@contextmanager
def colyseus(place: Path, arguments: Namespace, way: str) -> Iterator[tuple[int, int]]:
    """Run a Colyseus server, and write the file with its seats. Yield its port and process."""
    command = ["node", "server.mjs", str(arguments.matches), str(arguments.watchers), way]
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            if line.startswith("listening"):
                break
            lines.append(line)
        else:
            raise SystemExit("bench.colyseus: Colyseus does not start")
        (place / "conf").write_text("".join(lines))
        yield int(line.rstrip("/\n").rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.communicate()


async def generate(arguments: Namespace, place: Path, **options: object) -> Any:
    """Return the output of the generator."""
    words = {"conf": place / "conf", "secs": arguments.seconds, "warm": WARM_UP_S, **options}
    process = await asyncio.create_subprocess_exec(
        arguments.generator, "game", *[f"{key}={value}" for key, value in words.items()], stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    if process.returncode:
        raise SystemExit(f"bench.colyseus: the generator failed with status {process.returncode}")
    return json.loads(output)


def report(measured: dict[str, list[Any]], watchers: int) -> None:
    what, rate = ("events to watchers", "deliv_rate") if watchers else ("moves", "rate")
    print(f"{what} per second; CPU microseconds of each; p99 of a move (medians; least and most of the rounds)")
    if watchers:
        print("and p50 and p99 of a move on its way to a watcher")
    for name, rounds in measured.items():
        rates = [one[rate] for one in rounds]
        cpu = [one["cpu_us_per"] * one["rate"] / one[rate] for one in rounds]
        print(
            f"  {name:10} {median(rates):9,.0f} ({min(rates):,.0f} to {max(rates):,.0f})  {median(cpu):6.2f} µs "
            f"({min(cpu):.2f} to {max(cpu):.2f})  {median_ms(rounds, 'p99'):6.1f} ms"
            + (f"  watchers {median_ms(rounds, 's50'):6.1f} {median_ms(rounds, 's99'):6.1f} ms" if watchers else "")
        )
    for by, speed in (("rate", deliveries(rate)), ("CPU time", deliveries_per_cpu(rate))):
        rounds_of = zip(*[measured[name] for name in (*WAYS, OURS)], strict=True)
        ratios = sorted(speed(ours) / max(map(speed, others)) for *others, ours in rounds_of)
        print(f"Parlour to the better of both, by {by}: {median(ratios):.2f} x ({ratios[0]:.2f} to {ratios[-1]:.2f})")


def median_ms(rounds: list[Any], delay: str) -> float:
    return float(median([one[delay] for one in rounds])) / 1000


def deliveries(rate: str) -> Callable[[Any], float]:
    return lambda one: float(one[rate])


def deliveries_per_cpu(rate: str) -> Callable[[Any], float]:
    return lambda one: float(one[rate] / one["rate"] / one["cpu_us_per"])


if __name__ == "__main__":
    main()
