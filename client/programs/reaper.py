"""Kill programs whose bot has died, even if it was killed.

A shell process knows the process groups of all programs. It reads a pipe that the bot holds, and kills the groups when
the pipe closes. On Linux, processes that left their group are found too: each program has a mark in its environment,
which its children inherit.
"""

from __future__ import annotations

import os
import secrets
import signal
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path

MARK_VARIABLE = "STARTED_BY"  # holds the marks of a program and of the programs above it
MAX_KILL_ROUNDS = 5  # for programs that start others while they are being killed
SCRIPT = """
groups=
while read -r word group; do
    case $word in
        add) groups="$groups $group" ;;
        drop) left=; for known in $groups; do [ $known = $group ] || left="$left $known"; done; groups=$left ;;
    esac
done
for group in $groups; do kill -s KILL -- -$group; done
strays=$(grep -l "$1" /proc/[0-9]*/environ | cut -d / -f 3)
[ -z "$strays" ] || kill -s KILL $strays
"""


class Reaper:
    """The shell that kills the programs of this process. It is started with the first program."""

    def __init__(self) -> None:
        self._name = f"parlour-{secrets.token_hex(8)}"
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._pipe = -1

    def new_mark(self) -> str:
        """Return a mark for a program that is about to be started."""
        return f"{self._name}-{next(self._numbers)}."

    def add(self, group: int) -> None:
        """Kill a process group when this process has died."""
        self._send(f"add {group}\n")

    def drop(self, group: int) -> None:
        """Forget a process group. Call this before the system can reuse its number."""
        self._send(f"drop {group}\n")

    def _send(self, line: str) -> None:
        with self._lock, suppress(OSError):  # without a shell, programs end only if this process ends them
            if self._pipe < 0:
                self._start()
            os.write(self._pipe, line.encode())

    def _start(self) -> None:
        read_end, self._pipe = os.pipe()
        try:
            no_output = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
            argv = ["/bin/sh", "-c", SCRIPT, "sh", self._name]
            actions = [(os.POSIX_SPAWN_DUP2, read_end, 0), *no_output]
            os.posix_spawn(argv[0], argv, os.environ, file_actions=actions, setpgroup=0)
        finally:
            os.close(read_end)


REAPER = Reaper()


def mark_environment(mark: str) -> dict[str, str]:
    """Return the environment variable that marks a program, after the marks of the programs above it."""
    return {MARK_VARIABLE: f"{os.environ.get(MARK_VARIABLE, '')} {mark}".strip()}


def kill_marked(mark: str) -> None:
    """Kill all processes with a mark, whatever group they are in."""
    for _ in range(MAX_KILL_ROUNDS):
        found = marked_processes(mark)
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return


def marked_processes(mark: str) -> list[int]:
    """Return the processes with a mark, where the system shows their environments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has exited, or belongs to another user
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found
