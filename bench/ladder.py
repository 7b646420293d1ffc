"""Matches between adjacent levels of the search bot, to test that each is stronger than the one below.

    python -m bench.ladder                        all games, all levels
    python -m bench.ladder --games conga --pairs 40 --levels 4,5,6

Every opening is a few random moves and is played from both seats, so neither seat nor opening matters. The matches run
in this process, without a server. Levels are limited by positions, not by seconds; only level 10 gets --seconds per
move. `score` is the share of points of the higher level. `sure` is the likelihood that the higher level is stronger. A
match ends early when almost no doubt is left. The last lines list the pairs of levels that are not sure.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from random import Random
from typing import NamedTuple

from client.bots.builtin.levels import LEVELS
from client.bots.builtin.rng import PositionRng
from client.bots.builtin.search import SearchBot, warm
from client.sdk.bot import Bot, Budget, as_thought
from client.tournament.model.elo import difference
from engine.game import Game
from engine.registry import GAMES, create
from engine.replay import Replay, ending

OPENINGS = {"conga": 4, "mancala": 3, "maxconnect4": 4, "cohcoh": 4}
OPTIONS: dict[str, dict[str, object]] = {"cohcoh": {"n": 6, "k": 4}}  # every level solves 4 x 4
SURE_LIKELIHOOD = 0.95
EARLY_STOP = 0.9995  # stricter than SURE_LIKELIHOOD, since it is tested after every pair
MIN_PAIRS = 30


class Tally(NamedTuple):
    """The points of the higher level in every game, two games a pair."""

    points: tuple[float, ...] = ()

    @property
    def score(self) -> float:
        return sum(self.points) / len(self.points)

    @property
    def sure(self) -> float:
        return difference([sum(pair) for pair in zip(self.points[::2], self.points[1::2], strict=True)]).superior

    def __str__(self) -> str:
        wins, draws, losses = (self.points.count(points) for points in (1.0, 0.5, 0.0))
        return f"{wins:5} {draws:5} {losses:6} {self.score:6.2f} {self.sure:7.4f}"


def opening(game: Game, plies: int, rng: Random) -> list[str]:
    """Return a few random moves that do not end the game."""
    while True:
        moves: list[str] = []
        while (played := Replay.of(game, moves)).ended is None:
            if len(moves) == plies:
                return moves
            state = played.states[-1]
            moves.append(game.format(state, rng.choice(game.moves(state))))


def play(game: Game, start: list[str], bots: tuple[Bot, Bot], seconds: float) -> int | None:
    """Play a game. Return the side that wins, or None for a draw."""
    moves, states = list(start), list(Replay.of(game, start).states)
    while (outcome := ending(game, states)) is None:
        state, deadline = states[-1], time.monotonic() + 600
        budget = Budget(seconds, deadline, ply=len(moves), side=state.turn, history=tuple(moves))
        moves.append(str(as_thought(game, state, bots[state.turn].choose(game, state, budget)).move))
        states.append(game.after(state, game.parse(state, moves[-1])))
    return outcome.winner


def match(game: Game, high: int, low: int, pairs: int, seconds: float, seed: int) -> Tally:
    """Play two levels against each other, until the pairs are played or one level is clearly stronger."""
    rng, tally = Random(seed), Tally()
    for number in range(1, pairs + 1):
        start = opening(game, OPENINGS.get(game.name, 4), rng)
        for seat in (0, 1):
            bot_rng = PositionRng(rng.getrandbits(32))
            bots = {side: SearchBot(bot_rng, None, high if side == seat else low) for side in (0, 1)}
            winner = play(game, start, (bots[0], bots[1]), seconds)
            tally = Tally((*tally.points, 0.5 if winner is None else float(winner == seat)))
        if number >= MIN_PAIRS and tally.sure >= EARLY_STOP:
            break
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES), help="games, separated by commas")
    parser.add_argument(
        "--levels", default=",".join(map(str, LEVELS)), help="levels, separated by commas; each plays the one before"
    )
    parser.add_argument(
        "--pairs", type=int, default=100, help="maximum number of openings, each played from both seats (default: 100)"
    )
    parser.add_argument("--seconds", type=float, default=0.3, help="for each move of level 10 (default: 0.3)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    levels = [int(level) for level in args.levels.split(",")]
    unsure = []
    print(f"{'game':12} {'levels':>8} {'wins':>5} {'draws':>5} {'losses':>6} {'score':>6} {'sure':>7}")
    for name in args.games.split(","):
        game = create(name, OPTIONS.get(name))
        warm([game])  # compiles the search before the first game
        for low, high in pairwise(levels):
            title = f"{name:12} {f'{high} v {low}':>8}"
            print(title, end=" ", flush=True)
            tally = match(game, high, low, args.pairs, args.seconds, args.seed)
            print(tally, flush=True)
            unsure += [title] if tally.sure < SURE_LIKELIHOOD else []
    print("\n".join(["not sure:", *unsure] if unsure else ["every level is stronger than the one below"]))


if __name__ == "__main__":
    main()
