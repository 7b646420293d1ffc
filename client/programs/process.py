"""A process that can be got rid of, with all that it has started: its CPU time, and the ladder of asking, terminating
and killing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from client.programs.failure import Failure
from client.programs.limits import Limits
from client.programs.reaper import GUARD, carrying, kill_strays
from runtime.child_process import environment

KILLED = 5.0  # seconds that the system may take to end a killed process


@dataclass(frozen=True, slots=True)
class Exit:
    """How a program ended, and the CPU time it took with all the programs it started and waited for."""

    status: int  # negative: the signal
    cpu: float

    def __str__(self) -> str:
        if self.status >= 0:
            return f"it exited with status {self.status}"
        try:
            return f"it was ended by {signal.Signals(-self.status).name}"
        except ValueError:
            return f"it was ended by signal {-self.status}"


class Process:
    """A program in a session of its own. One thread owns it; `kill` may come from any other."""

    def __init__(self, words: Sequence[str], folder: Path, limits: Limits) -> None:
        self.words, self.folder, self.limits = tuple(words), folder, limits
        self.exit: Exit | None = None
        self.began = time.monotonic()
        self._lock = threading.Lock()  # between a signal and the end of the process it is meant for
        self._mark = GUARD.mark()
        try:
            self._process = subprocess.Popen(
                limits.command(words),
                cwd=folder,
                env={**environment(), **carrying(self._mark)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise Failure("start", f"{words[0]} cannot be started: {error.strerror}") from None
        GUARD.add(self.pid)
        self.stdin, self.stdout, self.stderr = self._pipes()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        for pipe in (stdin, stdout, stderr):
            os.set_blocking(pipe.fileno(), False)
        return stdin, stdout, stderr

    @property
    def pid(self) -> int:
        return self._process.pid

    def cpu(self) -> float | None:
        """The CPU seconds it has taken so far, all its threads together; None where nobody can tell."""
        if self.exit is not None:
            return self.exit.cpu
        with suppress(OSError, OverflowError, ValueError):
            return time.clock_gettime((~self.pid << 3) | 2)  # Linux: the CPU clock of another process
        return None

    def kill(self) -> None:
        """At once, with every process of its group; for another thread that cannot wait."""
        with self._lock:
            self._signal(signal.SIGKILL)

    def leave(self) -> Exit:
        """It may leave by itself, is then asked to, and is then killed with its whole group."""
        with suppress(OSError):
            self.stdin.close()
        return self._descend((None, signal.SIGTERM, signal.SIGKILL))

    def stop(self) -> Exit:
        """The ladder without its first step: it had its time."""
        return self._descend((signal.SIGTERM, signal.SIGKILL))

    def _descend(self, steps: Sequence[signal.Signals | None]) -> Exit:
        for step in steps:
            if step is not None:
                with self._lock:
                    self._signal(step)
            if self.exited(KILLED if step is signal.SIGKILL else self.limits.grace):
                break
        return self._reap()

    def _signal(self, number: signal.Signals) -> None:
        if self.exit is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def exited(self, seconds: float) -> bool:
        """Whether it ends within a time. It stays a zombie, so that its number means nobody else yet."""
        deadline, pause = time.monotonic() + seconds, 0.0005
        while self.exit is None:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(2 * pause, 0.02)
        return True

    def _reap(self) -> Exit:
        with self._lock:
            if self.exit is None:
                self._signal(signal.SIGKILL)  # whatever it has left behind in its group
                kill_strays(self._mark)  # and elsewhere
                GUARD.drop(self.pid)
                _, status, usage = os.wait4(self.pid, 0)
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.exit = Exit(self._process.returncode, usage.ru_utime + usage.ru_stime)
        return self.exit
