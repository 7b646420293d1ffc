"""Rules written once: plain functions over ints, and how one set of options gets its own copy of them.

A game's file holds these functions, in the subset of Python that numba compiles: ints, ranges, tuples of ints.
Each sees the position as two non-negative ints, `mine` (what the side to move owns) and `rest`:

    gen(mine, rest, out, n) -> n      write the legal moves into out[n:], sorted; return the new count
    play(mine, rest, move) -> (mine, rest, again)   as the side to move next sees it; again: the same side moves again
    candidates(mine, rest, out, n) -> n   like gen, but only moves worth searching: one of the best is among them
    over(mine, rest) -> bool
    score(mine, rest) -> int          points secured so far, mine minus theirs; when over: the value of the game
    bounds(mine, rest) -> (low, high) the exact value of a position that is not over lies within
    base(mine, rest) -> int           the part of the value that no move can change any more, which `key` leaves out
    key(mine, rest) -> (a, b, own)    equal a, b for positions whose *future* is equal (score left out, symmetries
                                      folded); own: moves mean the same here as in the position (a, b)
    tactics(mine, rest, move) -> int  how promising a move looks before it is searched
    guess(mine, rest) -> int          an estimate of the value for the side to move, in units of 1/UNIT

and the constants MOST_MOVES (room for `out`; every move is less than that, and it is 255 at most), UNIT (see guess),
WIDTH (bits of the wider word; up to 63 compile) and CYCLIC (whether a position can come again).

These and all others (board size, field width, profile) are module globals. `specialise` copies the functions into a
namespace of their own in which those globals have the values of one set of options. The server calls these copies
as plain Python; engine/search compiles copies of the very same functions.
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

    def __getattr__(self, name: str) -> Any:  # for the type checker: what is missing is missing
        raise AttributeError(name)


def rule_functions(module: ModuleType) -> dict[str, FunctionType]:
    """The plain functions of a game's module, of its companion NAME_bounds if it has one, and of engine.bits."""
    homes = (module.__name__, f"{module.__name__}_bounds", "engine.bits")
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ in homes
    }


def specialise(module: ModuleType, constants: Mapping[str, Constant]) -> Rules:
    namespace: dict[str, Any] = {**vars(module), **constants}
    for name, function in rule_functions(module).items():
        namespace[name] = FunctionType(function.__code__, namespace, name, function.__defaults__)
    return Rules(namespace)
