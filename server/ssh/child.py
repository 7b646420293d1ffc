"""The process of one session, on a pseudo-terminal or on pipes, and the bytes that go in and out."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import struct
import sys
import tempfile
import termios
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import NamedTuple

from server.ssh.spec import SessionSpec

READ_BYTES = 1 << 15
MAX_UNREAD_BYTES = 1 << 16  # input that the process does not read, after which the client has to wait
LAST_OUTPUT_TIMEOUT_S = 2.0  # for output to end after the process has
SAFE_PATH = "/usr/local/bin:/usr/bin:/bin"
MAX_SIDE = 1000  # columns or rows
SESSION_FOLDER_PREFIX = "session-"

Size = tuple[int, int]  # columns, rows


class Outlet(NamedTuple):
    """What to do with output: write bytes for the client, as standard output or as standard error."""

    out: Callable[[bytes], None]
    error: Callable[[bytes], None]
    pause_input: Callable[[], None]
    resume_input: Callable[[], None]


class Reader:
    """Passes on what a descriptor yields, until it ends. Closes the descriptor."""

    def __init__(self, descriptor: int, pass_on: Callable[[bytes], None]) -> None:
        self._descriptor, self._pass_on = descriptor, pass_on
        self._loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        os.set_blocking(descriptor, False)
        self.resume()

    def pause(self) -> None:
        if not self.ended.is_set():
            self._loop.remove_reader(self._descriptor)

    def resume(self) -> None:
        if not self.ended.is_set():
            self._loop.add_reader(self._descriptor, self._read)

    def close(self) -> None:
        """Stop reading."""
        if not self.ended.is_set():
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self.ended.set()

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # a pseudo-terminal without processes
            data = b""
        if data:
            self._pass_on(data)
        else:
            self.close()


class Writer:
    """Writes bytes to a descriptor as fast as its reader takes them. Closes the descriptor."""

    def __init__(self, descriptor: int, pause: Callable[[], None], resume: Callable[[], None]) -> None:
        self._descriptor, self._pause, self._resume = descriptor, pause, resume
        self._loop = asyncio.get_running_loop()
        self._unwritten = bytearray()
        self._ending = self._closed = False
        os.set_blocking(descriptor, False)

    def write(self, data: bytes) -> None:
        if self._closed or self._ending:
            return
        waiting = bool(self._unwritten)
        self._unwritten += data
        if not waiting:
            self._write()
            if self._unwritten and not self._closed:
                self._loop.add_writer(self._descriptor, self._write)
        if len(self._unwritten) > MAX_UNREAD_BYTES:
            self._pause()

    def end(self) -> None:
        """Close the descriptor once everything is written."""
        self._ending = True
        if not self._unwritten:
            self.close()

    def close(self) -> None:
        """Close the descriptor now."""
        if not self._closed:
            self._closed = True
            self._loop.remove_writer(self._descriptor)
            os.close(self._descriptor)

    def _write(self) -> None:
        try:
            del self._unwritten[: os.write(self._descriptor, self._unwritten)]
        except BlockingIOError:
            return
        except OSError:  # the process has ended
            self.close()
            return
        if not self._unwritten:
            self._loop.remove_writer(self._descriptor)
            self._resume()
            if self._ending:
                self.close()


class Child:
    """A process that runs a session. It leads a session and a process group of the system."""

    def __init__(self, process: Process, terminal: int | None, readers: list[Reader], writer: Writer) -> None:
        self._process, self._terminal, self._readers, self._writer = process, terminal, readers, writer

    @classmethod
    async def start(
        cls, module: str, spec: SessionSpec, size: Size, environment: Mapping[str, str], folder: str, outlet: Outlet
    ) -> Child:
        """Start a process, on a terminal of this size if the spec asks for one. Raises OSError."""
        with ExitStack() as ours, ExitStack() as theirs:  # descriptors to close: all of them if this fails
            spec_end, to_spec = opened_pipe(theirs, ours)
            if spec.terminal:
                master, slave = pty.openpty()
                ours.callback(os.close, master)
                theirs.callback(os.close, slave)
                set_size(master, size)
                keyboard = os.dup(master)
                ours.callback(os.close, keyboard)
                streams, outputs = (slave, slave, slave), [(master, outlet.out)]
            else:
                stdin, keyboard = opened_pipe(theirs, ours)
                out_end, stdout = opened_pipe(ours, theirs)
                error_end, stderr = opened_pipe(ours, theirs)
                streams, outputs = (stdin, stdout, stderr), [(out_end, outlet.out), (error_end, outlet.error)]
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", module, str(spec_end),
                stdin=streams[0], stdout=streams[1], stderr=streams[2],
                env=child_environment(environment, folder),
                cwd=folder,
                pass_fds=(spec_end,),
                start_new_session=True,
            )  # fmt: skip
            theirs.close()
            os.write(to_spec, spec.encode())  # a pipe holds more than the longest spec
            os.close(to_spec)
            ours.pop_all()
        readers = [Reader(descriptor, pass_on) for descriptor, pass_on in outputs]
        writer = Writer(keyboard, outlet.pause_input, outlet.resume_input)
        return cls(process, keyboard if spec.terminal else None, readers, writer)

    def write(self, data: bytes) -> None:
        """Send input to the process."""
        self._writer.write(data)

    def end_input(self) -> None:
        """Tell the process that there is no more input."""
        if self._terminal is None:
            self._writer.end()

    def pause_output(self) -> None:
        for reader in self._readers:
            reader.pause()

    def resume_output(self) -> None:
        for reader in self._readers:
            reader.resume()

    def resize(self, size: Size) -> None:
        """Set the size of the terminal. The system sends SIGWINCH to the processes."""
        if self._terminal is not None and self._process.returncode is None:
            set_size(self._terminal, size)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the session."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """End all processes of the session at once."""
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait until the process has ended and its output is passed on. Return its exit status, as in subprocess."""
        status = await self._process.wait()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # what it may have left behind
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_OUTPUT_TIMEOUT_S):
                for reader in self._readers:
                    await reader.ended.wait()
        for reader in self._readers:
            reader.close()
        self._writer.close()
        return status


def opened_pipe(for_reading: ExitStack, for_writing: ExitStack) -> tuple[int, int]:
    """Return both ends of a new pipe, which the stacks close."""
    read, write = os.pipe()
    for_reading.callback(os.close, read)
    for_writing.callback(os.close, write)
    return read, write


def set_size(terminal: int, size: Size) -> None:
    columns, rows = (min(max(side, 1), MAX_SIDE) for side in size)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def child_environment(given: Mapping[str, str], folder: str) -> dict[str, str]:
    """Return the environment of a session: nothing of the server's, and all files in a folder of its own."""
    return {
        "PATH": SAFE_PATH,
        "HOME": folder,
        "TMPDIR": folder,
        "XDG_STATE_HOME": folder,
        "XDG_CACHE_HOME": folder,
        "XDG_CONFIG_HOME": folder,
        "XDG_DATA_HOME": folder,
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **given,
    }


def session_folder(parent: str) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder that only this user can enter. It is deleted at the end of the block."""
    return tempfile.TemporaryDirectory(prefix=SESSION_FOLDER_PREFIX, dir=parent, ignore_cleanup_errors=True)
