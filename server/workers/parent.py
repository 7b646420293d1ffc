"""The parent process of several workers: opens the port, owns the process that writes, restarts what dies.

It serves no client and holds no room. If it is killed, the workers notice that their pipe has closed, drain and exit;
the writer process exits after the last of them.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import chain
from socket import socket

from runtime.backoff import Backoff
from runtime.child_process import environment
from runtime.event_loop import run_loop
from runtime.printable import print_lines
from runtime.signals import calls_on_exit_signal
from runtime.supervisor import Supervisor
from runtime.tasks import BackgroundTasks
from server.app import Companion, Greeting, log_refused_games, writer_address
from server.config import Settings
from server.ids import new_player_id
from server.logs import configure_logging, log
from server.rooms.timers import EPOCH_OFFSET_NS
from server.storage.factory import open_store, refuse_unfinished_copy
from server.storage.interface import Store, Unavailable, without_password
from server.transport.listener import check_port, url_of
from server.workers.sockets import close_all, open_sockets
from server.workers.spec import WorkerSpec, stopping_mark
from server.workers.worker import FAILED, READY

FIRST_RESTART_S, MAX_RESTART_S = 0.1, 5.0  # delays before a worker is started again
EXIT_GRACE_S = 8.0  # for a worker to drain
MAX_FOLDER_CHARS = 80  # the path of a unix socket has at most about 100
PARENT_POOL = 2  # connections of the parent process to PostgreSQL


class WorkerFailed(Exception):
    """A worker could not start. The text is one sentence for the operator."""


class Workers:
    """The workers of a server. `module` is the Python module that runs one."""

    def __init__(self, settings: Settings, module: str, store: Store, folder: str, sockets: list[list[socket]]) -> None:
        self._settings, self._module, self._store = settings, module, store
        self._folder, self._sockets = folder, sockets
        self._nodes: dict[Process, str] = {}
        self._tasks = BackgroundTasks()
        self._started = False
        self._supervisors = [self._supervisor(index) for index in range(len(sockets))]

    async def start(self) -> None:
        """Start the first worker, which resumes the games, and then the others. Raises WorkerFailed or OSError."""
        first, *others = self._supervisors
        await first.start()
        self._started = True
        await asyncio.gather(*(supervisor.start() for supervisor in others))

    async def stop(self) -> None:
        """Let all workers drain, and wait for them."""
        stopping_mark(self._folder).touch()
        await asyncio.gather(*(supervisor.stop() for supervisor in self._supervisors))
        await self._tasks.cancel()

    def _supervisor(self, index: int) -> Supervisor[Process]:
        async def spawn() -> Process:
            return await self._spawn(index)

        def exited(process: Process, delay: float) -> None:
            log("worker_exited", logging.ERROR, worker=index, status=process.returncode, again_in=round(delay, 1))
            self._tasks.start(self._report_dead(process))

        def failed(error: Exception, delay: float) -> None:
            log("worker_failed", logging.ERROR, worker=index, why=str(error), again_in=round(delay, 1))

        return Supervisor(
            spawn,
            Backoff(FIRST_RESTART_S, MAX_RESTART_S),
            EXIT_GRACE_S,
            wait_ready=wait_ready,
            failures=(WorkerFailed, OSError),
            on_exit=exited,
            on_failure=failed,
        )

    async def _spawn(self, index: int) -> Process:
        sockets = self._sockets[index]
        spec = WorkerSpec(
            settings=self._settings,
            index=index,
            count=len(self._sockets),
            node=new_player_id(),
            folder=self._folder,
            descriptors=[listener.fileno() for listener in sockets],
            alone=not self._started and not self._store.shared,
            epoch_offset_ns=EPOCH_OFFSET_NS,
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", self._module, str(index),  # the number is for operators who list processes
            env=environment(),
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=spec.descriptors,
            start_new_session=True,  # Ctrl-C reaches only the parent process, which then ends the workers
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(spec.encode())  # not an argument: the settings may have a password
        self._nodes[process] = spec.node
        return process

    async def _report_dead(self, process: Process) -> None:
        """Mark a dead worker in the store, so that another worker removes it in the next sweep."""
        with suppress(Unavailable):
            await self._store.mark_dead(self._nodes.pop(process))


async def wait_ready(process: Process) -> None:
    """Wait until a worker accepts connections. Raises WorkerFailed."""
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode(errors="replace").strip()
    if line != READY:
        raise WorkerFailed(line.removeprefix(FAILED) or "a worker ended while it started: see the log")


@asynccontextmanager
async def running_workers(settings: Settings, module: str) -> AsyncIterator[tuple[str, Store]]:
    """Run workers until the block is left. Yields the server's URL, and a store.

    Raises BadSetting, StoreError, WorkerFailed or OSError.
    """
    await check_port(settings)
    async with AsyncExitStack() as stack:
        folder = private_folder()
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        sockets = open_sockets(settings, settings.worker_count)
        stack.callback(close_all, chain(*sockets))
        store = open_store(settings.db, pool=PARENT_POOL, writer=writer_address(folder))
        stack.push_async_callback(store.close)
        await store.open(serving=True)
        await refuse_unfinished_copy(store)
        await store.forget_present()
        workers = Workers(settings, module, store, folder, sockets)
        stack.push_async_callback(workers.stop)
        await workers.start()
        yield url_of(settings, sockets[0][0]), store


def private_folder() -> str:
    """Create a folder for unix sockets that only this user can enter."""
    folder = tempfile.mkdtemp(prefix="parlour-")
    if len(folder) <= MAX_FOLDER_CHARS:
        return folder
    shutil.rmtree(folder)
    return tempfile.mkdtemp(prefix="parlour-", dir="/tmp")


async def serve_until_stopped(settings: Settings, module: str, companion: Companion, greeting: Greeting | None) -> None:
    """Print the address or the greeting, and serve until a signal. `companion` runs along with the workers."""
    stopped = asyncio.Event()
    with calls_on_exit_signal(lambda number: stopped.set()):
        async with running_workers(settings, module) as (url, store):
            print_lines(greeting(url) if greeting else f"parlour: listening on {url}", flush=True)
            log("listening", url=url, db=without_password(settings.db), workers=settings.worker_count)
            async with companion(url, store):
                await stopped.wait()
        log("stopped")


def main(settings: Settings, module: str, companion: Companion, greeting: Greeting | None = None) -> None:
    """Run workers until the server is told to stop. The arguments are those of server.app.main."""
    configure_logging(settings.log_level, settings.log, greeted=greeting is not None)
    log_refused_games()
    run_loop(serve_until_stopped(settings, module, companion, greeting))
