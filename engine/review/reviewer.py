"""The review of a game: values of all positions, from the last to the first, then a judgement for every move."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence

from engine.errors import GameError
from engine.game import Game, Move, State
from engine.record import Record, replay, verify
from engine.review.judgement import MISTAKES, chances, cost, explain, judge, sign
from engine.review.report import MoveReview, Review
from engine.review.values import MIN_POSITION_S, TABLE_MB, Budget, Evaluator, Value, for_mover
from engine.search.endgames import prepare_endgames
from engine.search.kernel import Notice
from engine.search.limits import ignore

MAX_LINE_MOVES = 12
MAX_EQUAL_MOVES = 16
Found = Callable[[MoveReview], None]
Progress = Callable[[int, int], None]  # called with the number of moves done, and of all moves


class NothingToReview(GameError):
    """The record has no moves."""


class Cancelled(Exception):
    """The caller has cancelled the review."""


def review(
    record: Record,
    budget: Budget | None = None,
    progress: Progress = lambda done, total: None,
    cancel: threading.Event | None = None,
    table_mb: float = TABLE_MB,
    compiled: bool | None = None,
    notice: Notice = ignore,
    threads: int = 1,
    found: Found = lambda move: None,
) -> Review:
    """Review a game. Raises InvalidRecord, NothingToReview, or Cancelled if `cancel` is set.

    The positions are searched from the last to the first, because proofs of late positions help to prove earlier ones.
    `found` is called with the review of each move, in this order.
    """
    verify(record)
    if not record.moves:
        raise NothingToReview("the game has no moves, so there is nothing to review")
    budget = budget or Budget()
    game, states = replay(record)
    if compiled is not False:
        prepare_endgames(game, notice)
    evaluator = Evaluator(game, budget.nodes, cancel, table_mb, compiled, notice, threads)
    started, total, moves = time.perf_counter(), len(record.moves), list[MoveReview]()
    after = evaluator.value(states)
    for done in range(total):
        if budget.seconds is not None:
            left = budget.seconds - (time.perf_counter() - started)
            evaluator.seconds = max(MIN_POSITION_S, left / (total - done))
        ply = total - done
        move = game.parse(states[ply - 1], record.moves[ply - 1].move)
        after, reviewed = review_move(evaluator, states[: ply + 1], move, after)
        if cancel is not None and cancel.is_set():
            raise Cancelled
        moves.append(reviewed)
        found(reviewed)
        progress(done + 1, total)
    return Review(tuple(reversed(moves)))


def review_move(evaluator: Evaluator, states: Sequence[State], move: Move, after: Value) -> tuple[Value, MoveReview]:
    """Review the move to the last state, whose value is `after`. Return also the value of the state before it."""
    game, earlier, before, now = evaluator.game, states[:-1], states[-2], states[-1]
    value, played = evaluator.value(earlier), for_mover(after, before, now)
    if value.line[0] == move:
        played = Value(value.points, value.proved)
    elif not value.proved and not played.proved:  # compare searches of the same depth
        played = for_mover(evaluator.estimate(states, value.depth - 1), before, now)
    if not value.proved and played.points >= value.points:
        proved = played.proved and played.points >= game.rules.bounds(before.mine, before.rest)[1]
        value = Value(played.points, proved, value.depth, (move, *after.line))
    is_best = value.line[0] == move or (value.proved and played.proved and value.points == played.points)
    line = value.line if value.line[0] == move or not is_best else (move, *after.line)
    only = is_best and value.proved and is_only(evaluator, earlier, move, value)
    judged = judge(game, value, played, is_best, only)
    also = equal_moves(evaluator, earlier, value, {move, line[0]}) if judged in MISTAKES and value.proved else []
    return value, MoveReview(
        ply=len(earlier),
        side=before.turn,
        move=game.format(before, move),
        best=game.format(before, line[0]),
        line=format_line(game, before, line[:MAX_LINE_MOVES]),
        value=value.points,
        value_proved=value.proved,
        played=played.points,
        played_proved=played.proved,
        depth=value.depth,
        loss=max(0, value.points - played.points),
        cost=cost(game, value, played),
        chance=chances(game, value, played)[1],
        judgement=judged,
        words=explain(game, value, played),
        forced=len(game.moves(before)) == 1,
        also=tuple(game.format(before, other) for other in also),
    )


def is_only(evaluator: Evaluator, states: Sequence[State], move: Move, value: Value) -> bool:
    """Return whether every other move is proved to have a worse result. There must be another move."""
    others = [other for other in evaluator.game.moves(states[-1]) if other != move]
    if not others or value.points < 0:
        return False
    return all(evaluator.is_worse(states, other, sign(value.points)) for other in others)


def equal_moves(evaluator: Evaluator, states: Sequence[State], best: Value, known: Collection[Move]) -> list[Move]:
    """Return other moves that are proved to be as good as the best one: those found in the time for one position."""
    game, began, found = evaluator.game, time.perf_counter(), list[Move]()
    for move in game.moves(states[-1]):
        if evaluator.seconds is not None and time.perf_counter() - began > evaluator.seconds:
            break
        if move not in known and evaluator.is_enough(states, move, int(best.points)):
            found.append(move)
    return found[:MAX_EQUAL_MOVES]


def format_line(game: Game, state: State, line: Sequence[Move]) -> tuple[str, ...]:
    """Return the moves of a line as text."""
    texts = []
    for move in line:
        texts.append(game.format(state, move))
        state = game.after(state, move)
    return tuple(texts)
