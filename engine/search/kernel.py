"""The search of tree.py and table.py combined with the rules of one game and one set of options.

A kernel runs as plain Python or compiled. For compilation it becomes the source of one module: the constants of the
game, then every function that the search needs. engine/search/object_code.py compiles that source.
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
from types import CodeType, FunctionType
from typing import Any

from engine.game import Game
from engine.rules import Rules, specialise
from engine.search import endgame_table, primitives, table, tree

Notice = Callable[[str], None]
Run = Callable[[Any, Any, Any, Any, Any, Any, Any, Any, Any], None]
INTRINSICS = ("ones", "lowest", "mix", "length", "load_word", "store_word")  # imported from engine/search/intrinsics.py
RUN_ARRAYS = 9  # number of arguments of `run`
HUGE_PAGE_MIN_WORDS = 1 << 19  # smaller arrays do not gain from huge pages
MAX_WORD_BITS = 63  # compiled code uses signed 64-bit words
SEARCH_MODULES = (endgame_table.__name__, table.__name__, tree.__name__)
_compiling = threading.Lock()


@dataclass(frozen=True, slots=True)
class Kernel:
    """The `run` function of one game, and the constants that the driver needs."""

    run: Run
    compiled: bool
    max_moves: int
    unit: int
    cyclic: bool
    rules: Rules

    def zeros(self, count: int) -> Any:
        """Return an array of zeros that can be passed to `run`."""
        return zeros(count) if self.compiled else [0] * count


def zeros(count: int) -> memoryview:
    """Return an array of zeros for compiled code. Large arrays use huge pages, because tables are read at random."""
    memory = mmap.mmap(-1, 8 * count) if sys.platform == "win32" else mmap.mmap(-1, 8 * count, mmap.MAP_PRIVATE)
    if hasattr(mmap, "MADV_HUGEPAGE") and count >= HUGE_PAGE_MIN_WORDS:
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory).cast("q")


def release(array: Any, start: int, count: int) -> None:
    """Free the memory of words of a large array of zeros(), where the system can. They lose their values."""
    if hasattr(mmap, "MADV_DONTNEED") and count >= HUGE_PAGE_MIN_WORDS:
        array.obj.madvise(mmap.MADV_DONTNEED, 8 * start, 8 * count)


def kernel(game: Game, compiled: bool | None = None, notice: Notice = lambda sentence: None) -> Kernel:
    """Return the kernel of a game.

    `compiled` is True (required), False (plain Python) or None (compiled if possible).
    """
    if compiled is False or (compiled is None and not compilable(game)):
        return plain_kernel(game)
    try:
        with _compiling:
            return compiled_kernel(game, notice)
    except Exception as error:
        if compiled:
            raise
        notice(f"cannot compile the search for {game.name}, so it will be slow: {type(error).__name__}: {error}")
        return plain_kernel(game)


def compilable(game: Game) -> bool:
    return game.rules.WIDTH <= MAX_WORD_BITS and importlib.util.find_spec("numba") is not None


@lru_cache(maxsize=64)
def plain_kernel(game: Game) -> Kernel:
    names = plain_names(game)
    return Kernel(names["run"], False, names["MAX_MOVES"], names["UNIT"], names["CYCLIC"], search_rules(game))


def search_rules(game: Game) -> Rules:
    """Return the rules of a game, including the constants that only the search needs."""
    return specialise(game.module(), {**game.constants, **game.for_search()})


def endgame_index(mine: int, rest: int) -> int:
    """Return -1: the game has no endgame table."""
    return -1


def plain_names(game: Game) -> dict[str, Any]:
    """Map the names that `run` uses to plain Python functions and constants."""
    names: dict[str, Any] = {"endgame_index": endgame_index, **vars(search_rules(game))}
    for name, value in {**vars(primitives), **vars(endgame_table), **vars(table), **vars(tree)}.items():
        if isinstance(value, FunctionType) and value.__module__ == primitives.__name__:
            names[name] = value
        elif isinstance(value, FunctionType) and value.__module__ in SEARCH_MODULES:
            names[name] = FunctionType(value.__code__, names, name)
        elif isinstance(value, int):
            names[name] = value
    return names


_kernels: dict[str, Kernel] = {}


def compiled_kernel(game: Game, notice: Notice) -> Kernel:
    from engine.search.object_code import load_or_compile

    text = source(game)
    if text not in _kernels:
        run = load_or_compile(game.name, text, notice)
        _kernels[text] = Kernel(run, True, game.rules.MAX_MOVES, game.rules.UNIT, game.rules.CYCLIC, search_rules(game))
    return _kernels[text]


# -- source for compilation


def source(game: Game, entry: Callable[..., None] = tree.run, decorator: str = "") -> str:
    """Return the source of a module with the search of a game: constants, then functions, callees first.

    Another entry than `run` needs a decorator of its own.
    """
    names = plain_names(game)
    constants: dict[str, Any] = {}
    functions: dict[str, FunctionType] = {}

    def collect(function: FunctionType) -> None:
        for name in function.__code__.co_names:
            value = names.get(name)
            if name in INTRINSICS or name in functions:
                continue
            if isinstance(value, FunctionType):
                functions[name] = value  # added before its callees so that recursion ends, then moved to the end
                collect(value)
                functions[name] = functions.pop(name)
            elif isinstance(value, int | tuple):
                constants[name] = value

    collect(names[entry.__name__])
    lines = [HEADER.format(game=game.name)]
    for name, value in constants.items():
        array = f"np.array({value!r}, np.int64)" if isinstance(value, tuple) else repr(value)
        lines.append(f"{name} = {array}")
    for function in functions.values():
        lines.append(f"\n\n{INNER}\n{source_of(function.__code__)}")
    lines.append(f"\n\n{decorator or ENTRY}\n{source_of(entry.__code__)}")
    return "\n".join(lines)


@lru_cache(maxsize=1024)
def source_of(code: CodeType) -> str:
    """Return the source of a function. Finding it takes longer than a short search, and puzzles have one game each."""
    return inspect.getsource(code)


HEADER = '''"""The search for {game}, generated from engine/games and engine/search. Safe to delete."""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.search.intrinsics import length, load_word, lowest, mix, ones, store_word
'''
INNER = '@njit(error_model="numpy")'
BARE = "no_cpython_wrapper=True, no_cfunc_wrapper=True"  # it is called by address
ENTRY = f'@njit("void({", ".join(["CPointer(int64)"] * RUN_ARRAYS)})", error_model="numpy", {BARE})'
