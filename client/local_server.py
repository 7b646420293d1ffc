"""Private server: a child process that exits with its parent, even if the parent is killed.

Run as a module, this is the child: the `parlour` command, plus a thread that ends it when standard input closes.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import signal
import tempfile
import threading
from asyncio.subprocess import Process
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from client.sdk.errors import NoServer
from runtime import child_process
from runtime.backoff import Backoff
from runtime.file_lock import open_locked, try_lock
from runtime.paths import state_folder
from runtime.supervisor import Supervisor

START_TIMEOUT_S = 20.0
EXIT_GRACE_S = 5.0
LOCK_POLL_S = 0.05
OCCUPIED = b"a person is here"  # content of the lock file while a person plays
MAX_RECENT_BOTS = 2  # each is a process
REVIEWER = "reviewer"  # the house bot that reviews finished games


class PrivateFolder:
    """Folder where a private server keeps its games. A lock allows one server at a time."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or state_folder() / "private"
        self._lock: int | None = None
        self.inherited_fds: tuple[int, ...] = ()  # the lock, if the server holds it too until it has exited
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.is_temporary = False  # whether the folder is deleted when it is closed

    def open(self) -> None:
        """Lock the usual folder for a person. If it is in use or not writable, use a temporary folder instead."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = open_locked(self.folder / "lock")
        if self._lock is not None:
            self.mark_occupied()
            return
        self._temporary = tempfile.TemporaryDirectory(prefix="parlour-")
        self.is_temporary = True
        self.folder = Path(self._temporary.name)

    async def open_exclusive(self) -> None:
        """Lock the usual folder; wait until the last server there has exited.

        Raises NoServer if the folder cannot be written, if a person plays there, or if the other server stays.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise NoServer(f"cannot keep games in {self.folder}: {error.strerror or error}") from None
        for _ in range(int(2 * EXIT_GRACE_S / LOCK_POLL_S)):
            if try_lock(lock):
                os.truncate(lock, 0)
                self._lock = lock
                self.inherited_fds = (lock,)
                return
            if os.pread(lock, len(OCCUPIED), 0) == OCCUPIED:
                os.close(lock)
                raise NoServer("the private server is in use by parlour play or parlour watch; close it and try again")
            await asyncio.sleep(LOCK_POLL_S)
        os.close(lock)
        raise NoServer(f"another server uses {self.folder}; stop it and try again")

    def mark_occupied(self) -> None:
        """Write to the lock file that a person plays here and may do so for long."""
        if self._lock is not None:
            with suppress(OSError):
                os.write(self._lock, OCCUPIED)

    def with_recent_bots(self, *wanted: str) -> tuple[str, ...]:
        """Return the wanted bots and the most recently used ones: unfinished games may be against them."""
        names = [*wanted]
        with suppress(OSError, UnicodeError):
            names += (self.folder / "bots").read_text(encoding="utf-8").split()
        return tuple(dict.fromkeys(names))[: len(wanted) + MAX_RECENT_BOTS]

    def remember_bots(self, bots: tuple[str, ...]) -> None:
        """Store the bots for the next start. Call it only after they have started: a wrong name would fail again."""
        with suppress(OSError):
            (self.folder / "bots").write_text("\n".join(bots), encoding="utf-8")

    def close(self) -> None:
        """Unlock the folder, or delete the temporary one."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


class PrivateServer:
    """A server in a child process. When it dies it is restarted at the same address with the same games."""

    def __init__(self, bots: tuple[str, ...], folder: PrivateFolder, settings: tuple[str, ...] = ()) -> None:
        """Prepare a server with house bots. `settings` are more arguments of `parlour serve`."""
        self._bots, self._folder, self._settings = bots, folder, settings
        self._url = ""
        self._supervisor = Supervisor(
            self._spawn,
            Backoff(first_s=0.1, max_s=10.0),
            EXIT_GRACE_S,
            wait_ready=self._wait_ready,
            failures=(NoServer, OSError),
        )

    async def start(self) -> str:
        """Start the server and return its address. Raises NoServer if it does not start."""
        await self._supervisor.start()
        return self._url

    async def stop(self) -> None:
        """Stop the server."""
        await self._supervisor.stop()

    async def _spawn(self) -> Process:
        port = urlsplit(self._url).port or 0  # 0: any free port
        args = ["serve", "--port", str(port), "--db", str(self._folder.folder / "parlour.db"), "--log-level", "error"]
        bots = (*self._bots, REVIEWER) if self._bots else ()  # a server without opponents only lends its games
        args += ["--house", ",".join(bots) or "none", *self._settings]
        return await child_process.start(
            "client.local_server", *args, capture_output=True, inherited_fds=self._folder.inherited_fds
        )

    async def _wait_ready(self, process: Process) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        reason = f"no answer within {START_TIMEOUT_S:g} s"
        with suppress(TimeoutError):
            async with asyncio.timeout(START_TIMEOUT_S):
                line = await process.stdout.readline()
                if b"listening on" in line:
                    self._url = line.decode().split()[-1]
                    return
                errors = b"" if line else await process.stderr.read(2000)
                reason = " ".join(errors.decode(errors="replace").split())[-200:] or "no answer"
        raise NoServer(f"the private server did not start: {reason}")


class BackgroundServer:
    """A private server without house bots, for a command: a tournament, or a list of the games played before."""

    def __init__(self, folder: Path | None = None, settings: tuple[str, ...] = ()) -> None:
        """Prepare a server. The default folder has the games of `parlour play`.

        `settings` are more arguments of `parlour serve`.
        """
        self._folder = PrivateFolder(folder)
        self._server = PrivateServer((), self._folder, settings)

    async def start(self) -> str:
        """Start the server and return its address. Raises NoServer if it does not start."""
        await self._folder.open_exclusive()
        return await self._server.start()

    async def stop(self) -> None:
        """Stop the server and unlock its folder."""
        await self._server.stop()
        self._folder.close()


def terminate_with_stdin() -> None:
    """Send SIGTERM to this process when its standard input ends."""
    child_process.wait_for_stdin_end()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=terminate_with_stdin, daemon=True).start()
    runpy.run_module("parlour", run_name="__main__", alter_sys=True)
