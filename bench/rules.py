"""What the rules cost in plain Python: microseconds for each question about a position, and for judging one move.

python -m bench.rules            all games with their default options
python -m bench.rules --rounds 9 more patience, steadier numbers

Judging a move is what the server does with every move it is sent: parse its text, play it, ask for the outcome. The
goal is 25 µs for every game; the last column is the goal over the cost, so that more is better and 1 is the goal.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.game import Game, State
from engine.registry import GAMES, create

GOAL = 25.0  # microseconds
POSITIONS = 2000


class Sample(NamedTuple):
    """A position of a random game, and a move to judge in it."""

    state: State
    move: int
    text: str


def samples(game: Game, count: int, seed: int = 1) -> list[Sample]:
    """Positions all along games of random moves; finished ones have nothing to judge."""
    dice, found, state = random.Random(seed), list[Sample](), game.start()
    plies = 0
    while len(found) < count:
        moves = game.moves(state)
        if not moves or plies == 200:
            state, plies = game.start(), 0
            continue
        move = dice.choice(moves)
        found.append(Sample(state, move, game.format(state, move)))
        state, plies = game.play(state, move), plies + 1
    return found


def judge(game: Game, state: State, text: str) -> None:
    """A move as the server judges it."""
    game.outcome(game.after(state, game.parse(state, text)))


def cost(work: Callable[[Sample], object], over: Sequence[Sample], rounds: int) -> float:
    """Microseconds of the processor a call, whoever else uses it: the best round, less what the bare loop costs."""

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
    parser.add_argument("--rounds", type=int, default=5, help="rounds over the positions; the best one counts")
    rounds = max(parser.parse_args().rounds, 1)
    print(
        f"{'game':12} {'moves':>8} {'play':>8} {'outcome':>8} {'judge':>8}   goal / judge   (µs, {POSITIONS} positions)"
    )
    for name in GAMES:
        costs = measure(create(name), rounds)
        numbers = " ".join(f"{value:8.2f}" for value in costs.values())
        print(f"{name:12} {numbers}   {GOAL / costs['judge']:12.1f}")


if __name__ == "__main__":
    main()
