"""How many openings are decided before the first move: random ones and balanced ones, by proofs with many nodes.

    python -m bench.openings [GAME...] [--count 20] [--nodes 30000000] [--plies 4]

`lost` are the openings whose result is proved to be a win for one side. In games with points, `margin` is the mean of
the absolute values, proved or not, with its 95 % interval.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Sequence
from statistics import fmean

from bench.strength import interval
from client.tournament.formats.openings import Openings
from client.tournament.formats.openings_balanced import BalancedOpenings
from engine.game import Game
from engine.registry import GAMES, create
from engine.search import Limits, Thinker

TABLE_MB = 256


def report(game: Game, kind: str, positions: Sequence[str], nodes: int) -> str:
    began, thinker = time.process_time(), Thinker(game, TABLE_MB)
    found = [thinker.solve(game.load(position), Limits(nodes=nodes)) for position in positions]
    proved = [each for each in found if each.proved]
    lost = sum(each.value != 0 for each in proved)
    margins = [abs(each.value) for each in found]
    spent = time.process_time() - began
    return (
        f"{game.name:12} {kind:9} {len(found)} openings, {len(proved)} proved, {lost} lost, "
        f"{len(proved) - lost} drawn, margin {fmean(margins):.2f} ± {interval(margins):.2f}   ({spent:.0f} s CPU)"
    )


def main() -> None:
    parser = ArgumentParser("python -m bench.openings", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME")
    parser.add_argument("--count", type=int, default=20, metavar="N")
    parser.add_argument("--nodes", type=int, default=30_000_000, metavar="N")
    parser.add_argument("--plies", type=int, default=4, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in args.games:
        game = create(name, {})
        random, began = Openings(game, args.seed, args.plies), time.process_time()
        balanced = BalancedOpenings(game, args.seed, args.plies)
        numbers = range(1, args.count + 1)
        chosen = [balanced.get(number).position for number in numbers]
        cost = (time.process_time() - began) / args.count
        print(report(game, "random", [random.get(number) for number in numbers], args.nodes), flush=True)
        print(report(game, "balanced", chosen, args.nodes), f"  chosen in {cost:.2f} s CPU each", flush=True)


if __name__ == "__main__":
    main()
