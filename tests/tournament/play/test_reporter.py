"""The runner tells a real server about its tournament."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from client.sdk.session import Session
from client.tournament.export.report import ReportBuilder
from client.tournament.journal.folder import Folder
from client.tournament.play.reporter import Reporter, tournament_name
from client.tournament.play.runner import Runner
from client.tournament.play.setup import ServerAccess, open_runner, play
from protocol.commands import ReportTournament, Tournaments, WatchTournament
from protocol.replies import TournamentUpdate
from protocol.types import TournamentInfo, TournamentReport
from tests.e2e.local_server import running_server, session
from tests.tournament.live import contestants, plan_of, server_with_bots
from tests.waiting import until

REPORT = TournamentReport(title="mine", game="conga", format="match", players=2)


async def listed(watcher: Session) -> tuple[TournamentInfo, ...]:
    found = (await watcher.ask(Tournaments(id=watcher.id()))).tournaments
    assert found is not None
    return found


async def last_update(watcher: Session, name: str) -> TournamentUpdate:
    """Return the report that a new watcher gets."""
    await watcher.ask(WatchTournament(id=watcher.id(), name=name))
    async for event in watcher:
        if isinstance(event, TournamentUpdate):
            return event
    raise AssertionError


def folder_of(path: Path, **more: Any) -> Folder:
    folder = Folder(path / "cup")
    folder.create(plan_of("round-robin", contestants(3), games=2, **more))
    return folder


async def test_server_knows_a_tournament_from_its_start_to_its_end(tmp_path: Path) -> None:
    messages: list[str] = []
    async with (
        server_with_bots(tmp_path, 3) as url,
        session(url, "watcher") as watcher,
        open_runner(folder_of(tmp_path), ServerAccess(url), messages.append, lambda news: None) as runner,
    ):
        reporter = Reporter(runner.arbiter, "test", ReportBuilder(runner), messages.append)
        await reporter.report()
        (info,) = await listed(watcher)
        assert (info.name, info.done, info.total, info.finished) == ("test", 0, 6, False)
        await play(runner)
        await reporter.report()
        update = await last_update(watcher, "test")
    report = update.report
    assert (report.done, report.finished, report.left) == (6, True, None)
    assert [len(cells) for cells in report.crosstable] == [3, 3, 3]
    assert {game.number for game in report.latest} == set(range(1, 7))
    assert all(game.why and game.result != "*" and game.moves for game in report.latest)
    page = url.replace("ws://", "http://").removesuffix("/ws")
    assert [text for text in messages if "watch it" in text] == [f"watch it at {page}/tournament/test"]


async def open_reporter(runner: Runner, messages: list[str]) -> Reporter:
    reporter = Reporter(runner.arbiter, "test", ReportBuilder(runner), messages.append)
    await reporter.report()
    return reporter


async def test_taken_name_is_replaced_by_that_of_the_arbiter(tmp_path: Path) -> None:
    messages: list[str] = []
    async with running_server(tmp_path) as server, session(server.url, "other") as other:
        await other.ask(ReportTournament(id=other.id(), name="test", report=REPORT))
        async with open_runner(
            folder_of(tmp_path), ServerAccess(server.url), messages.append, lambda news: None
        ) as runner:
            await open_reporter(runner, messages)
            welcome = runner.arbiter.session.welcome
            assert welcome is not None
            assert [info.name for info in await listed(other)] == [welcome.you.name, "test"]
            assert messages[-1].endswith(f"/tournament/{welcome.you.name}")


async def test_report_is_sent_again_after_a_reconnect(tmp_path: Path) -> None:
    messages: list[str] = []
    async with (
        running_server(tmp_path) as server,
        open_runner(folder_of(tmp_path), ServerAccess(server.url), messages.append, lambda news: None) as runner,
    ):
        reporter = await open_reporter(runner, messages)
        tasks = [asyncio.create_task(reporter.run()), asyncio.create_task(runner.arbiter.listen())]
        server.app.tournaments._kept.clear()  # as after a restart
        for connection in list(server.app.server.connections):
            connection.cut(1012, "restart")
        await until("the tournament is known again", lambda: server.app.tournaments._kept)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Autumn cup", "Autumn cup"),
        ("a\x1b[2J\nb", "a [2J b"),
        ("..", "tournament"),
        ("", "tournament"),
        ("x" * 100, "x" * 64),
        ("a/b?c#d", "a/b?c#d"),
    ],
)
def test_name_is_printable_short_and_part_of_an_address(title: str, name: str) -> None:
    assert tournament_name(title) == name
