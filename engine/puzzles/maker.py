"""Find puzzles in the positions of games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.game import Game, Move, State
from engine.puzzles.proofs import loses_within, may_win_within
from engine.puzzles.puzzle import MAX_LEVEL, Puzzle
from engine.review.judgement import counts_points
from engine.review.values import Evaluator
from engine.search import Limits, Thinker

MIN_LEGAL_MOVES = 3
MAX_FOLLOW_UPS = 8  # of one position
LENGTHS_IN_PLIES = (1, 3, 5)  # of forced wins, in games whose positions can repeat


def candidates(game: Game, states: Sequence[State]) -> Iterator[State]:
    """Return the states of a game in which there is something to choose, each with equal futures only once."""
    seen = set()
    for state in states:
        key = game.rules.key(state.mine, state.rest)[:2]
        if key not in seen and len(game.moves(state)) >= MIN_LEGAL_MOVES:
            seen.add(key)
            yield state


def follow_ups(evaluator: Evaluator, state: State) -> list[State]:
    """Return positions after a winning move and an answer. Only for games whose positions can repeat: wins are rare."""
    game = evaluator.game
    if game.spec.repetition is None:
        return []
    value = evaluator.estimate([state], LENGTHS_IN_PLIES[-1])
    if not value.proved or value.points < 0 or not value.line:
        return []
    after = game.after(state, value.line[0])
    answers = [game.after(after, move) for move in game.moves(after)]
    return list(candidates(game, answers))[:MAX_FOLLOW_UPS]


def make_puzzle(
    evaluator: Evaluator, state: State, levels: Mapping[int, int], compiled: bool | None = None
) -> Puzzle | None:
    """Return the puzzle of a position, or None if it is not proved that exactly one move keeps the value.

    `levels` maps levels of the search to the nodes that they search.
    """
    game = evaluator.game
    cyclic = game.spec.repetition is not None
    value = evaluator.estimate([state], LENGTHS_IN_PLIES[-1]) if cyclic else evaluator.value([state])
    if not value.proved or (value.points < 0 and not counts_points(game)):
        return None
    plies = None
    if not cyclic:
        move: Move | None = value.line[0]
        others = [other for other in game.moves(state) if other != move]
        if not all(evaluator.is_worse([state], other, int(value.points)) for other in others):
            return None
    else:
        plies, move = shortest_win(evaluator, state)
    if move is None:
        return None
    level = lowest_level(game, state, move, levels, compiled)
    options = {name: option for name, option in game.spec.options.items() if name not in ("start", "max_plies")}
    text = game.format(state, move)
    return Puzzle(game.name, game.dump(state), text, int(value.points), level, plies, options)


def shortest_win(evaluator: Evaluator, state: State) -> tuple[int | None, Move | None]:
    """Return the length of the shortest forced win and the only move that achieves it; None without such a move."""
    game = evaluator.game
    for plies in LENGTHS_IN_PLIES:
        winning = [move for move in game.moves(state) if may_win_within(evaluator, state, move, plies)]
        if winning:
            only = len(winning) == 1 and plies > 1 and loses_within(game, game.after(state, winning[0]), plies - 1)
            return (plies, winning[0]) if only else (None, None)
    return None, None


def lowest_level(game: Game, state: State, move: Move, levels: Mapping[int, int], compiled: bool | None) -> int:
    """Return the lowest level of the search that finds the move, MAX_LEVEL if none of them does."""
    first = {nodes: level for level, nodes in sorted(levels.items(), reverse=True)}  # of levels that search alike
    for nodes, level in sorted(first.items()):
        if Thinker(game, 1, compiled).think(state, Limits(nodes=nodes)).move == move:
            return level
    return MAX_LEVEL
