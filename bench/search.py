"""Speed of the search.

python -m bench.search                  everything (minutes)
python -m bench.search speed start      some parts

speed     nodes/s of the compiled search, relative to the same functions translated to C (gcc -O3); goal 0.8
start     time from process start to the answer of a warm `parlour best`; goal 0.7 s
deadline  how far a warm search exceeds its time limit; goal 10 ms
loop      delay of an event loop while a search runs in a thread; goal p99 < 20 ms
solve     `parlour solve` from scratch: seconds, nodes, memory
late      solving Max-Connect4 with 20 empty squares; goal 1 s
forced    finding Conga wins that are forced within 7 plies; goal 1 s
endgames  what the endgame tables of Mancala cost, and what solving gains from them
threads   how many times as fast two threads are as one, solving and searching to a fixed depth; goal 1.5
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.to_c import to_c
from engine.game import Game, State
from engine.games.mancala_endgames import endgame_stones
from engine.registry import create
from engine.search import Limits, Thinker
from engine.search.endgames import compute, prepare_endgames
from engine.search.kernel import RUN_ARRAYS
from engine.search.object_code import address

BOARDS: list[tuple[str, dict[str, object]]] = [
    ("conga", {}),
    ("mancala", {}),
    ("maxconnect4", {}),
    ("cohcoh", {"n": 5, "k": 4}),
]
THREADS_TASKS: list[tuple[str, dict[str, object], int | None]] = [  # the depth, or None to solve
    ("mancala", {"pits": 6, "stones": 3}, None),
    ("mancala", {"pits": 5, "stones": 4}, None),
    ("cohcoh", {"n": 5, "k": 4}, None),
    ("mancala", {}, 21),
    ("conga", {}, 12),
    ("maxconnect4", {}, 17),
]

QUIET_CORES = 0.15  # that other processes may use in a quiet round


def c_thinker(game: Game, folder: Path) -> Thinker:
    """Return a Thinker whose search runs in C."""
    path = folder / f"{game.name}.c"
    path.write_text(to_c(game))
    library = path.with_suffix(".so")
    subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, path], check=True)
    run = ctypes.CDLL(str(library)).run
    run.argtypes = [ctypes.c_void_p] * RUN_ARRAYS
    thinker = Thinker(game, compiled=True)
    (worker,) = thinker.driver.workers
    worker.kernel = replace(worker.kernel, run=lambda *arrays: run(*map(address, arrays)))
    return thinker


def speed(rounds: int = 9, nodes: int = 1_000_000) -> None:
    if shutil.which("gcc") is None:
        print("speed     skipped: gcc is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, options in BOARDS:
            game = create(name, options)
            rates: dict[str, list[float]] = {"numba": [], "C": []}
            counts = set()
            for _ in range(rounds):
                for which, thinker in (("numba", Thinker(game, compiled=True)), ("C", c_thinker(game, Path(folder)))):
                    thinker.think(game.start(), Limits(nodes=1000))
                    start = time.process_time()
                    report = thinker.think(game.start(), Limits(nodes=nodes))
                    rates[which].append(report.nodes / (time.process_time() - start) / 1e6)
                    counts.add((report.nodes, report.depth, report.value))
            assert len(counts) == 1, f"the two searches differ: {counts}"
            fast, c = (statistics.median(rates[which]) for which in ("numba", "C"))
            print(
                f"speed     {name:12} {fast:6.2f} million nodes/s, C {c:6.2f}: ratio {fast / c:.2f}   goal 0.80",
                flush=True,
            )


def start(rounds: int = 7) -> None:
    for name, options in BOARDS:
        command = [sys.executable, "-m", "parlour", "best", name, "--depth", "4"]
        command += [f"--option={key}={value}" for key, value in options.items()]
        times, busy = [], []
        for _ in range(rounds + 1):
            begin, before = time.perf_counter(), children_cpu_s()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - begin)
            busy.append(children_cpu_s() - before)
        del times[0], busy[0]  # the first run may have compiled
        print(
            f"start     {name:12} {min(times):.2f} s best, {statistics.median(times):.2f} s median, "
            f"{statistics.median(busy):.2f} s CPU time   goal 0.70 s",
            flush=True,
        )


def children_cpu_s() -> float:
    """Return the CPU time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def deadline(rounds: int = 30, seconds: float = 0.05) -> None:
    for name, options in BOARDS:
        thinker = Thinker(create(name, options))
        thinker.think(thinker.game.start(), Limits(seconds=seconds))
        late = []
        for _ in range(rounds):
            begin = time.perf_counter()
            thinker.think(thinker.game.start(), Limits(seconds=seconds))
            late.append(1000 * (time.perf_counter() - begin - seconds))
        print(
            f"deadline  {name:12} {statistics.median(late):+.1f} ms median, {max(late):+.1f} ms worst   goal 10 ms",
            flush=True,
        )


