"""The levels of the search bot, each against the one below: whether `--level` means what it says.

python -m bench.ladder                        all games, all neighbours
python -m bench.ladder --games conga --pairs 40 --levels 4,5,6

Every opening is a few random moves, played from both seats, so that neither the seat nor the opening counts. Levels
are compared in this process, without a server: what they may look at is counted in positions, not in seconds, except
for level 10, which gets --seconds a move here. The score is the share of points of the higher level; `sure` is the
probability that it is the better one.
"""

from __future__ import annotations

import argparse
import math
import time
from itertools import pairwise
from random import Random
from typing import NamedTuple

from client.bot import Budget, as_thought
from client.bots.chance import Chance
from client.bots.levels import LEVELS
from client.bots.search import SearchBot
from engine.game import Game, State
from engine.record import ending
from engine.registry import GAMES, create

OPENINGS = {"conga": 4, "mancala": 3, "maxconnect4": 4, "cohcoh": 4}
OPTIONS: dict[str, dict[str, object]] = {"cohcoh": {"n": 6, "k": 4}}  # 4 x 4 is solved by anybody who looks at all


class Tally(NamedTuple):
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games

    @property
    def sure(self) -> float:
        """The likelihood of superiority: from wins and losses alone, as if results were normally distributed."""
        decided = self.wins + self.losses
        return 0.5 if not decided else 0.5 * (1 + math.erf((self.wins - self.losses) / math.sqrt(2 * decided)))


def opening(game: Game, plies: int, rng: Random) -> list[State]:
    """A few random moves after which the game goes on."""
    while True:
        states = [game.start()]
        for _ in range(plies):
            states.append(game.after(states[-1], rng.choice(game.moves(states[-1]))))
            if ending(game, states) is not None:
                break
        else:
            return states


def play(game: Game, start: list[State], bots: tuple[SearchBot, SearchBot], seconds: float) -> int | None:
    """The winner's side."""
    states = list(start)
    while (outcome := ending(game, states)) is None:
        state = states[-1]
        budget = Budget(seconds, time.monotonic() + 600, ply=len(states) - 1, side=state.turn)
        thought = as_thought(game, state, bots[state.turn].choose(game, state, budget))
        states.append(game.after(state, game.parse(state, str(thought.move))))
    return outcome.winner


def match(game: Game, high: int, low: int, pairs: int, seconds: float, seed: int) -> Tally:
    rng = Random(seed)
    wins = draws = losses = 0
    for _ in range(pairs):
        start = opening(game, OPENINGS.get(game.name, 4), rng)
        for seat in (0, 1):
            chance = Chance(rng.getrandbits(32))
            bots = {side: SearchBot(chance, None, high if side == seat else low) for side in (0, 1)}
            winner = play(game, start, (bots[0], bots[1]), seconds)
            wins, draws, losses = wins + (winner == seat), draws + (winner is None), losses + (winner == 1 - seat)
    return Tally(wins, draws, losses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES), help="which games, with commas between")
    parser.add_argument(
        "--levels", default=",".join(map(str, LEVELS)), help="which levels, each against the one before"
    )
    parser.add_argument("--pairs", type=int, default=30, help="openings, each played from both seats (30)")
    parser.add_argument("--seconds", type=float, default=0.3, help="for a move of level 10 (0.3)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    levels = [int(level) for level in args.levels.split(",")]
    print(f"{'game':12} {'levels':>8} {'wins':>5} {'draws':>5} {'losses':>6} {'score':>6} {'sure':>6}")
    for name in args.games.split(","):
        game = create(name, OPTIONS.get(name))
        for low, high in pairwise(levels):
            tally = match(game, high, low, args.pairs, args.seconds, args.seed)
            print(
                f"{name:12} {f'{high} v {low}':>8} {tally.wins:5} {tally.draws:5} {tally.losses:6}"
                f" {tally.score:6.2f} {tally.sure:6.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
