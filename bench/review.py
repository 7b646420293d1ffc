"""Check the thresholds of the review against the results of self-play games.

    python -m bench.review [GAME...] [--games 200] [--nodes 20000]

Both sides search a few nodes and play a share of their moves at random, so that there are mistakes of all sizes. For
each game it prints:

  * the scale that fits the estimates best: an estimate of this size wins 73 % of the games (`Game.chance_scale`),
    with a 95 % interval;
  * how often sides scored whose winning chances were in a band;
  * per judgement: how many moves, what the mover expected before it, and what the mover scored in the end;
  * how often the side with the better accuracy won, and the mean accuracy by share of random moves.
"""

from __future__ import annotations

import random
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import mean

from engine.game import Game
from engine.record import Played, Record, ending
from engine.registry import GAMES, create
from engine.review import JUDGEMENTS, Budget, Review, review
from engine.review.judgement import chance
from engine.review.values import Value
from engine.search import Limits, Thinker

OPTIONS: dict[str, dict[str, object]] = {"cohcoh": {"n": 5, "k": 4}}
RANDOM_SHARES = (0.0, 0.1, 0.3)
PLAY_NODES = 2_000
OPENING_PLIES = 4
MAX_PLIES = 150  # longer games count as draws
SCALES = [0.01 * 1.15**i for i in range(52)]
DRAWS = 400


@dataclass(frozen=True)
class Sample:
    """A reviewed game, the shares of random moves, and the points of side 0: 1, 0.5 or 0."""

    review: Review
    shares: tuple[float, float]
    points: float

    def scored(self, side: int) -> float:
        return self.points if side == 0 else 1 - self.points


def self_play(game: Game, shares: Sequence[float], rng: random.Random) -> tuple[Record, float]:
    """Return a game as a record, and the points of side 0."""
    thinker, states, moves = Thinker(game, 16), [game.start()], list[Played]()
    while (outcome := ending(game, states)) is None and len(moves) < MAX_PLIES:
        state = states[-1]
        by_chance = len(moves) < OPENING_PLIES or rng.random() < shares[state.turn]
        found = None if by_chance else thinker.think(state, Limits(nodes=PLAY_NODES), past=states[:-1]).move
        move = rng.choice(game.moves(state)) if found is None else found
        moves.append(Played(game.format(state, move)))
        states.append(game.after(state, move))
    if outcome is None:
        return Record(game.name, game.spec.options, moves=tuple(moves)), 0.5
    points = 0.5 if outcome.winner is None else 1.0 - outcome.winner
    record = Record(game.name, game.spec.options, result=outcome.result, reason=outcome.reason, moves=tuple(moves))
    return record, points


def surprises(sample: Sample) -> list[float]:
    """Return how unlikely the result is, given the estimates of a game, for each of the scales."""
    pairs = [(move.value, sample.scored(move.side)) for move in sample.review.moves if not move.value_proved]
    found = []
    for scale in SCALES:
        total = 0.0
        for value, points in pairs:
            won = 1 / (1 + exp(-max(-30.0, min(30.0, value / scale))))
            won = min(max(won, 1e-6), 1 - 1e-6)
            total -= points * log(won) + (1 - points) * log(1 - won)
        found.append(total)
    return found


def best_scale(games: Sequence[Sequence[float]]) -> float:
    """Return the scale with the greatest likelihood of the results."""
    totals = [sum(column) for column in zip(*games, strict=True)]
    return SCALES[totals.index(min(totals))]


def print_scale(game: Game, samples: Sequence[Sample], rng: random.Random) -> None:
    """Print the scale that fits best, with a 95 % interval: from games drawn with replacement."""
    games = [surprises(sample) for sample in samples]
    drawn = sorted(best_scale(rng.choices(games, k=len(games))) for _ in range(DRAWS))
    low, high = drawn[DRAWS // 40], drawn[-1 - DRAWS // 40]
    print(
        f"{game.name}: fitted scale {best_scale(games):.2f} ({low:.2f} to {high:.2f}), in use {game.chance_scale:g}",
        flush=True,
    )


def print_calibration(game: Game, samples: Sequence[Sample]) -> None:
    for proved in (False, True):
        bands: dict[int, list[float]] = defaultdict(list)
        for sample in samples:
            for move in sample.review.moves:
                if move.value_proved == proved:
                    expected = chance(game, Value(move.value, proved), proved)
                    bands[min(4, int(5 * expected))].append(sample.scored(move.side))
        texts = [
            f"{20 * band}-{20 * band + 20} %: {100 * mean(bands[band]):.0f} % of {len(bands[band])}"
            for band in sorted(bands)
        ]
        print(f"  {'proved' if proved else 'estimated'} chance, scored: {'; '.join(texts)}")


def print_judgements(game: Game, samples: Sequence[Sample]) -> None:
    moves = [(move, sample.scored(move.side)) for sample in samples for move in sample.review.moves if not move.forced]
    for judgement in JUDGEMENTS:
        found = [(move, scored) for move, scored in moves if move.judgement == judgement]
        if found:
            before = mean(chance(game, Value(move.value, move.value_proved), move.value_proved) for move, _ in found)
            after = mean(scored for _, scored in found)
            proved = sum(move.proved for move, _ in found)
            print(
                f"  {judgement:11} {len(found):6} moves, {proved:5} proved: expected {before:.2f}, scored {after:.2f}"
            )


def print_accuracy(samples: Sequence[Sample]) -> None:
    by_share: dict[float, list[float]] = defaultdict(list)
    better_won = []
    for sample in samples:
        both = [sample.review.accuracy(side) for side in (0, 1)]
        for found, share in zip(both, sample.shares, strict=True):
            if found is not None:
                by_share[share].append(found)
        if both[0] is not None and both[1] is not None and both[0] != both[1]:
            better_won.append(sample.scored(0 if both[0] > both[1] else 1))
    print(f"  the side with the better accuracy scored {mean(better_won):.2f} in {len(better_won)} games")
    print(
        "  accuracy by share of random moves:",
        ", ".join(f"{share:g}: {mean(by_share[share]):.1f}" for share in sorted(by_share)),
    )


def main() -> None:
    parser = ArgumentParser("python -m bench.review", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME")
    parser.add_argument("--games", dest="count", type=int, default=200, metavar="N")
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes per position of the review")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in args.games:
        game, rng, samples = create(name, OPTIONS.get(name, {})), random.Random(args.seed), list[Sample]()
        for _ in range(args.count):
            shares = rng.choice(RANDOM_SHARES), rng.choice(RANDOM_SHARES)
            record, points = self_play(game, shares, rng)
            samples.append(Sample(review(record, Budget(args.nodes, None)), shares, points))
        print_scale(game, samples, rng)
        print_calibration(game, samples)
        print_judgements(game, samples)
        print_accuracy(samples)


if __name__ == "__main__":
    main()
