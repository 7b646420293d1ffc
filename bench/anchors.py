"""Measure the ratings of the house bots that are the anchors of a ladder.

    python -m bench.anchors                           all games
    python -m bench.anchors --games conga --pairs 20

`random` and the levels 1 to 9 of `search` play in this process, each against the next two stronger ones, from random
openings and from both seats. Level 10 is left out, because its strength depends on the machine. The ratings make all
results most likely, and `search@1` has 1000. The table belongs in client/ladder/anchors.py.
"""

from __future__ import annotations

import argparse
from random import Random

from bench.ladder import OPENINGS, OPTIONS, opening, play
from client.bots.builtin.course import CourseBot
from client.bots.builtin.levels import LEVELS
from client.bots.builtin.rng import PositionRng
from client.bots.builtin.search import SearchBot, warm
from client.sdk.bot import Bot
from client.tournament.model.elo import Rating, ratings
from engine.game import Game
from engine.registry import GAMES, create

LOWEST, LOWEST_ELO = "search@1", 1000
NAMES = ("random", *(f"search@{level}" for level, how in LEVELS.items() if how.nodes is not None))
NEIGHBOURS = 2
MOVE_S = 60.0  # no level here needs it


def make_bot(name: str, seed: int) -> Bot:
    rng = PositionRng(seed)
    return CourseBot(name, rng) if name == "random" else SearchBot(rng, None, int(name.partition("@")[2]))


def measure(game: Game, pairs: int, seed: int) -> dict[str, Rating]:
    """Return the rating of every anchor in a game."""
    rng, results = Random(seed), []
    for number, low in enumerate(NAMES):
        for high in NAMES[number + 1 : number + 1 + NEIGHBOURS]:
            for _ in range(pairs):
                start = opening(game, OPENINGS.get(game.name, 4), rng)
                for seats in ((low, high), (high, low)):
                    first, second = (make_bot(name, rng.getrandbits(32)) for name in seats)
                    winner = play(game, start, (first, second), MOVE_S)
                    results.append((*seats, 0.5 if winner is None else 1.0 - winner))
    found = ratings(NAMES, results)
    shift = LOWEST_ELO - found[LOWEST].elo
    return {name: Rating(rating.elo + shift, rating.error) for name, rating in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES), help="games, separated by commas")
    parser.add_argument("--pairs", type=int, default=40, help="openings of every match (default: 40)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in args.games.split(","):
        game = create(name, OPTIONS.get(name))
        warm([game])
        print(f"{name} {OPTIONS.get(name) or ''}".strip(), flush=True)
        for bot, rating in measure(game, args.pairs, args.seed).items():
            print(f"  {bot:10} {rating.elo:6.0f} ± {rating.error:.0f}", flush=True)


if __name__ == "__main__":
    main()
