"""Rule functions over ints, and their copies for each set of options.

The file of a game defines these functions in the subset of Python that numba compiles: ints, ranges, tuples of ints.
Each takes the position as two non-negative ints, `mine` (the word of the side to move) and `rest`:

    gen(mine, rest, out, n) -> n      write the legal moves into out[n:], sorted; return the new count
    play(mine, rest, move) -> (mine, rest, again)   for the next side to move; again: the same side moves again
    candidates(mine, rest, out, n) -> n   like gen, but only moves worth searching; at least one best move is among them
    over(mine, rest) -> bool
    score(mine, rest) -> int          points secured so far, mine minus theirs; when over: the value of the game
    bounds(mine, rest) -> (low, high) bounds of the exact value; only called if the game is not over
    base(mine, rest) -> int           the part of the value that no move can change; `key` leaves it out
    key(mine, rest) -> (a, b, own)    equal a, b for positions whose *future* is equal (without score, symmetric
                                      positions folded); own: a move has the same meaning in position (a, b)
    tactics(mine, rest, move) -> int  move ordering: higher is searched first
    guess(mine, rest) -> int          an estimate of the value for the side to move, in units of 1/UNIT

A game with an endgame table (engine/search/endgame_table.py) has two more, and the constant ENDGAMES, its size:

    endgame_index(mine, rest) -> int  the place of a position in the table, or -1
    endgame_next(at, mine, rest) -> (mine, rest)   the position of the place at + 1, given that of `at`

All games have the constants MAX_MOVES (the length of `out`, at most 255; every move is below it), UNIT (see guess),
WIDTH (bits of the wider word; up to 63 can be compiled) and CYCLIC (whether a position can repeat).

All constants (also board size, field width, profile) are module globals. `specialise` copies the functions into a new
namespace in which these globals have the values of one set of options. The server calls the copies as plain Python;
engine/search compiles copies of the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

Constant = int | tuple[int, ...]


class Rules:
    """The rule functions of a game, and their constants, for one set of options."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self.__dict__.update(namespace)

    def __getattr__(self, name: str) -> Any:  # declared for the type checker
        raise AttributeError(name)


def rule_functions(module: ModuleType) -> dict[str, FunctionType]:
    """Return the functions of a game module, including those imported from NAME_bounds, NAME_endgames, engine.bits."""
    modules = (module.__name__, f"{module.__name__}_bounds", f"{module.__name__}_endgames", "engine.bits")
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ in modules
    }


def specialise(module: ModuleType, constants: Mapping[str, Constant]) -> Rules:
    """Return copies of the rule functions of a module that use these constants."""
    namespace: dict[str, Any] = {**vars(module), **constants}
    for name, function in rule_functions(module).items():
        namespace[name] = FunctionType(function.__code__, namespace, name, function.__defaults__)
    return Rules(namespace)