def loop(seconds: float = 3.0) -> None:
    async def measure_delays(stop: asyncio.Event) -> list[float]:
        late = []
        while not stop.is_set():
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append(1000 * (time.perf_counter() - before - 0.001))
        return sorted(late)

    async def run_beside(work: Callable[[], object]) -> list[float]:
        stop = asyncio.Event()
        watcher = asyncio.create_task(measure_delays(stop))
        await asyncio.to_thread(work)
        stop.set()
        return await watcher

    for name, options in BOARDS:
        thinker = Thinker(create(name, options))
        late = asyncio.run(run_beside(lambda t=thinker: t.think(t.game.start(), Limits(seconds=seconds))))  # type: ignore[misc]
        idle = asyncio.run(run_beside(lambda: time.sleep(seconds)))
        p99, quiet = late[int(0.99 * len(late))], idle[int(0.99 * len(idle))]
        print(
            f"loop      {name:12} p99 {p99:.1f} ms late while searching, {quiet:.1f} ms when idle   goal 20 ms",
            flush=True,
        )


def solve() -> None:
    cases = [
        *(("mancala", {"pits": p, "stones": s}, "") for p in (4, 5) for s in range(1, 7)),
        *(("mancala", {"pits": 6, "stones": s}, "goal 60 s, 2 GB" if s == 4 else "") for s in range(1, 5)),
        *(("cohcoh", {"n": 5, "k": k}, "goal 60 s") for k in (3, 4, 5)),
    ]
    for name, options, goal in cases:
        command = [sys.executable, "-m", "parlour", "solve", name, "--seconds", "600"]
        command += [f"--option={key}={value}" for key, value in options.items()]
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        spent = time.perf_counter() - begin
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        lines = done.stdout.splitlines()
        what = f"{name} {','.join(map(str, options.values()))}"
        print(
            f"solve     {what:12} {lines[0]}; {spent:.1f} s in total; {lines[-1]}; <= {memory:.0f} MB   {goal}",
            flush=True,
        )


def late(positions: int = 30, empty: int = 20) -> None:
    game, times = create("maxconnect4"), []
    for seed in range(positions):
        rng, state = random.Random(seed), game.start()
        for _ in range(42 - empty):
            state = game.after(state, rng.choice(game.moves(state)))
        report = Thinker(game).solve(state, Limits(seconds=60))
        assert report.proved
        times.append(report.seconds)
    print(
        f"late      {empty} empty: {statistics.median(times):.2f} s median, {max(times):.2f} s worst   goal 1 s",
        flush=True,
    )


def forced(positions: int = 40) -> None:
    """Search positions near the end of games against a random player in which a win is forced within 7 plies."""
    game = create("conga")
    times: list[float] = []
    rng, thinker = random.Random(1), Thinker(create("conga"))
    while len(times) < positions:
        states = [game.start()]
        while game.outcome(states[-1]) is None:
            state = states[-1]
            move = thinker.think(state, Limits(nodes=20_000), past=states[:-1]).move
            states.append(game.after(state, rng.choice(game.moves(state)) if state.turn or move is None else move))
        for state in states[-8:-1]:
            report = Thinker(game).think(state, Limits(depth=7))
            if report.proved and report.value == 1:
                times.append(report.seconds)
    print(
        f"forced    {len(times)} wins: {statistics.median(times):.3f} s median, {max(times):.3f} s worst   goal 1 s",
        flush=True,
    )


def endgames() -> None:
    for pits, profile in ((4, "course"), (5, "course"), (6, "course"), (6, "standard")):
        for stones in {4: (4, 5, 6), 5: (4, 5), 6: (3, 4)}[pits]:
            game = create("mancala", {"pits": pits, "stones": stones, "rules": profile})
            if stones == 4:
                begin = time.process_time()
                size = len(compute(game))
                spent = time.process_time() - begin
                most = endgame_stones(pits, game.endgame_bytes)
                print(
                    f"endgames  mancala {pits},n {profile}: up to {most} stones, {size / 1e6:.0f} MB, "
                    f"{spent:.1f} s CPU",
                    flush=True,
                )
            prepare_endgames(game, print)
            found = []
            for used in (False, True):
                thinker, begin = Thinker(game, table_mb=1024, endgames=used), time.process_time()
                report = thinker.solve(game.start(), Limits())
                found.append((report.value, report.nodes, time.process_time() - begin))
            (value, nodes, spent), (same, fewer, less) = found
            assert value == same, "the values differ"
            print(
                f"endgames  mancala {pits},{stones} {profile}: value {value:+}; without {nodes:,} positions in "
                f"{spent:.2f} s CPU, with {fewer:,} in {less:.2f} s",
                flush=True,
            )
    proofs_in_games(create("mancala"))


