"""Endgame tables of games: computed once by compiled code, cached in the user's cache folder, shared by all searches.

The file name contains a digest of the source that computes the table: after a change of the rules or the options, the
table is computed again. A file is written as a whole and has a checksum, so a damaged file is not used. Processes map
the file, so they share its memory. Without numba, or without a folder that is writable, the search has no table.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.game import Game
from engine.search.endgame_table import fill_endgames
from engine.search.kernel import Notice, compilable, search_rules, source, zeros
from runtime.file_lock import open_locked
from runtime.paths import cache_folder

FOLDER = "endgames"
FORMAT = b"parlour endgames 1\n"
HEADER_BYTES = 64  # FORMAT, then a checksum of the values
MAX_FILES = 6  # older ones are removed; a file has at most 34 MB, unless a larger table was asked for
SLICE_PLACES = 1 << 18
LOCK_POLL_S = 0.05
OLD_S = 3600.0  # after which a temporary file belongs to a process that was killed
SIGNATURE = '@njit("void(int64[::1], int64[::1], int64[::1], int64, int64)", error_model="numpy", nogil=True)'

Fill = Callable[[Any, Any, Any, int, int], None]


@dataclass(frozen=True, slots=True)
class EndgameTable:
    """The values of all positions with an index below `places`, as words of eight bytes."""

    words: Any
    places: int


NO_ENDGAMES = EndgameTable(zeros(1), 0)
_tables: dict[Path, EndgameTable] = {}  # those that this process has mapped
_changing = threading.Lock()


def load_endgames(game: Game) -> EndgameTable:
    """Return the endgame table of a game from the cache, or an empty table."""
    path = table_path(game)
    if path is None:
        return NO_ENDGAMES
    with _changing:
        if path not in _tables:
            table = read_table(path, table_places(game))
            if table is None:
                return NO_ENDGAMES
            _tables[path] = table
        return _tables[path]


def prepare_endgames(game: Game, notice: Notice) -> None:
    """Compute the endgame table of a game, which takes seconds, unless it has none or the cache has it."""
    path = table_path(game)
    if path is None or load_endgames(game).places:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = wait_for_lock(path.parent)
    except OSError:
        return  # the folder is not writable: to compute the table each time would take longer than most searches
    try:
        if not load_endgames(game).places:  # another process may have computed it meanwhile
            notice(f"computing the endgames of {game.name} (once)")
            write_table(path, compute(game))
    except Exception as error:
        notice(f"the search has no endgames for {game.name}: {type(error).__name__}: {error}")
    finally:
        os.close(lock)


def table_path(game: Game) -> Path | None:
    """Return the file of a game's endgame table, or None if it can have none."""
    model = game.endgames()
    if model is None or not compilable(model) or sys.byteorder != "little":
        return None
    digest = hashlib.sha256(fill_source(model).encode()).hexdigest()[:20]
    try:
        return cache_folder() / FOLDER / f"{game.name}_{digest}.bin"
    except RuntimeError:  # the home folder is unknown
        return None


def table_places(game: Game) -> int:
    return int(search_rules(game).ENDGAMES)


# -- computing


def fill_source(game: Game) -> str:
    """Return the source of a module that computes the table of a game."""
    return source(game, fill_endgames, SIGNATURE)


def compile_fill(game: Game) -> Fill:
    """Return the compiled `fill_endgames` of a game. Takes seconds."""
    names: dict[str, Any] = {"__name__": "parlour_endgames"}
    exec(compile(fill_source(game), "<parlour endgames>", "exec"), names)
    fill: Fill = names[fill_endgames.__name__]
    return fill


def compute(game: Game) -> memoryview:
    """Return the values of all places, in whole words of eight bytes. Takes seconds."""
    import numpy as np  # takes as long to import as a short search

    model = game.endgames()
    assert model is not None
    fill = compile_fill(model)
    places = table_places(model)
    words = np.zeros(word_count(places), np.int64)
    moves, position = np.zeros(model.rules.MAX_MOVES, np.int64), np.zeros(2, np.int64)
    for start in range(0, places, SLICE_PLACES):  # a signal is handled between two slices
        fill(words, moves, position, start, min(start + SLICE_PLACES, places))
    return words.data.cast("B")


def word_count(places: int) -> int:
    return (places + 7) // 8


# -- the files


def header(values: bytes | memoryview) -> bytes:
    """Return the header of a file with these values."""
    return (FORMAT + b"%08x" % zlib.crc32(values)).ljust(HEADER_BYTES)


def read_table(path: Path, places: int) -> EndgameTable | None:
    """Map the table of a file. Return None if the file is missing or damaged."""
    try:
        with path.open("rb") as file:
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)  # compiled code needs a writable address
    except (OSError, ValueError):  # an empty file cannot be mapped
        return None
    values = memoryview(memory)[HEADER_BYTES:]
    if len(values) != 8 * word_count(places) or memory[:HEADER_BYTES] != header(values):
        return None
    with suppress(OSError):
        path.touch()  # the files that were not used for the longest time are removed first
    return EndgameTable(values.cast("q"), places)


def write_table(path: Path, values: bytes | memoryview) -> None:
    """Write a file as a whole, because other processes may read it, and remove old ones. Raises OSError."""
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
        try:
            file.write(header(values))
            file.write(values)
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    remove_old_files(path.parent)


def remove_old_files(folder: Path) -> None:
    """Keep the MAX_FILES tables that were used last. Remove what processes left that were killed."""
    with suppress(OSError):
        tables = sorted(folder.glob("*.bin"), key=lambda path: path.stat().st_mtime, reverse=True)
        left = [path for path in folder.glob("*.tmp") if path.stat().st_mtime < time.time() - OLD_S]
        for path in (*tables[MAX_FILES:], *left):
            path.unlink(missing_ok=True)


def wait_for_lock(folder: Path) -> int:
    """Lock the folder against other processes that compute tables. Raises OSError if it is not writable."""
    while (lock := open_locked(folder / "lock")) is None:
        time.sleep(LOCK_POLL_S)
    return lock
