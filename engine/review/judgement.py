"""Judgements of moves: what a move costs, and the word and the sentence for it.

The cost of a move is the part of the winning chances that it loses, from 0 to 1. If both values are proved, a win is a
chance of 1, a draw 0.5, a loss 0; a move that keeps the result but drops points costs a little. Otherwise the chances
follow from the results of self-play games (`Game.chance_scale`, fitted by bench/review.py).
"""

from __future__ import annotations

from math import exp
from typing import Literal, get_args

from engine.game import Game
from engine.review.values import Value

Judgement = Literal["best", "only move", "fine", "inaccuracy", "mistake", "blunder", "missed win"]
JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)
MISTAKES: tuple[Judgement, ...] = ("inaccuracy", "mistake", "blunder", "missed win")

MARKS: dict[Judgement, str] = {
    "best": "",
    "only move": "!",
    "fine": "",
    "inaccuracy": "?!",
    "mistake": "?",
    "blunder": "??",
    "missed win": "?x",
}

INACCURACY_COST, MISTAKE_COST, BLUNDER_COST = 0.05, 0.1, 0.2
MAX_DROP_COST = 0.19  # of points within the same proved result: never a blunder
WINNING_CHANCE, LOSING_CHANCE = 0.8, 0.2
ACCURACY_SLOPE = 4.4  # a move that costs 0.1 has an accuracy of 64 %, one that costs 0.5 of 11 %
RESULTS = ("loss", "draw", "win")


def chance(game: Game, value: Value, exact: bool) -> float:
    """Return the winning chance of the side with this value: by the result if `exact`, else by the results of games."""
    if exact:
        return (sign(value.points) + 1) / 2
    exponent = max(-50.0, min(50.0, value.points / game.chance_scale))
    return 1 / (1 + exp(-exponent))


def cost(game: Game, best: Value, played: Value) -> float:
    """Return the part of the winning chances that a move loses. Both values are for the side that moved."""
    keeps_win = played.proved and played.points > 0
    if keeps_win or (best.proved and played.proved and sign(best.points) == sign(played.points)):
        return max(0.0, min(MAX_DROP_COST, INACCURACY_COST * (best.points - played.points) / game.minor_drop))
    before, after = chances(game, best, played)
    return max(0.0, before - after)


def chances(game: Game, best: Value, played: Value) -> tuple[float, float]:
    """Return the winning chances before and after a move.

    In a game with points, a proved margin that meets an estimate is put on the scale of estimates: otherwise the proof
    alone that a side loses by a few points would look like a mistake.
    """
    exact = (best.proved and played.proved) or not counts_points(game)
    return chance(game, best, exact and best.proved), chance(game, played, exact and played.proved)


def judge(game: Game, best: Value, played: Value, is_best: bool, only: bool) -> Judgement:
    """Return the judgement of a move. `only`: every other move is proved to have a worse result."""
    lost = cost(game, best, played)
    if is_best:
        return "only move" if only else "best"
    if lost < INACCURACY_COST:
        return "fine"
    if lost < BLUNDER_COST:
        return "inaccuracy" if lost < MISTAKE_COST else "mistake"
    before, after = chances(game, best, played)
    return "missed win" if before >= WINNING_CHANCE and after > LOSING_CHANCE else "blunder"


def accuracy(cost: float) -> float:
    """Return the accuracy of a move in percent."""
    return 100 * exp(-ACCURACY_SLOPE * cost)


def explain(game: Game, best: Value, played: Value) -> str:
    """Return what a move keeps or loses, in words. Only proved values are stated as facts."""
    lost = best.points - played.points
    if not (best.proved and played.proved):
        return "" if lost <= 0 else estimated_loss(game, best, played)
    before, after = (RESULTS[sign(value.points) + 1] for value in (best, played))
    if before != after:
        return f"turns a {before} into a {after}" + (f", {drop_text(game, lost)}" if counts_points(game) else "")
    if lost > 0:
        return drop_text(game, lost)
    return f"keeps the {after}" if after != "loss" else ""


def estimated_loss(game: Game, best: Value, played: Value) -> str:
    percent = round(100 * cost(game, best, played))
    shown = f"about {percent} % of the winning chances"
    if counts_points(game):
        shown = f"about {drop_amount(game, round(best.points - played.points, 1))}, {shown}"
    return f"loses {shown}"


def drop_text(game: Game, lost: float) -> str:
    return f"drops {drop_amount(game, lost)}"


def drop_amount(game: Game, lost: float) -> str:
    return f"{lost:g} {game.point_name}{'' if lost == 1 else 's'}"


def counts_points(game: Game) -> bool:
    """Return whether a value of the game is a difference of points. Otherwise it is 1, 0 or -1."""
    return game.points(game.start()) is not None


def sign(number: float) -> int:
    return (number > 0) - (number < 0)
