"""A kernel: the search of tree.py and table.py joined with the rules of one game and one set of options.

It is plain Python, or compiled: then it is written down as one module, the source of every function the search needs
with the game's constants above it, of which engine/search/compiled.py makes machine code.
"""

from __future__ import annotations

import importlib.util
import inspect
import mmap
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

from engine.game import Game
from engine.rules import Rules, specialise
from engine.search import primitives, table, tree

Notice = Callable[[str], None]
Run = Callable[[Any, Any, Any, Any, Any, Any], None]
MACHINE_WORDS = ("ones", "lowest", "mix", "length")  # what engine/search/machine.py brings
ARRAYS = 6  # that `run` takes
LARGE = 1 << 19  # words of an array for which large pages are worth it
WIDEST = 63  # bits of a word that compiled code can hold
_compiling = threading.Lock()


@dataclass(frozen=True, slots=True)
class Kernel:
    """The search of one game: `run` of tree.py, and whether it is machine code."""

    run: Run
    compiled: bool
    most_moves: int
    unit: int
    cyclic: bool

    def words(self, count: int) -> Any:
        """An array of zeros such as `run` takes."""
        return words(count) if self.compiled else [0] * count


def words(count: int) -> memoryview:
    """Zeros for compiled code. What is never touched costs nothing; large pages, as a table is read here and there."""
    memory = mmap.mmap(-1, 8 * count) if sys.platform == "win32" else mmap.mmap(-1, 8 * count, mmap.MAP_PRIVATE)
    if hasattr(mmap, "MADV_HUGEPAGE") and count >= LARGE:
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory).cast("q")


def kernel(game: Game, compiled: bool | None = None, notice: Notice = lambda sentence: None) -> Kernel:
    """The search of a game. `compiled`: None takes what can be had; True insists; False is plain Python."""
    if compiled is False or (compiled is None and not compilable(game)):
        return plain_kernel(game)
    try:
        with _compiling:
            return compiled_kernel(game, notice)
    except Exception as error:
        if compiled:
            raise
        notice(f"cannot compile the search for {game.name}, it will be slow: {type(error).__name__}: {error}")
        return plain_kernel(game)


def compilable(game: Game) -> bool:
    return game.rules.WIDTH <= WIDEST and importlib.util.find_spec("numba") is not None


@lru_cache(maxsize=64)
def plain_kernel(game: Game) -> Kernel:
    names = plain_names(game)
    return Kernel(names["run"], False, names["MOST_MOVES"], names["UNIT"], names["CYCLIC"])


def search_rules(game: Game) -> Rules:
    """The rules of a game with what only a search needs."""
    return specialise(game.module(), {**game.constants, **game.for_search()})


def plain_names(game: Game) -> dict[str, Any]:
    """Everything `run` needs, by name, as plain Python."""
    names: dict[str, Any] = {**vars(search_rules(game)), "mix": primitives.mix, "length": primitives.length}
    for name, value in {**vars(table), **vars(tree)}.items():
        if isinstance(value, FunctionType) and value.__module__ in (table.__name__, tree.__name__):
            names[name] = FunctionType(value.__code__, names, name)
        elif isinstance(value, int):
            names[name] = value
    return names


_kernels: dict[str, Kernel] = {}


def compiled_kernel(game: Game, notice: Notice) -> Kernel:
    from engine.search.compiled import compiled_run

    text = source(game)
    if text not in _kernels:
        run = compiled_run(game.name, text, notice)
        _kernels[text] = Kernel(run, True, game.rules.MOST_MOVES, game.rules.UNIT, game.rules.CYCLIC)
    return _kernels[text]


# -- one module of source


def source(game: Game) -> str:
    """The text of a module that holds the search of a game: constants, then functions, callees first."""
    names = plain_names(game)
    constants: dict[str, Any] = {}
    functions: dict[str, FunctionType] = {}

    def collect(function: FunctionType) -> None:
        for name in function.__code__.co_names:
            value = names.get(name)
            if name in MACHINE_WORDS or name in functions:
                continue
            if isinstance(value, FunctionType):
                functions[name] = value  # before its callees, so that recursion ends; order is put right below
                collect(value)
                functions[name] = functions.pop(name)
            elif isinstance(value, int | tuple):
                constants[name] = value

    collect(names["run"])
    lines = [HEADER.format(game=game.name)]
    for name, value in constants.items():
        array = f"np.array({value!r}, np.int64)" if isinstance(value, tuple) else repr(value)
        lines.append(f"{name} = {array}")
    for function in functions.values():
        lines.append(f"\n\n{INNER}\n{inspect.getsource(function)}")
    lines.append(f"\n\n{ENTRY}\n{inspect.getsource(tree.run)}")
    return "\n".join(lines)


HEADER = '''"""The search for {game}, made by Parlour out of engine/games and engine/search. Safe to delete."""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.search.machine import length, lowest, mix, ones
'''
INNER = '@njit(error_model="numpy")'
BARE = "no_cpython_wrapper=True, no_cfunc_wrapper=True"  # Python calls it by its address
ENTRY = f'@njit("void({", ".join(["CPointer(int64)"] * ARRAYS)})", error_model="numpy", {BARE})'
