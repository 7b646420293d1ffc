"""Endgame tables: the exact values of all positions with few pieces. Written in the same subset of Python as tree.py.

A game with endgame tables numbers these positions so that each move leads to a position with a lower number. The table
has a byte for each: the value for the side to move without the part that `base` returns, plus ENDGAME_ZERO. A word of
the table holds eight bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # replaced with the rules of a game by engine/search/kernel.py
    from engine.search.rule_stubs import base, candidates, endgame_index, endgame_next, over, play, score

ENDGAME_ZERO = 128


def endgame_value(endgames: list[int], at: int) -> int:
    """Return the value of a place."""
    return (endgames[at >> 3] >> 8 * (at & 7) & 255) - ENDGAME_ZERO


def set_endgame(endgames: list[int], at: int, value: int) -> None:
    shift = 8 * (at & 7)
    endgames[at >> 3] = endgames[at >> 3] & ~(255 << shift) | value + ENDGAME_ZERO << shift


def fill_endgames(endgames: list[int], moves: list[int], position: list[int], start: int, end: int) -> None:
    """Compute the places from `start` to before `end`. All places before must be known.

    `position` has the words of the place `start`, and then of `end`. `moves` is for MAX_MOVES.
    """
    mine, rest = position[0], position[1]
    for at in range(start, end):
        if over(mine, rest):
            best = score(mine, rest) - base(mine, rest)
        else:
            best = -ENDGAME_ZERO
            for i in range(candidates(mine, rest, moves, 0)):
                own, other, again = play(mine, rest, moves[i])
                value = base(own, other) + endgame_value(endgames, endgame_index(own, other))
                best = max(best, value if again else -value)
            best -= base(mine, rest)
        set_endgame(endgames, endgame_index(mine, rest), best)
        mine, rest = endgame_next(at, mine, rest)
    position[0], position[1] = mine, rest
