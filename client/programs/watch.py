"""Watch programs in a jail: end one whose processes together use too much memory, or whose folder grows too large.

The kernel limits each process at once, but no total without a control group. So a thread adds up, a few times a second.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from client.programs.limits import Limits

INTERVAL_S = 0.25
MAX_FILES = 50_000  # in a folder; more is too much, whatever their size
MEGABYTE = 1 << 20
BLOCK_BYTES = 512  # the unit of st_blocks
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Watched(Protocol):
    """A process with limits. `violation` is set before it is killed."""

    limits: Limits
    violation: str

    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...


class Folders(NamedTuple):
    """The folders that a program writes to."""

    on_disk: Path | None
    size_at_start: int  # of the one on the disk, in bytes
    in_memory: tuple[str, ...]


class Watch:
    """One thread for all programs of this process. It runs while there are any."""

    def __init__(self) -> None:
        self._folders: dict[Watched, Folders] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, process: Watched, on_disk: Path | None, in_memory: tuple[str, ...] = ()) -> None:
        """Watch a process and the folders that it writes to: one on the disk, and others in the memory of its jail."""
        entry = Folders(on_disk, 0 if on_disk is None else folder_size(on_disk), in_memory)
        with self._changed:
            self._folders[process] = entry
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
                self._thread.start()

    def drop(self, process: Watched) -> None:
        """Forget a process."""
        with self._changed:
            self._folders.pop(process, None)
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait(INTERVAL_S)
                if not self._folders:
                    self._thread = None
                    return
                watched = list(self._folders.items())
            for process, entry in watched:
                if not process.violation and (problem := find_violation(process, entry)):
                    process.violation = problem
                    process.kill()


WATCH = Watch()


def find_violation(process: Watched, folders: Folders) -> str:
    """Return which limit a program has exceeded, or an empty text."""
    limits = process.limits
    if limits.memory and memory_used(process.pid) > limits.memory * MEGABYTE:
        return f"it used more than Parlour's limit of {limits.memory} MB of memory: --memory sets it"
    if count_files(process.pid, folders.in_memory) > MAX_FILES:
        return f"it created more than {MAX_FILES} files"
    on_disk = folders.on_disk
    if on_disk is not None and limits.disk and folder_size(on_disk) - folders.size_at_start > limits.disk * MEGABYTE:
        return f"it wrote more than {limits.disk} MB of files: --disk sets the limit"
    return ""


def descendants(pid: int) -> list[int]:
    """Return a process and all processes below it, where the system tells."""
    found = [pid]
    for known in found:
        with suppress(OSError):  # it has ended
            for thread in Path(f"/proc/{known}/task").iterdir():
                found += children(thread)
    return found


def children(thread: Path) -> list[int]:
    """Return the processes that a thread has started, where the system tells."""
    with suppress(OSError):  # it has ended
        return list(map(int, (thread / "children").read_text().split()))
    return []


def memory_used(pid: int) -> int:
    """Return the bytes of memory of a process and those below it. Shared memory counts once."""
    family = descendants(pid)
    resident = sum(map(resident_bytes, family))
    return resident if len(family) == 1 else min(resident, sum(map(proportional_bytes, family)))


def resident_bytes(pid: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    return 0


def proportional_bytes(pid: int) -> int:
    """Return the memory of a process, where each page is divided among the processes that share it."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return resident_bytes(pid)


def count_files(pid: int, folders: tuple[str, ...]) -> int:
    """Return the number of files in folders of a jail. They take memory even if they are empty."""
    total = 0
    for inside in descendants(pid)[1:2] if folders else []:  # the first process in the jail
        for folder in folders:
            with suppress(OSError):
                if Path(f"/proc/{inside}/root").samefile("/"):  # it is still making its jail
                    break
                known = os.statvfs(f"/proc/{inside}/root{folder}")
                total += known.f_files - known.f_ffree
    return total


def folder_size(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk. Too many files count as more than any limit."""
    total = files = 0
    folders = [str(folder)]
    while folders:  # not os.walk: a program may nest more folders than Python can call functions
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                files += 1
                total += disk_bytes(entry)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
        if files > MAX_FILES:
            return 1 << 62
    return total


def disk_bytes(entry: os.DirEntry[str]) -> int:
    with suppress(OSError):  # the program has deleted it, which must not hide the files after it
        return entry.stat(follow_symlinks=False).st_blocks * BLOCK_BYTES
    return 0
