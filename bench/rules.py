"""Speed of the rules in plain Python: microseconds per call, and for judging one move.

    python -m bench.rules            all games with their default options
    python -m bench.rules --rounds 9 steadier numbers

Judging is what the server does with every move: parse its text, play it, and compute the outcome. The goal is 25 µs for
every game. The last column is goal / judge: higher is better, and 1 meets the goal.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.game import Game, State
from engine.registry import GAMES, create

GOAL_US = 25.0
POSITIONS = 2000


class Sample(NamedTuple):
    """A position of a random game, and a move to judge in it."""

    state: State
    move: int
    text: str


def samples(game: Game, count: int, seed: int = 1) -> list[Sample]:
    """Return positions from random games, each with a move. Finished positions are left out."""
    rng, found, state = random.Random(seed), list[Sample](), game.start()
    plies = 0
    while len(found) < count:
        moves = game.moves(state)
        if not moves or plies == 200:
            state, plies = game.start(), 0
            continue
        move = rng.choice(moves)
        found.append(Sample(state, move, game.format(state, move)))
        state, plies = game.play(state, move), plies + 1
    return found


def judge(game: Game, state: State, text: str) -> None:
    """Judge a move as the server does."""
    game.outcome(game.after(state, game.parse(state, text)))


def cost(work: Callable[[Sample], object], over: Sequence[Sample], rounds: int) -> float:
    """Return the CPU time of a call in microseconds: the best round, minus the cost of the loop itself."""

    def best(call: Callable[[Sample], object]) -> float:
        times = []
        for _ in range(rounds):
            start = time.process_time()
            for sample in over:
                call(sample)
            times.append(time.process_time() - start)
        return min(times)

    return (best(work) - best(lambda sample: None)) / len(over) * 1e6


def measure(game: Game, rounds: int) -> dict[str, float]:
    over = samples(game, POSITIONS)
    return {
        "moves": cost(lambda sample: game.moves(sample.state), over, rounds),
        "play": cost(lambda sample: game.play(sample.state, sample.move), over, rounds),
        "outcome": cost(lambda sample: game.outcome(sample.state), over, rounds),
        "judge": cost(lambda sample: judge(game, sample.state, sample.text), over, rounds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rounds", type=int, default=5, help="rounds over the positions; the best one counts (default: 5)"
    )
    rounds = max(parser.parse_args().rounds, 1)
    print(
        f"{'game':12} {'moves':>8} {'play':>8} {'outcome':>8} {'judge':>8}   goal / judge   (µs, {POSITIONS} positions)"
    )
    for name in GAMES:
        costs = measure(create(name), rounds)
        numbers = " ".join(f"{value:8.2f}" for value in costs.values())
        print(f"{name:12} {numbers}   {GOAL_US / costs['judge']:12.1f}")


if __name__ == "__main__":
    main()