def proofs_in_games(game: Game, games: int = 12) -> None:
    """Solve the positions of games as a review does, from the last to the first, within a number of positions."""
    rng, player, histories = random.Random(5), Thinker(game, 16), list[list[State]]()
    for _ in range(games):
        states = [game.start()]
        while game.outcome(state := states[-1]) is None:
            random_move = len(states) <= 6 or rng.random() < 0.1
            move = None if random_move else player.think(state, Limits(nodes=3000)).move
            states.append(game.after(state, rng.choice(game.moves(state)) if move is None else move))
        histories.append(states[:-1])
    for nodes in (10_000, 100_000):
        shares = []
        for used in (False, True):
            proved = []
            for states in histories:
                thinker = Thinker(game, endgames=used)
                proved += [thinker.solve(state, Limits(nodes=nodes)).proved for state in reversed(states)]
            shares.append(100 * statistics.fmean(proved))
        print(
            f"endgames  {len(proved)} positions of games, {nodes} for each: {shares[0]:.0f} % proved without, "
            f"{shares[1]:.0f} % with",
            flush=True,
        )


class ThreadsRound:
    """One search with a new table: its wall time, and the CPU time of all threads and of the busiest one."""

    def __init__(self, game: Game, depth: int | None, threads: int) -> None:
        thinker = Thinker(game, table_mb=256, compiled=True, threads=threads)
        spent: dict[int, float] = {}

        def timed(run: Callable[..., None]) -> Callable[..., None]:
            def call(*arrays: Any) -> None:
                before = time.thread_time()
                run(*arrays)
                thread = threading.get_ident()
                spent[thread] = spent.get(thread, 0.0) + time.thread_time() - before

            return call

        for worker in thinker.driver.workers:
            worker.kernel = replace(worker.kernel, run=timed(worker.kernel.run))
        others, begin = machine_cpu_s() - time.process_time(), time.perf_counter()
        if depth is None:
            report = thinker.solve(game.start(), Limits())
        else:
            report = thinker.think(game.start(), Limits(depth=depth))
        self.wall_s = time.perf_counter() - begin
        self.others_cores = (machine_cpu_s() - time.process_time() - others) / self.wall_s
        self.all_cpu_s, self.busiest_cpu_s = sum(spent.values()), max(spent.values())
        self.nodes, self.value = report.nodes, report.value if report.proved else None


def machine_cpu_s() -> float:
    """Return the CPU time that all processes of the machine have used."""
    user, nice, system, _, _, irq, soft_irq, *_ = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:])
    return float(user + nice + system + irq + soft_irq) / os.sysconf("SC_CLK_TCK")


def threads(rounds: int = 7) -> None:
    """Compare one and two threads in alternating rounds, so that the load of the machine meets both."""
    for name, options, depth in THREADS_TASKS:
        game = create(name, options)
        pairs = [(ThreadsRound(game, depth, 1), ThreadsRound(game, depth, 2)) for _ in range(rounds)]
        assert len({one.value for pair in pairs for one in pair}) == 1 or depth is not None, "the values differ"
        wall = sorted(one.wall_s / two.wall_s for one, two in pairs)
        busiest = sorted(one.busiest_cpu_s / two.busiest_cpu_s for one, two in pairs)
        total, nodes = (
            statistics.median(getattr(two, field) / getattr(one, field) for one, two in pairs)
            for field in ("all_cpu_s", "nodes")
        )
        load = statistics.fmean(one.others_cores for pair in pairs for one in pair)
        quiet = [one.wall_s / two.wall_s for one, two in pairs if max(one.others_cores, two.others_cores) < QUIET_CORES]
        alone = f"{statistics.median(quiet):.2f} in {len(quiet)} quiet rounds, " if quiet else "no round was quiet, "
        task = f"{name} {','.join(map(str, options.values()))} " + ("solved" if depth is None else f"depth {depth}")
        print(
            f"threads   {task:24} {statistics.median(one.wall_s for one, _ in pairs):5.2f} s: "
            f"2 are {statistics.median(wall):.2f} ({wall[0]:.2f} to {wall[-1]:.2f}) times as fast by wall time, {alone}"
            f"{statistics.median(busiest):.2f} ({busiest[0]:.2f} to {busiest[-1]:.2f}) by the CPU time of the busier "
            f"one; CPU in all x {total:.2f}, positions x {nodes:.2f}; other processes used {load:.2f} of "
            f"{os.cpu_count()} cores   goal 1.50",
            flush=True,
        )


PARTS: dict[str, Callable[[], None]] = {
    "speed": speed, "start": start, "deadline": deadline, "loop": loop, "late": late, "forced": forced, "solve": solve,
    "threads": threads, "endgames": endgames,
}  # fmt: skip


def main() -> None:
    parser = ArgumentParser(
        prog="python -m bench.search", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parts = parser.parse_args().parts
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"{unknown[0]!r} is not a part: try {', '.join(PARTS)}")
    for part in parts or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main()
