"""Several threads that search one position with a shared table."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

from engine.contract.exact import ExactSolver
from engine.registry import create
from engine.search import Limits, Report, Thinker, tree
from engine.search.kernel import kernel
from engine.search.limits import Clock
from engine.search.table import BUCKET_ENTRIES, SOLID_DEPTH, find_entry, store_entry
from engine.search.worker import Task, Worker
from tests.waiting import until_blocking


@pytest.mark.parametrize("seed", range(3))
def test_threads_prove_the_exact_values(seed: int) -> None:
    game, rng = create("maxconnect4"), random.Random(seed)
    state, exact = game.start(), ExactSolver(game, 10**6)
    for _ in range(34):
        state = game.after(state, rng.choice(game.moves(state)))
    thinker = Thinker(game, compiled=True, threads=3)
    report = thinker.solve(state, Limits())
    assert (report.value, report.proved) == (exact.value(state), True)
    after = game.after(state, report.line[0])
    assert -exact.value(after) == report.value


def test_threads_solve_a_published_game() -> None:
    game = create("mancala", {"pits": 6, "stones": 3})
    report = Thinker(game, compiled=True, threads=2).solve(game.start(), Limits())
    assert (report.value, report.proved) == (2, True)


def test_all_threads_search_until_the_search_is_cancelled() -> None:
    game = create("mancala")
    thinker, cancel = Thinker(game, compiled=True, threads=3), threading.Event()
    reports = list[Report]()
    thread = threading.Thread(target=lambda: reports.append(thinker.think(game.start(), Limits(), cancel)))
    before = threading.active_count()
    thread.start()
    until_blocking("all threads search", lambda: all(worker.nodes > 0 for worker in thinker.driver.workers))
    cancel.set()
    thread.join()
    assert threading.active_count() == before, "the helpers end with the search"
    assert reports[0].nodes == sum(worker.nodes for worker in thinker.driver.workers)
    assert reports[0].move in game.moves(game.start())


def test_a_torn_entry_is_not_found() -> None:
    tables = [[0] * (2 * BUCKET_ENTRIES) for _ in range(2)]
    check = 0x1234_5678_9ABC
    store_entry(tables[0], 0, check, 1, 2, 3, 4, 5, 6)
    store_entry(tables[1], 0, check + 1, -7, 2, 1, 9, 5, 6)
    assert find_entry(tables[0], 0, check)
    for torn in ([tables[0][0], tables[1][1]], [tables[1][0], tables[0][1]]):
        bucket = torn + [0] * (2 * BUCKET_ENTRIES - 2)
        assert not find_entry(bucket, 0, check)
        assert not find_entry(bucket, 0, check + 1)


def alternate(compiled: bool) -> list[int]:
    """Let two workers search one position alternately, in one thread. Return their nodes and results."""
    game = create("mancala")
    found = kernel(game, compiled)
    busy, table = found.zeros(tree.BUSY_MARKS), found.zeros(256 * 2 * BUCKET_ENTRIES)
    workers = [Worker(found, busy) for _ in range(2)]
    for worker in workers:
        worker.control[tree.THREADS] = len(workers)
        worker.prepare((), 100)
        worker.begin(Task(game.start(), 7, -1000, 1000, -1, 1))
    while not (workers[0].run(table, 97) | workers[1].run(table, 97)):
        pass
    return [number for worker in workers for number in (worker.nodes, worker.value, worker.best_move)]


def test_plain_and_compiled_workers_are_equal() -> None:
    assert alternate(compiled=False) == alternate(compiled=True)


def test_a_move_that_another_thread_searches_comes_last() -> None:
    busy, check, search = [0] * tree.BUSY_MARKS, 12345, 1
    moves, weights = [0, 1, 2], [30, 20, 10]
    for expected in (0, 1, 2):
        mark = tree.busy_mark(check, expected, search)
        assert tree.pick_idle(moves[:], weights[:], 0, 3, busy, check, search) == expected
        busy[mark >> 1 & tree.BUSY_MARKS - 1] = mark
    assert tree.pick_idle(moves[:], weights[:], 0, 3, busy, check, search) == 0, "all are busy"
    assert tree.pick_idle(moves[:], weights[:], 0, 3, busy, check, search + 1) == 0, "the marks are stale"


def test_helpers_search_while_the_table_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    game = create("mancala")
    driver = Thinker(game, compiled=True, threads=2).driver
    helper, rehash, size = driver.workers[1], Worker.rehash, len(driver.table)

    def rehash_later(worker: Worker, old: Any, table: Any) -> None:
        before = helper.nodes
        until_blocking("the helper goes on", lambda: helper.nodes > before)
        rehash(worker, old, table)

    monkeypatch.setattr(Worker, "rehash", rehash_later)
    driver.prepare(())
    with driver.helpers:
        driver.helpers.join(Task(game.start(), SOLID_DEPTH, 0, 1, -1, 1))
        driver.grow(Clock(Limits()))
    assert len(driver.table) == 4 * size


def test_table_grows_later_with_several_threads() -> None:
    game, sizes = create("mancala"), list[int]()
    for threads in (1, 2):
        thinker = Thinker(game, compiled=True, threads=threads)
        thinker.think(game.start(), Limits(nodes=70_000))
        sizes.append(len(thinker.driver.table))
    assert sizes[0] == 4 * sizes[1], "they visit some positions more than once"
