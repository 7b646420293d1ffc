"""Compare reviews of self-play games with an independent exhaustive solver.

    python -m bench.agreement [GAME...] [--games 25] [--nodes 50000] [--positions 20000]

The solver uses only the rules of tests/engine/reference_rules.py, which share no code with the engine. From the last
position of each game backwards, it solves what it can within --positions positions. Every proved value, loss and
judgement of the review must agree. Positions of Conga can repeat, so there the last 12 moves are compared with the
results that are forced within 3 plies. The command prints every disagreement, and exits with 1 if there is one.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser

from engine.registry import GAMES, create
from engine.review import Budget, review
from tests.engine.agreement import Agreement, compare_forced_results, compare_late_moves
from tests.engine.self_play import self_play

OPTIONS: dict[str, dict[str, object]] = {"cohcoh": {"n": 5, "k": 4}}
FORCED_PLIES, FORCED_MOVES = 3, 12
SHARES = {"conga": (0.0, 0.8)}  # of random moves: Conga is seldom won between equal players


def compare(name: str, games: int, nodes: int, positions: int, seed: int) -> Agreement:
    """Review self-play games and return how they agree. Prints the disagreements."""
    game, total, moves, began = create(name, OPTIONS.get(name, {})), Agreement(), 0, time.process_time()
    for number in range(seed, seed + games):
        record = self_play(game, number, SHARES.get(name, (0.3, 0.3)), compiled=True)
        found = review(record, Budget(nodes, None))
        if game.spec.repetition is None:
            agreement = compare_late_moves(game, record, found, positions)
        else:
            agreement = compare_forced_results(game, record, found, FORCED_PLIES, FORCED_MOVES)
        for text in agreement.wrong:
            print(f"{name} game {number}, {text}")
        total += agreement
        moves += len(found.moves)
    print(
        f"{name:12} {games} games, {moves} moves; solved {total.positions}, of them proved {total.proved} before and "
        f"{total.moves} also after the move; {len(total.wrong)} disagreements   "
        f"({time.process_time() - began:.0f} s CPU)",
        flush=True,
    )
    return total


def main() -> None:
    parser = ArgumentParser("python -m bench.agreement", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(GAMES), metavar="GAME")
    parser.add_argument("--games", type=int, default=25, metavar="N", help="of each game (default: 25)")
    parser.add_argument("--nodes", type=int, default=50_000, help="per position of the review (default: 50000)")
    parser.add_argument("--positions", type=int, default=20_000, help="that the solver may visit (default: 20000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first game (default: 0)")
    args = parser.parse_args()
    total = sum((compare(name, args.games, args.nodes, args.positions, args.seed) for name in args.names), Agreement())
    sys.exit(1 if total.wrong else 0)


if __name__ == "__main__":
    main()
