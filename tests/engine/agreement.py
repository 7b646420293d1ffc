"""Compare reviews of games with an independent exhaustive solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.contract.exact import TooManyPositions
from engine.game import Game
from engine.record import Record, replay
from engine.review import MoveReview, Review
from engine.review.judgement import sign
from tests.engine.naive_solver import NaiveSolver


@dataclass(frozen=True)
class Agreement:
    """How many positions were compared, and what was wrong, as sentences."""

    positions: int = 0  # that the solver could solve
    proved: int = 0  # of them, with a proved value before the move
    moves: int = 0  # of them, with a proved value after the move, too
    wrong: tuple[str, ...] = ()

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            self.positions + other.positions,
            self.proved + other.proved,
            self.moves + other.moves,
            self.wrong + other.wrong,
        )


def compare_late_moves(game: Game, record: Record, found: Review, max_positions: int = 3000) -> Agreement:
    """Compare every proved late move with exact values. The solver visits at most `max_positions` positions."""
    solver, total = NaiveSolver(game, max_positions), Agreement()
    _, states = replay(record)
    for move in reversed(found.moves):
        try:
            values = solver.moves(game.dump(states[move.ply - 1]))
        except TooManyPositions:
            break
        wrong = sentences(move, wrong_values(move, values))
        total += Agreement(1, move.value_proved, move.proved, wrong)
    return total


def compare_forced_results(game: Game, record: Record, found: Review, plies: int, last_moves: int) -> Agreement:
    """Compare the last moves of a game whose positions can repeat with results that are forced within some plies."""
    solver, total = NaiveSolver(game), Agreement()
    _, states = replay(record)
    for move in found.moves[-last_moves:]:
        expected = solver.forced(game.dump(states[move.ply - 1]), plies)
        wrong = []
        if expected and (move.value, move.value_proved) != (expected, True):
            wrong.append(f"the result {expected:+d} is forced within {plies} plies")
        if move.value_proved and move.value not in (1, -1):
            wrong.append(f"the value {move.value:+g} is called proved")
        total += Agreement(expected != 0, expected != 0, expected != 0 and move.proved, sentences(move, wrong))
    return total


def sentences(move: MoveReview, wrong: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"ply {move.ply}, {move.move}, {move.judgement}: {text}" for text in wrong)


def wrong_values(move: MoveReview, values: dict[str, int]) -> Iterator[str]:
    """Yield what is wrong in the review of a move, given the exact value of every move."""
    best, played = max(values.values()), values[move.move]
    if move.value_proved and move.value != best:
        yield f"the value {move.value:+g} before the move is {best:+d}"
    if move.played_proved and move.played != played:
        yield f"the value {move.played:+g} after the move is {played:+d}"
    if move.proved:
        yield from wrong_judgements(move, values)


def wrong_judgements(move: MoveReview, values: dict[str, int]) -> Iterator[str]:
    best, played = max(values.values()), values[move.move]
    if move.loss != best - played:
        yield f"the loss {move.loss:g} is {best - played}"
    if values[move.best] != best:
        yield f"{move.best} is not best"
    if {values[other] for other in move.also} - {best} or {move.move, move.best} & {*move.also}:
        yield f"the moves {' '.join(move.also)} are not the other best moves"
    changes_result = sign(played) < sign(best)
    if (move.judgement in ("best", "only move")) != (move.loss == 0):
        yield f"the loss is {move.loss:g}"
    if move.judgement == "only move" and any(
        sign(value) >= sign(best) for text, value in values.items() if text != move.move
    ):
        yield "another move has the same result"
    if changes_result and (move.judgement not in ("blunder", "missed win") or not move.words.startswith("turns a ")):
        yield "the move changes the result"
    if not changes_result and move.loss > 0:
        if move.judgement not in ("fine", "inaccuracy", "mistake"):
            yield "the move keeps the result"
        if not move.words.startswith(f"drops {move.loss} "):
            yield f"the words are {move.words!r}"
    if (move.judgement == "missed win") != (sign(best) == 1 and sign(played) == 0):
        yield f"the result goes from {sign(best):+d} to {sign(played):+d}"
