"""Proofs of puzzles."""

from __future__ import annotations

from engine.game import Game, Move, State
from engine.puzzles.puzzle import Puzzle
from engine.review.values import Evaluator


def wins_within(game: Game, state: State, plies: int) -> bool:
    """Return whether the side to move can force a win within this many plies. For games in which sides alternate."""
    if plies < 1:
        return False
    return any(loses_within(game, game.after(state, move), plies - 1) for move in game.moves(state))


def loses_within(game: Game, state: State, plies: int) -> bool:
    """Return whether the side to move loses within this many plies, whatever it plays."""
    moves = game.moves(state)
    if not moves:
        return bool(game.rules.score(state.mine, state.rest) < 0)
    return plies > 0 and all(wins_within(game, game.after(state, move), plies - 1) for move in moves)


def may_win_within(evaluator: Evaluator, state: State, move: Move, plies: int) -> bool:
    """Return False only if a move does not win within this many plies: a search of this depth would have seen it.

    A search goes deeper where there is only one move, so True may mean a longer win.
    """
    after = evaluator.game.after(state, move)
    found = evaluator.estimate([state, after], plies - 1)
    return found.proved and found.points < 0


def is_proved(puzzle: Puzzle, nodes: int, compiled: bool | None = None) -> bool:
    """Return whether it is proved, within this many nodes per move, that the move of a puzzle alone keeps the value."""
    game = puzzle.create()
    state = game.start()
    move = game.parse(state, puzzle.move)
    others = [other for other in game.moves(state) if other != move]
    evaluator = Evaluator(game, nodes, compiled=compiled, endgames=False)
    if puzzle.plies is not None:
        others_win = any(may_win_within(evaluator, state, other, puzzle.plies) for other in others)
        return not others_win and loses_within(game, game.after(state, move), puzzle.plies - 1)
    value = evaluator.value([state])
    exact = value.proved and value.points == puzzle.value
    return exact and all(evaluator.is_worse([state], other, puzzle.value) for other in others)
