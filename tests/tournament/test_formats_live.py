"""Whole tournaments against a real server: interrupted at any moment and taken up again, nothing is played twice."""

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
from tests.e2e.parlours import session, until
from tests.tournament.live import Recorder, contestants, moves, plan_of, run, server_with_bots, table

CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("swiss", 6, {"rounds": 3}),
    ("knockout", 5, {}),
    ("round-robin", 4, {}),
]


@pytest.mark.parametrize(("format", "count", "more"), CASES)
async def test_interrupted_and_resumed_the_table_is_that_of_the_unbroken_one(
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
            target = len(recorder.news) + rng.randrange(1, 8)
            task = asyncio.create_task(run(broken, url, recorder))
            await until("some games", lambda target=target, task=task: task.done() or len(recorder.news) >= target)  # type: ignore[misc]
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await run(broken, recorder=recorder)  # it knows where it was played
        async with session(url, "looker-on") as looker:
            finished = await looker.ask(History(id=looker.id(), limit=100))
    assert table(broken) == table(whole)
    assert moves(broken) == moves(whole)
    assert len(recorder.ended()) == len(set(recorder.ended())), "nothing is written down twice"
    assert len(finished.rooms or ()) == 2 * len(moves(whole)), "nothing is played twice"


async def test_a_room_that_was_made_but_not_written_down_is_found_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("round-robin", contestants(3)))
    async with server_with_bots(tmp_path, 3) as url:
        await run(folder, url)
        before = moves(folder)
        lines = folder.log_file.read_text().splitlines(keepends=True)
        rooms = {result.room for result in folder.state().results.values()}
        folder.log_file.write_text("".join(lines[:2]) + lines[2][:17])  # as if power had failed
        await run(folder, url)
    assert moves(folder) == before
    assert {result.room for result in folder.state().results.values()} == rooms


async def test_who_never_comes_forfeits_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    players = (*contestants(2), *contestants(6)[5:])  # fay is not there
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("round-robin", players, wait=2.0))
    async with server_with_bots(tmp_path, 2) as url:
        recorder = Recorder()
        await run(folder, url, recorder)
    known = standings(folder.plan(), folder.state().results)
    assert known.row("fay").forfeits == {"absent": 4}
    assert known.row("ann").points + known.row("ben").points == 6
    assert any("fay should connect to ws" in said for said in [", ".join(recorder.said).replace("ann, ben, ", "")])


async def test_a_proved_result_ends_a_game_and_is_the_same_every_time(tmp_path: Path) -> None:
    given = plan_of("match", contestants(2), game="cohcoh", games=4, opening_plies=2, adjudicate=3000)
    folders = [Folder(tmp_path / name) for name in ("one", "two")]
    async with server_with_bots(tmp_path, 2) as url:
        for folder in folders:
            folder.create(given)
            await run(folder, url)
    assert table(folders[0]) == table(folders[1])
    assert moves(folders[0]) == moves(folders[1])
    results = folders[0].state().results.values()
    assert all(result.reason == "adjudicated" and result.proof is not None for result in results)


async def test_a_match_that_is_decided_stops_what_is_under_way(tmp_path: Path) -> None:
    given = plan_of("match", contestants(2), games=400, sprt=Sprt(0, 200, 0.1, 0.1), concurrency=6)
    folder = Folder(tmp_path / "duel")
    folder.create(given)
    async with server_with_bots(tmp_path, 2) as url:
        await run(folder, url)
        async with session(url, "looker-on") as looker:
            left = (await looker.ask(List(id=looker.id()))).rooms
    known = standings(given, folder.state().results)
    assert known.finished
    assert known.sprt is not None
    assert known.sprt.verdict
    assert known.sprt.pairs * 2 == len(known.schedule.games) < 400
    assert (left, folder.state().rooms) == ((), {})
