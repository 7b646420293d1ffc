"""The log of a tournament: one line of JSON per entry, only ever appended."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from client.tournament.model.errors import TournamentError
from runtime.file_lock import try_lock
from runtime.untrusted_files import (
    MAX_ENTRY_BYTES,
    MAX_OWN_LOG_BYTES,
    MIN_ENTRY_BYTES,
    UnsafeFile,
    parse_json,
    read_lines,
)

Entry = dict[str, Any]


def read(path: Path, max_bytes: int = MAX_OWN_LOG_BYTES) -> Iterator[Entry]:
    """Yield the complete entries of a log. An unfinished last line, left by a crash, is ignored.

    Raises TournamentError if another line is damaged, or if the file is not a log.
    """
    for entry, _ in read_entries(path, max_bytes):
        yield entry


def is_cut(path: Path) -> bool:
    """Return whether the last line is unfinished."""
    return path.exists() and whole_bytes(path) < path.stat().st_size


def whole_bytes(path: Path) -> int:
    """Return the length of the complete entries."""
    end = 0
    for _, end in read_entries(path):  # noqa: B007  # the last one counts
        pass
    return end


def read_entries(path: Path, max_bytes: int = MAX_OWN_LOG_BYTES) -> Iterator[tuple[Entry, int]]:
    """Yield each complete entry, and where it ends. One entry is in memory at a time."""
    end, damaged = 0, 0
    try:
        for number, line in enumerate(read_lines(path, max_bytes, MAX_ENTRY_BYTES, MIN_ENTRY_BYTES), 1):
            if damaged:
                break
            entry = parse_entry(line)
            if entry is None:  # only the last line may be unfinished
                damaged = number
                continue
            end += len(line)
            yield entry, end
        else:
            return
    except UnsafeFile as error:
        how = "; --max-mb raises the limit, if you trust it" if max_bytes < MAX_OWN_LOG_BYTES else ""
        raise TournamentError(f"cannot read {path}: {error}{how}") from None
    raise TournamentError(f"{path}: line {damaged} is damaged, so the file cannot be used")


def parse_entry(line: bytes) -> Entry | None:
    """Return the entry of a line, or None if the line is damaged or unfinished."""
    try:
        entry = parse_json(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


class Log:
    """The log of a running tournament, or of its reviews. Only one process can open it. `work`: what that one does."""

    def __init__(self, path: Path, work: str = "played") -> None:
        self._path, self._work = path, work
        self._file = -1
        self._written = self._durable = 0
        self._syncing: asyncio.Task[None] | None = None
        self.was_cut = False  # whether the last line was unfinished

    def open(self) -> Iterator[Entry]:
        """Lock the log, truncate an unfinished last line, and return an iterator over the entries.

        Raises TournamentError if another process has opened it.
        """
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        if not try_lock(self._file):
            os.close(self._file)
            self._file = -1
            raise TournamentError(f"{self._path} is already being {self._work} by another process: stop that one first")
        end = whole_bytes(self._path)
        self.was_cut = end < os.fstat(self._file).st_size
        os.ftruncate(self._file, end)
        return read(self._path)

    def append(self, entry: Entry) -> None:
        """Append an entry. It survives a crash of this process, but not a power failure."""
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self._file, line) :]
        self._written += 1

    async def append_durably(self, entry: Entry) -> None:
        """Append an entry and wait until it is on disk. One fsync serves all entries written before it."""
        self.append(entry)
        position = self._written
        while self._durable < position:
            if self._syncing is None:
                self._syncing = asyncio.create_task(self._sync())
            await asyncio.shield(self._syncing)

    async def _sync(self) -> None:
        position = self._written
        try:
            await asyncio.to_thread(os.fsync, self._file)
            self._durable = position
        finally:
            self._syncing = None

    async def close(self) -> None:
        if self._syncing is not None:
            await asyncio.gather(self._syncing, return_exceptions=True)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
