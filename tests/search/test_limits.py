"""Limits, cancellation and table growth of the search, and an event loop running next to it."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from dataclasses import replace

import pytest

from engine.registry import create
from engine.search import Limits, Report, Thinker
from engine.search.kernel import HUGE_PAGE_MIN_WORDS
from engine.search.limits import Clock
from engine.search.table import BUCKET_ENTRIES, find_entry, rehash, store_entry
from tests.waiting import TIMEOUT_S


@pytest.fixture(scope="module")
def thinker() -> Thinker:
    return Thinker(create("conga"), compiled=True)


def test_node_limit_is_exact_and_repeatable() -> None:
    game = create("conga")
    reports = [Thinker(game, compiled=True).think(game.start(), Limits(nodes=200_000)) for _ in range(2)]
    assert [report.nodes for report in reports] == [200_000, 200_000]
    assert reports[0].line == reports[1].line
    assert reports[0].value == reports[1].value


def test_search_stops_at_the_depth_limit(thinker: Thinker) -> None:
    assert thinker.think(thinker.game.start(), Limits(depth=5)).depth == 5


def test_clock_is_checked_often(thinker: Thinker) -> None:
    """Count the checks instead of measuring time, which is unreliable on a busy machine."""
    seen: list[int] = []
    thinker.think(thinker.game.start(), Limits(seconds=0.2))
    (worker,) = thinker.driver.workers
    run = worker.kernel.run

    def counting(*arrays: object) -> None:
        run(*arrays)
        seen.append(1)

    worker.kernel = replace(worker.kernel, run=counting)
    report = thinker.think(thinker.game.start(), Limits(nodes=3_000_000))
    assert len(seen) > 20
    assert report.depth >= 1


def test_table_grows_only_if_there_is_time() -> None:
    driver = Thinker(create("maxconnect4"), compiled=True).driver
    size = len(driver.table)
    driver.grow(Clock(Limits(seconds=0.002)))
    assert len(driver.table) == size, "there is too little time to grow"
    driver.grow(Clock(Limits()))
    assert len(driver.table) == 4 * size


def test_rehash_keeps_all_entries() -> None:
    rng, size = random.Random(1), 8 * 2 * BUCKET_ENTRIES
    table, checks = [0] * size, [rng.getrandbits(62) for _ in range(20)]
    for i, check in enumerate(checks):
        store_entry(table, (check & 7) * 2 * BUCKET_ENTRIES, check, i, i, i, 1, 1, 1)
    kept = [i for i, check in enumerate(checks) if find_entry(table, (check & 7) * 2 * BUCKET_ENTRIES, check)]
    assert len(kept) > 15
    old, table = table, [0] * (4 * size)
    rehash(old, table, 8, 31)
    for i in kept:
        data = find_entry(table, (checks[i] & 31) * 2 * BUCKET_ENTRIES, checks[i])
        assert data
        assert data >> 32 & 255 == i
    assert sum(data != 0 for data in table[1::2]) == len(kept)


def test_search_of_one_node_returns_a_move(thinker: Thinker) -> None:
    report = thinker.think(thinker.game.start(), Limits(nodes=1))
    assert report.move in thinker.game.moves(thinker.game.start())


@pytest.mark.parametrize("seed", range(6))
def test_stopped_search_returns_the_stable_best_move(seed: int) -> None:
    game, rng = create("conga"), random.Random(seed)
    state = game.start()
    for _ in range(12):
        state = game.after(state, rng.choice(game.moves(state)))
    whole = [Thinker(game, compiled=True).think(state, Limits(depth=depth)) for depth in (4, 5)]
    stops = range(whole[0].nodes + 1, whole[1].nodes, max(1, (whole[1].nodes - whole[0].nodes) // 40))
    shown = {Thinker(game, compiled=True).think(state, Limits(nodes=nodes)).move for nodes in stops}
    assert {whole[0].move} == {whole[1].move} == shown


def test_search_can_be_cancelled_from_another_thread() -> None:
    game = create("maxconnect4")
    thinker, cancel, reports = Thinker(game, compiled=True), threading.Event(), []
    started = threading.Event()

    def progress(report: Report) -> None:
        started.set()

    thread = threading.Thread(target=lambda: reports.append(thinker.think(game.start(), Limits(), cancel, progress)))
    thread.start()
    assert started.wait(TIMEOUT_S)
    cancel.set()
    thread.join(TIMEOUT_S)
    assert not thread.is_alive()
    assert not reports[0].proved
    assert reports[0].move in game.moves(game.start())


def test_search_in_a_thread_does_not_block_the_event_loop() -> None:
    game = create("maxconnect4")
    thinker = Thinker(game, compiled=True)

    async def count_ticks() -> int:
        searching = asyncio.create_task(asyncio.to_thread(thinker.think, game.start(), Limits(nodes=2_000_000)))
        ticks = 0
        while not searching.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks

    assert asyncio.run(count_ticks()) > 20


@pytest.mark.skipif(sys.platform != "linux", reason="other systems free the memory later")
def test_memory_of_the_old_table_is_freed_while_the_new_one_fills() -> None:
    driver = Thinker(create("maxconnect4"), compiled=True).driver
    while len(driver.table) < HUGE_PAGE_MIN_WORDS:
        driver.grow(Clock(Limits()))
    old = driver.table
    store_entry(old, 0, 0, 1, 2, 3, 4, 5, 6)
    driver.grow(Clock(Limits()))
    assert find_entry(driver.table, 0, 0)
    assert not any(old)
