"""A server with workers, as processes, and guests that choose the worker they are connected to."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Process
from tests.e2e.guest import Guest
from tests.waiting import until

MAX_ATTEMPTS = 200  # the system chooses the worker of a connection; each of two gets about half of them


class WorkersProcess:
    """`parlour serve --workers N`."""

    def __init__(self, process: Process, db: str) -> None:
        self.process, self.url, self.db = process.process, process.url, db
        self.pid = self.process.pid
        self.guests: list[Guest] = []

    @classmethod
    async def start(cls, db: Path | str, *flags: str, workers: int = 2, **environment: str) -> WorkersProcess:
        flags = ("--workers", str(workers), "--sweep", "0.1", "--watch-tick", "0", *flags)
        return cls(await Process.start(db, *flags, **environment), str(db))

    async def guest(self, worker: int, name: str = "", codec: str = "msgpack", **hello: Any) -> Guest:
        """Connect a guest to one worker."""
        guest = await self.connection(worker, codec)
        await guest.hello(name, **hello)
        return guest

    async def connection(self, worker: int, codec: str = "msgpack") -> Guest:
        """Connect to one worker: try until the system chooses it."""
        for _ in range(MAX_ATTEMPTS):
            guest = await Guest.open(self.url, codec)
            if worker_of(guest) == worker:
                self.guests.append(guest)
                return guest
            await guest.close()
        raise AssertionError(f"no connection to worker {worker}")

    # -- processes

    def writer_pid(self) -> int:
        """Return the process that writes the database."""
        return next(pid for pid in children(self.pid) if any("writer_process" in word for word in command(pid)))

    async def kill_worker(self, worker: int) -> None:
        """Kill a worker, and wait until its successor is running."""
        pid = self.workers()[worker]
        os.kill(pid, signal.SIGKILL)
        await until("the worker is restarted", lambda: pid not in self.workers().values() and worker in self.workers())

    def workers(self) -> dict[int, int]:
        """Return the processes of the workers, by number."""
        commands = {pid: command(pid) for pid in children(self.pid)}
        return {int(words[-1]): pid for pid, words in commands.items() if "parlour.cli.worker" in words}

    async def stop(self) -> None:
        """Kill the server, and close all connections."""
        for guest in self.guests:
            guest.socket.transport.abort()
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


def worker_of(guest: Guest) -> int:
    """Return the worker that a guest is connected to."""
    assert guest.socket.response is not None
    found = re.search(r"worker (\d+)", guest.socket.response.headers["Server"])
    assert found is not None
    return int(found[1])


def children(pid: int) -> list[int]:
    """Return the child processes of a process."""
    return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]


def command(pid: int) -> list[str]:
    """Return the command line of a process, empty if it has ended."""
    return read(f"/proc/{pid}/cmdline").strip("\0").split("\0")


def read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:  # the process has ended
        return ""


def is_running(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    return bool(command(pid)[0])
