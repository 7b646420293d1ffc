"""The store of a worker: one writer process for all, names and locks among them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from shutil import rmtree

import pytest

from server.app import writer_address
from server.storage.interface import Append, Conflict, LostPlayer, StoreError, Unavailable, append_and_wait
from server.storage.sqlite import worker_link
from server.storage.sqlite.store import SqliteStore
from server.storage.sqlite.worker_store import WorkerStore
from server.workers.parent import private_folder
from tests.waiting import until

Stores = tuple[SqliteStore, WorkerStore, WorkerStore]


@pytest.fixture
def address() -> Iterator[str]:
    folder = private_folder()
    yield writer_address(folder)
    rmtree(folder)


@pytest.fixture
async def stores(tmp_path: Path, address: str) -> AsyncIterator[Stores]:
    """Open the store of a parent process, and those of two workers."""
    path = str(tmp_path / "parlour.db")
    parent, left, right = SqliteStore(path, address=address), WorkerStore(path, address), WorkerStore(path, address)
    await parent.open(serving=True)
    await left.open(serving=True)
    await right.open(serving=True)
    yield parent, left, right
    for store in (left, right, parent):
        await store.close()


async def test_of_two_workers_that_append_the_same_seq_one_gets_a_conflict(stores: Stores) -> None:
    _, left, right = stores
    appends = [append_and_wait(store, Append("r", 0, (payload,))) for store, payload in ((left, b"a"), (right, b"b"))]
    results = await asyncio.gather(*appends, return_exceptions=True)
    assert {type(result) for result in results} == {type(None), Conflict}
    written = await left.events("r")
    assert written == await right.events("r") == [b"a" if results[0] is None else b"b"]


async def test_answers_reach_the_worker_that_asked(stores: Stores) -> None:
    parent, left, right = stores

    async def write(store: SqliteStore, room: str) -> None:
        for seq in range(50):
            await append_and_wait(store, Append(room, seq, (f"{room}{seq}".encode(),)))

    await asyncio.gather(*(write(store, room) for store, room in ((parent, "p"), (left, "l"), (right, "r"))))
    for room in "plr":
        assert await parent.events(room) == [f"{room}{seq}".encode() for seq in range(50)]
    with pytest.raises(Conflict):
        await append_and_wait(left, Append("r", 49, (b"again",)))


async def test_name_belongs_to_one_player_on_all_workers(stores: Stores) -> None:
    _, left, right = stores
    assert await left.claim_name("n1", "p-ann", "Ann")
    assert not await right.claim_name("n2", "p-eve", "ann")
    assert await right.claim_name("n2", "p-ann", "Ann")  # the same player, connected twice
    assert await right.player_named("ann") == "p-ann"
    await left.mark_absent("n1", "p-ann", "Ann")
    assert not await left.claim_name("n1", "p-eve", "Ann")
    await right.mark_absent("n2", "p-ann", "Ann")
    assert await left.claim_name("n1", "p-eve", "Ann")


async def test_players_of_a_dead_worker_are_lost(stores: Stores) -> None:
    _, left, right = stores
    assert not await left.mark_alive("dead", 1000)  # it was unknown
    assert not await right.mark_alive("alive", 9000)
    await left.mark_present("dead", [("p-ann", "ann"), ("p-ben", "ben")])
    await right.mark_present("alive", [("p-ben", "ben")])
    assert await left.seen_at("p-ben", "dead") == 9000
    assert await left.seen_at("p-ann", "dead") is None
    assert await left.living_nodes(5000) == {"alive": True}
    assert await right.mark_alive("alive", 9000, on_bus=False)
    assert await left.living_nodes(5000) == {"alive": False}
    assert await right.lost_players(5000) == [LostPlayer("p-ann", 1000)]
    await asyncio.gather(left.remove_dead_nodes(5000), right.remove_dead_nodes(5000))
    assert await right.lost_players(5000) == []
    assert await right.mark_alive("alive", 9500)
    assert await left.claim_name("alive", "p-eve", "ann")


async def test_names_of_an_earlier_run_are_forgotten(stores: Stores) -> None:
    parent, left, _ = stores
    await left.mark_present("before", [("p-ann", "ann")])
    await parent.forget_present()
    assert await left.claim_name("now", "p-eve", "ann")


async def test_lock_is_held_by_one_worker_at_a_time(stores: Stores) -> None:
    _, left, right = stores
    held: list[str] = []

    async def work(store: WorkerStore, name: str) -> None:
        async with store.lock("pair"):
            held.append(name)
            await asyncio.sleep(0)
            assert held[-1] == name
            held.append(name)

    await asyncio.gather(*(work(store, str(n)) for n, store in enumerate([left, right] * 5)))
    assert held[::2] == held[1::2]


async def test_workers_continue_after_the_writer_was_killed(stores: Stores) -> None:
    parent, left, right = stores
    assert parent._writer is not None
    pid = parent._writer.pid
    assert pid is not None
    await append_and_wait(left, Append("r", 0, (b"1",)))
    os.kill(pid, signal.SIGKILL)
    await until("the writer process is restarted", lambda: parent._writer is not None and parent._writer.pid != pid)
    for store, seq in ((right, 1), (left, 2)):
        await write_at_last(store, Append("r", seq, (b"x",)))
    assert await parent.events("r") == [b"1", b"x", b"x"]


async def write_at_last(store: WorkerStore, append: Append) -> None:
    """Write an append, and try again while the writer process is being restarted."""
    while True:
        try:
            return await append_and_wait(store, append)
        except Unavailable:
            await asyncio.sleep(0.01)


async def test_worker_without_a_writer_process_does_not_open(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_link, "CONNECT_TIMEOUT_S", 0.05)
    path = str(tmp_path / "parlour.db")
    alone = SqliteStore(path)
    await alone.open()
    with pytest.raises(StoreError, match="the database writer process has ended"):
        await WorkerStore(path, address).open()
    await alone.close()
