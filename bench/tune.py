"""Play new evaluation weights against the current ones in engine/games.

    python -m bench.tune conga SQUARES_WEIGHT=4 --games 400 --nodes 5000
    python -m bench.tune cohcoh SPARE_WEIGHT=20 --option n=6 --option k=4

Each random opening is played from both seats, with the same number of nodes per move for both sides. Prints wins, draws
and losses of the new weights, and the Elo difference with a 95 % interval.
"""

from __future__ import annotations

import copy
import math
import random
from argparse import ArgumentParser
from collections.abc import Mapping

from engine.game import Game, State
from engine.record import ending
from engine.registry import create
from engine.rules import specialise
from engine.search import Limits, Thinker
from parlour.cli.args import add_options, options_of


def with_weights(game: Game, weights: Mapping[str, int]) -> Game:
    """Return the game with other constants in its rules."""
    other = copy.copy(game)
    other.constants = {**game.constants, **weights}
    other.rules = specialise(game.module(), other.constants)
    return other


def opening(game: Game, plies: int, rng: random.Random) -> State:
    """Return a position after random moves in which the game is not over."""
    while True:
        state = game.start()
        for _ in range(plies):
            moves = game.moves(state)
            if not moves:
                break
            state = game.after(state, rng.choice(moves))
        if game.moves(state):
            return state


def play(game: Game, state: State, players: tuple[Thinker, Thinker], limits: Limits) -> float:
    """Play one game. Return the points of side 0: 1, 0.5 or 0."""
    states = [state]
    while (outcome := ending(game, states)) is None:
        move = players[states[-1].turn].think(states[-1], limits, past=states[:-1]).move
        assert move is not None
        states.append(game.after(states[-1], move))
    return 0.5 if outcome.winner is None else 1.0 - outcome.winner


def elo(points: list[float]) -> tuple[float, float]:
    """Return the Elo difference for the points of pairs of games, and half its 95 % interval."""
    n = len(points)
    mean = sum(points) / n
    spread = math.sqrt(sum((x - mean) ** 2 for x in points) / max(1, n - 1) / n)
    inside = min(max(mean, 0.001), 0.999)
    slope = 400 / math.log(10) / (inside * (1 - inside))
    return 400 * math.log10(inside / (1 - inside)), 1.96 * spread * slope


def main() -> None:
    parser = ArgumentParser("python -m bench.tune", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("weights", nargs="+", metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--plies", type=int, default=4, help="random moves of an opening")
    parser.add_argument("--seed", type=int, default=1)
    add_options(parser)
    args = parser.parse_args()
    game = create(args.game, options_of(args))
    weights = {name: int(value) for name, _, value in (pair.partition("=") for pair in args.weights)}
    rng, limits = random.Random(args.seed), Limits(nodes=args.nodes)
    pairs: list[float] = []
    results = [0, 0, 0]
    for _ in range(args.games // 2):
        state = opening(game, args.plies, rng)
        points = []
        for seat in (0, 1):
            new, old = Thinker(with_weights(game, weights), 16), Thinker(game, 16)
            score = play(game, state, (new, old) if seat == 0 else (old, new), limits)
            points.append(score if seat == 0 else 1 - score)
            results[{1.0: 0, 0.5: 1, 0.0: 2}[points[-1]]] += 1
        pairs.append(sum(points) / 2)
    difference, error = elo(pairs)
    wins, draws, losses = results
    print(f"{args.game} {' '.join(args.weights)}: +{wins} ={draws} -{losses}  Elo {difference:+.0f} ± {error:.0f}")


if __name__ == "__main__":
    main()
