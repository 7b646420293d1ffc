"""A process that can be ended with everything it has started: wait, SIGTERM, SIGKILL. Its CPU time is measured."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from client.programs.failure import Failure
from client.programs.jail.base import Jail, NoJail
from client.programs.limits import Limits
from client.programs.reaper import REAPER, kill_marked, mark_environment
from client.programs.watch import WATCH, descendants

KILL_TIMEOUT_S = 5.0  # that the system may take to end a killed process
SHELL_SIGNAL = 128  # the exit status of a shell, and of a jail, is this plus the signal
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
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

    def __init__(
        self, argv: Sequence[str], folder: Path, limits: Limits, jail: Jail | None = None, terminal: bool = False
    ) -> None:
        """Start the program. Raises Failure if it cannot be started. `terminal`: it reads and writes a terminal."""
        self.argv, self.folder, self.limits, self.jail = tuple(argv), folder, limits, jail or NoJail()
        self.violation = ""  # the limit that it has exceeded, if that was noticed
        self.exit: Exit | None = None
        self.killed = False  # it may take a moment to exit
        self.started_at = time.monotonic()
        self._lock = threading.Lock()  # so that no signal is sent after the process was reaped
        self._mark = REAPER.new_mark()
        ours, its = open_terminal() if terminal else (-1, subprocess.PIPE)
        try:
            self._process = subprocess.Popen(
                self.jail.command(argv, folder, limits),
                cwd=folder,
                env={**self.jail.environment(limits), **mark_environment(self._mark)},
                stdin=its,
                stdout=its,
                stderr=its,  # where many programs ask their questions, if there is a terminal
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            if terminal:
                os.close(ours)
            raise Failure("start", f"{argv[0]} cannot be started: {error.strerror}") from None
        finally:
            if terminal:
                os.close(its)
        REAPER.add(self.pid)
        if self.jail.confines:
            on_disk = folder if self.jail.writes_to_disk else None
            WATCH.add(self, on_disk, self.jail.memory_folders(folder))
        self.stdin, self.stdout, self.stderr = self._pipes(ours)

    def _pipes(self, terminal: int) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        if terminal >= 0:
            stdin, stdout = os.fdopen(os.dup(terminal), "wb", 0), os.fdopen(terminal, "rb", 0)
            stderr = ended_pipe()
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
        if not self.jail.confines:
            return cpu_clock(self.pid)
        clocks = [seconds for pid in descendants(self.pid) if (seconds := cpu_clock(pid)) is not None]
        return sum(clocks) if clocks else None

    def kill(self) -> None:
        """Kill the process group at once. May be called from any thread."""
        self.killed = True
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
        if self.exit is not None:
            return
        if self.jail.confines:  # the jail's first process has its own session; all others end with it
            for pid in descendants(self.pid)[1:]:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
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
                WATCH.drop(self)
                _, status, usage = os.wait4(self.pid, 0)
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.exit = Exit(self._status(self._process.returncode), usage.ru_utime + usage.ru_stime)
        return self.exit

    def _status(self, status: int) -> int:
        """Return the program's own status: a jail reports the signal that ended the program as a status above 128."""
        return SHELL_SIGNAL - status if self.jail.confines and status > SHELL_SIGNAL else status


def open_terminal() -> tuple[int, int]:
    """Return both ends of a terminal that does not echo its input: ours and the program's."""
    ours, its = os.openpty()
    settings = termios.tcgetattr(its)
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(its, termios.TCSANOW, settings)
    return ours, its


def ended_pipe() -> IO[bytes]:
    """Return a pipe that is at its end."""
    read_end, write_end = os.pipe()
    os.close(write_end)
    return os.fdopen(read_end, "rb", 0)


def cpu_clock(pid: int) -> float | None:
    """Return the CPU seconds of a process, or None if the system does not tell."""
    with suppress(OSError, OverflowError, ValueError):
        return time.clock_gettime((~pid << 3) | 2)  # Linux: the CPU clock of another process
    return None


def without_colours(text: str) -> str:
    """Return what a program has printed at a terminal, without the sequences that set colours or move the cursor."""
    return COLOURS.sub("", text)
