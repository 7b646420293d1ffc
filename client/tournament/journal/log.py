"""The log of a tournament: one line of JSON per entry, only ever appended."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from client.tournament.model.errors import TournamentError
from runtime.file_lock import try_lock
from runtime.untrusted_files import MAX_LOG_BYTES, UnsafeFile, parse_json, read_file

Entry = dict[str, Any]


def read(path: Path) -> list[Entry]:
    """Return the complete entries of a log. An unfinished last line, left by a crash, is ignored.

    Raises TournamentError if another line is damaged.
    """
    return whole_entries(path, read_log(path))[0]


def is_cut(path: Path) -> bool:
    """Return whether the last line is unfinished."""
    data = read_log(path) if path.exists() else b""
    return whole_entries(path, data)[1] < len(data)


def read_log(path: Path) -> bytes:
    """Return the contents of a log. Raises TournamentError if it is not a file, or too large."""
    try:
        return read_file(path, MAX_LOG_BYTES)
    except UnsafeFile as error:
        raise TournamentError(f"cannot read {path}: {error}") from None


def whole_entries(path: Path, data: bytes) -> tuple[list[Entry], int]:
    """Return the complete entries, and their length in bytes."""
    entries: list[Entry] = []
    end = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):  # the last element is empty or an unfinished line
        try:
            entry = parse_json(line)
            if not isinstance(entry, dict):
                raise ValueError(entry)
        except ValueError:
            if number == len(lines) - 1:
                break
            raise TournamentError(f"{path}: line {number} is damaged, so this tournament cannot be resumed") from None
        entries.append(entry)
        end += len(line) + 1
    return entries, end


class Log:
    """The log of a running tournament. Only one process can open it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._written = self._durable = 0
        self._syncing: asyncio.Task[None] | None = None
        self.was_cut = False  # whether the last line was unfinished

    def open(self) -> list[Entry]:
        """Lock the log, truncate an unfinished last line, and return the entries.

        Raises TournamentError if another process is playing this tournament.
        """
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        if not try_lock(self._file):
            os.close(self._file)
            self._file = -1
            raise TournamentError(f"the tournament in {self._path.parent} is already being played by another process")
        data = read_log(self._path)
        entries, end = whole_entries(self._path, data)
        self.was_cut = end < len(data)
        os.ftruncate(self._file, end)
        return entries

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
