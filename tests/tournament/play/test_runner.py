"""Whole tournaments on a real server, interrupted at any moment and resumed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Sprt
from protocol.commands import History, List
from tests.e2e.local_server import session, until
from tests.tournament.live import Recorder, contestants, moves, plan_of, run, server_with_bots, table

CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("swiss", 6, {"rounds": 3}),
    ("knockout", 5, {}),
    ("round-robin", 4, {}),
]


@pytest.mark.parametrize(("format", "count", "more"), CASES)
async def test_interrupted_tournament_ends_with_same_table(
    format: str, count: int, more: dict[str, Any], tmp_path: Path
) -> None:
    given = plan_of(format, contestants(count), **more)
    whole, broken = Folder(tmp_path / "whole"), Folder(tmp_path / "broken")
    for folder in (whole, broken):
        folder.create(given)
    rng, recorder = Random(format), Recorder()
    async with server_with_bots(tmp_path, count) as url:
        await run(whole, url)
        for _ in range(4):
            target = len(recorder.updates) + rng.randrange(1, 8)
            task = asyncio.create_task(run(broken, url, recorder))
            await until("some games", lambda target=target, task=task: task.done() or len(recorder.updates) >= target)  # type: ignore[misc]
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await run(broken, recorder=recorder)  # the log has the server
        async with session(url, "observer") as observer:
            finished = await observer.ask(History(id=observer.id(), limit=100))
    assert table(broken) == table(whole)
    assert moves(broken) == moves(whole)
    assert len(recorder.ended()) == len(set(recorder.ended())), "no game is logged twice"
    assert len(finished.rooms or ()) == 2 * len(moves(whole)), "no game is played twice"


async def test_decided_match_aborts_running_games(tmp_path: Path) -> None:
    given = plan_of("match", contestants(2), games=400, sprt=Sprt(0, 200, 0.1, 0.1), concurrency=6)
    folder = Folder(tmp_path / "duel")
    folder.create(given)
    async with server_with_bots(tmp_path, 2) as url:
        await run(folder, url)
        async with session(url, "observer") as observer:
            left = (await observer.ask(List(id=observer.id()))).rooms
    known = standings(given, folder.state().results)
    assert known.finished
    assert known.sprt is not None
    assert known.sprt.verdict
    assert known.sprt.pairs * 2 == len(known.schedule.games) < 400
    assert (left, folder.state().rooms) == ((), {})
