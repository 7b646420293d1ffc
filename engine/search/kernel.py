"""A kernel: engine/search/tree.py joined with the rules of one game and one set of options, plain or compiled.

The compiled one is a module written into the user's cache folder: the source of every function the search needs, with
the game's constants above it, and numba's cache of the machine code beside it. Its name holds a digest of all of that,
so a rule that is edited, another option or another numba can never meet stale code. (numba's own cache looks only at
the file of the function it is asked for; a rule imported from elsewhere may change unseen.)
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from engine.game import Game
from engine.rules import Rules, specialise
from engine.search import primitives, tree

Notice = Callable[[str], None]
Run = Callable[[Any, Any, Any, Any, Any, Any], None]
MACHINE_WORDS = ("ones", "lowest", "mix", "length")  # what engine/search/machine.py brings
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
        if not self.compiled:
            return [0] * count
        import numpy

        return numpy.zeros(count, numpy.int64)


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
    for name, value in vars(tree).items():
        if isinstance(value, FunctionType) and value.__module__ == tree.__name__:
            names[name] = FunctionType(value.__code__, names, name)
        elif isinstance(value, int):
            names[name] = value
    return names


_kernels: dict[str, Kernel] = {}


def compiled_kernel(game: Game, notice: Notice) -> Kernel:
    text = source(game)
    if text not in _kernels:
        module = load(game.name, text, notice)
        _kernels[text] = Kernel(module.run, True, game.rules.MOST_MOVES, game.rules.UNIT, game.rules.CYCLIC)
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
INNER = '@njit(nogil=True, error_model="numpy")'
ENTRY = f'@njit("void({", ".join(["int64[::1]"] * 6)})", nogil=True, error_model="numpy", cache=True)'


# -- the cache on disk


def cache_folder() -> Path:
    """Where compiled searches are kept: PARLOUR_CACHE_DIR, or the user's cache folder."""
    if chosen := os.environ.get("PARLOUR_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "parlour"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "parlour"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parlour"


def load(game: str, text: str, notice: Notice) -> ModuleType:
    """The module of a source text: from the cache, or compiled into it, or just compiled where it cannot be written."""
    import numba
    import numpy

    machine = Path(__file__).with_name("machine.py").read_text()
    stamp = f"{text}\n{machine}\n{sys.version}\n{numba.__version__}\n{numpy.__version__}"
    name = f"{game}_{hashlib.sha256(stamp.encode()).hexdigest()[:20]}"
    try:
        folder = cache_folder() / name
        path = folder / f"{name}.py"
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(folder)
        if not path.exists():  # whole or not at all: another process may be doing the same
            with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".tmp", delete=False) as file:
                file.write(text)
            Path(file.name).replace(path)
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        notice(f"compiling the search for {game} (each time: the cache folder cannot be written)")
        return execute(name, text)
    if not any(folder.glob("**/*.nbc")):
        notice(f"compiling the search for {game} (once)")
    try:
        return imported(name, path)
    except Exception:  # a damaged cache can fail in any way; what is wrong with the code itself fails again below
        shutil.rmtree(folder, ignore_errors=True)
        notice(f"compiling the search for {game} (its cache was damaged)")
        return execute(name, text)


def imported(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"parlour_search_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # numba looks up globals there when it loads from its cache
    try:
        spec.loader.exec_module(module)
        if not hasattr(module, "run"):
            raise ImportError(f"{path} holds no search")
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def execute(name: str, text: str) -> ModuleType:
    """The module without a file, and so without a cache."""
    module = ModuleType(f"parlour_search_{name}")
    exec(compile(text.replace("cache=True", "cache=False"), module.__name__, "exec"), vars(module))
    return module
