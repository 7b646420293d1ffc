"""A process that can be ended with everything it has started: wait, SIGTERM, SIGKILL. Its CPU time is measured."""

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
from client.programs.reaper import REAPER, kill_marked, mark_environment
from runtime.child_process import environment

KILL_TIMEOUT_S = 5.0  # that the system may take to end a killed process
FIRST_POLL_S, MAX_POLL_S = 0.0005, 0.02  # between checks whether a process has exited


@dataclass(frozen=True, slots=True)
class Exit:
    """How a program ended, and its CPU time together with the programs it started and waited for."""

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
    """A program in its own session. One thread uses it; only `kill` may be called from any thread."""

    def __init__(self, argv: Sequence[str], folder: Path, limits: Limits) -> None:
        """Start the program. Raises Failure if it cannot be started."""
        self.argv, self.folder, self.limits = tuple(argv), folder, limits
        self.exit: Exit | None = None
        self.started_at = time.monotonic()
        self._lock = threading.Lock()  # so that no signal is sent after the process was reaped
        self._mark = REAPER.new_mark()
        try:
            self._process = subprocess.Popen(
                limits.command(argv),
                cwd=folder,
                env={**environment(), **mark_environment(self._mark)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise Failure("start", f"{argv[0]} cannot be started: {error.strerror}") from None
        REAPER.add(self.pid)
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
        """Return the process id, which is also the id of its group."""
        return self._process.pid

    def cpu(self) -> float | None:
        """Return the CPU seconds of all its threads so far, or None if the system does not tell."""
        if self.exit is not None:
            return self.exit.cpu
        with suppress(OSError, OverflowError, ValueError):
            return time.clock_gettime((~self.pid << 3) | 2)  # Linux: the CPU clock of another process
        return None

    def kill(self) -> None:
        """Kill the process group at once. May be called from any thread."""
        with self._lock:
            self._signal(signal.SIGKILL)

    def leave(self) -> Exit:
        """Close its input and wait for it to exit; then send SIGTERM, then SIGKILL."""
        with suppress(OSError):
            self.stdin.close()
        return self._end((None, signal.SIGTERM, signal.SIGKILL))

    def stop(self) -> Exit:
        """Send SIGTERM, then SIGKILL."""
        return self._end((signal.SIGTERM, signal.SIGKILL))

    def _end(self, steps: Sequence[signal.Signals | None]) -> Exit:
        for step in steps:
            if step is not None:
                with self._lock:
                    self._signal(step)
            if self.exited(KILL_TIMEOUT_S if step is signal.SIGKILL else self.limits.grace):
                break
        return self._reap()

    def _signal(self, number: signal.Signals) -> None:
        if self.exit is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def exited(self, seconds: float) -> bool:
        """Return whether it exits within a time. It stays a zombie, so that its number is not reused."""
        deadline, pause = time.monotonic() + seconds, FIRST_POLL_S
        while self.exit is None:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(2 * pause, MAX_POLL_S)
        return True

    def _reap(self) -> Exit:
        with self._lock:
            if self.exit is None:
                self._signal(signal.SIGKILL)  # the rest of its group
                kill_marked(self._mark)  # and processes that left the group
                REAPER.drop(self.pid)
                _, status, usage = os.wait4(self.pid, 0)
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.exit = Exit(self._process.returncode, usage.ru_utime + usage.ru_stime)
        return self.exit
