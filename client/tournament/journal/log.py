"""A tournament is a log: one line of JSON for everything that happens, never changed once it is written."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from client.tournament.model.errors import TournamentError
from runtime.file_lock import try_lock

Entry = dict[str, Any]


def read(path: Path) -> list[Entry]:
    """The whole entries of a log; a last line that a crash has left unfinished is none. TournamentError."""
    return whole_entries(path, path.read_bytes())[0]


def is_cut(path: Path) -> bool:
    """Whether its last line is unfinished."""
    data = path.read_bytes() if path.exists() else b""
    return whole_entries(path, data)[1] < len(data)


def whole_entries(path: Path, data: bytes) -> tuple[list[Entry], int]:
    """The entries, and how many bytes they are."""
    entries: list[Entry] = []
    end = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):  # behind the last line's end there is nothing, or half a line
        try:
            entry = json.loads(line)
        except ValueError:
            if number == len(lines) - 1:
                break
            raise TournamentError(
                f"{path}: line {number} is damaged; the log of this tournament cannot be used"
            ) from None
        entries.append(entry)
        end += len(line) + 1
    return entries, end


class Log:
    """The log of a tournament that is being played; nobody else can have it meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._written = self._durable = 0
        self._syncing: asyncio.Task[None] | None = None
        self.was_cut = False  # by a crash, in the middle of a line

    def open(self) -> list[Entry]:
        """What is in it; whatever a crash has left behind the last whole line is cut off."""
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        if not try_lock(self._file):
            os.close(self._file)
            self._file = -1
            raise TournamentError(f"the tournament in {self._path.parent} is being played already")
        data = self._path.read_bytes()
        entries, end = whole_entries(self._path, data)
        self.was_cut = end < len(data)
        os.ftruncate(self._file, end)
        return entries

    def write(self, entry: Entry) -> None:
        """Into the hands of the system: it outlives us, though not a power failure."""
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self._file, line) :]
        self._written += 1

    async def keep(self, entry: Entry) -> None:
        """Onto the disk; whatever has been written meanwhile goes with it."""
        self.write(entry)
        mine = self._written
        while self._durable < mine:
            if self._syncing is None:
                self._syncing = asyncio.create_task(self._sync())
            await asyncio.shield(self._syncing)

    async def _sync(self) -> None:
        upto = self._written
        try:
            await asyncio.to_thread(os.fsync, self._file)
            self._durable = upto
        finally:
            self._syncing = None

    async def close(self) -> None:
        if self._syncing is not None:
            await asyncio.gather(self._syncing, return_exceptions=True)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
