"""No program outlives its bot, not even one that is killed: a shell beside the bot knows every group of processes,
holds the end of a pipe, and kills them all when that closes.

A process that leaves its group can still be found where the system shows environments (Linux): each program has a mark
in its own, which all that it starts inherits.
"""

from __future__ import annotations

import os
import secrets
import signal
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path

VARIABLE = "STARTED_BY"  # where a program carries its mark, behind those of whoever started us
ROUNDS = 5  # what multiplies while it is being killed is killed again
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


class Guard:
    """One for all programs of this process. Its shell is started with the first of them."""

    def __init__(self) -> None:
        self._name = f"parlour-{secrets.token_hex(8)}"
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._pipe = -1

    def mark(self) -> str:
        """For a program that is about to be started."""
        return f"{self._name}-{next(self._numbers)}."

    def add(self, group: int) -> None:
        self._tell(f"add {group}\n")

    def drop(self, group: int) -> None:
        """Before its number may mean somebody else."""
        self._tell(f"drop {group}\n")

    def _tell(self, line: str) -> None:
        with self._lock, suppress(OSError):  # without a shell, or with one that was killed, only we look after them
            if self._pipe < 0:
                self._start()
            os.write(self._pipe, line.encode())

    def _start(self) -> None:
        reading, self._pipe = os.pipe()
        try:
            silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
            words = ["/bin/sh", "-c", SCRIPT, "sh", self._name]
            actions = [(os.POSIX_SPAWN_DUP2, reading, 0), *silent]
            os.posix_spawn(words[0], words, os.environ, file_actions=actions, setpgroup=0)
        finally:
            os.close(reading)


GUARD = Guard()


def carrying(mark: str) -> dict[str, str]:
    """What a program has in its environment."""
    return {VARIABLE: f"{os.environ.get(VARIABLE, '')} {mark}".strip()}


def kill_strays(mark: str) -> None:
    """Whatever carries a program's mark, wherever it went."""
    for _ in range(ROUNDS):
        found = list(strays(mark))
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return


def strays(mark: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended, or belongs to somebody else
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found
