"""Fixtures: workers that share a SQLite file, in this process, each on a port of its own; and servers as processes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from server.app import Running, Worker, running, writer_address
from server.config import Settings
from server.ids import new_player_id
from server.rooms.timers import Now, now
from server.storage.sqlite.store import SqliteStore
from server.workers.parent import private_folder
from server.workers.sockets import open_sockets
from tests.e2e.conftest import connect_guest as connect_guest
from tests.nodes.conftest import Start
from tests.waiting import until

MAX_WORKERS = 4


@pytest.fixture
def folder() -> Iterator[str]:
    """Return a folder for unix sockets."""
    folder = private_folder()
    yield folder
    rmtree(folder)


@pytest.fixture
async def writer(folder: str, tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Run a writer process that serves workers, as the parent process does."""
    store = SqliteStore(str(tmp_path / "parlour.db"), address=writer_address(folder))
    await store.open(serving=True)
    yield store
    await store.close()


@pytest.fixture
async def start(folder: str, writer: SqliteStore) -> AsyncIterator[Start]:
    """Start one of `workers` workers with these settings, in this process."""
    async with AsyncExitStack() as stack:
        yield start_workers(stack, folder, db=writer.path)


def start_workers(stack: AsyncExitStack, folder: str, **usual: Any) -> Start:
    """Return a function that starts a worker. The workers stop with the stack."""
    started: list[Running] = []

    async def begin(clock: Now = now, workers: int = MAX_WORKERS, **settings: Any) -> Running:
        chosen = Settings(port=0, **{"sweep": 0.1, "watch_tick": 0.0, **usual, **settings})
        worker = Worker(
            index=len(started),
            count=workers,
            node=new_player_id(),
            folder=folder,
            sockets=open_sockets(chosen, 1)[0],
            alone=not started and "://" not in chosen.db,
            clock=clock,
        )
        running_worker = await stack.enter_async_context(running(chosen, worker=worker))
        started.append(running_worker)
        others = len(started) - 1
        await until("the workers are connected", lambda: all(connected_workers(one) == others for one in started))
        return running_worker

    return begin


def connected_workers(worker: Running) -> int:
    """Return the number of other workers that a worker is connected with, in both directions."""
    bus: Any = worker.app.bus
    near = getattr(bus, "_near", bus)
    return min(len([sender for sender in near._senders.values() if sender.up]), len(near._receivers))
