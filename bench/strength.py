"""The search against random moves: wins, draws, losses, and the length of the games.

    python -m bench.strength [GAME...] [--games 200] [--seconds 0.05]

n-k-coh-coh is played on 5 x 5 with k = 4, where good play does not lose from either seat.
"""

from __future__ import annotations

import random
from argparse import ArgumentParser

from engine.game import Game
from engine.record import ending
from engine.registry import GAMES, create
from engine.search import Limits, Thinker

OPTIONS: dict[str, dict[str, object]] = {"cohcoh": {"n": 5, "k": 4}}
GOALS = {
    "conga": "200 wins, <= 25 plies",
    "mancala": ">= 199 wins",
    "maxconnect4": ">= 199 wins",
    "cohcoh": ">= 199 wins",
}


def play(game: Game, thinker: Thinker, seat: int, limits: Limits, rng: random.Random) -> tuple[float, int]:
    """Play one game. Return the points of the search and the number of plies."""
    states = [game.start()]
    while (outcome := ending(game, states)) is None:
        state = states[-1]
        move = (
            thinker.think(state, limits, past=states[:-1]).move if state.turn == seat else rng.choice(game.moves(state))
        )
        assert move is not None
        states.append(game.after(state, move))
    points = 0.5 if outcome.winner is None else float(outcome.winner == seat)
    return points, len(states) - 1


def main() -> None:
    parser = ArgumentParser("python -m bench.strength", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME")
    parser.add_argument("--games", dest="count", type=int, default=200, metavar="N")
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in args.games:
        game = create(name, OPTIONS.get(name, {}))
        thinker, rng = Thinker(game), random.Random(args.seed)
        played = [play(game, thinker, i % 2, Limits(seconds=args.seconds), rng) for i in range(args.count)]
        points = [point for point, _ in played]
        wins, draws, losses = points.count(1.0), points.count(0.5), points.count(0.0)
        mean = sum(plies for _, plies in played) / len(played)
        goal = GOALS.get(name, "none")
        print(f"{name:12} +{wins} ={draws} -{losses}  {mean:.1f} plies per game   goal: {goal}", flush=True)


if __name__ == "__main__":
    main()
