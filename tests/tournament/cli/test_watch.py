"""`parlour tournament watch` follows a tournament on a real server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parlour.cli.tournament.watch import Watcher, parse_address, report_lines, watch
from protocol.commands import ReportTournament
from protocol.types import TournamentReport, replace
from tests.e2e.local_server import running_server, session
from tests.tournament.reports import rich_report
from tests.waiting import until

HOSTILE = "evil\x1b[2J\nname"


def test_screen_has_all_parts_that_fit() -> None:
    lines = report_lines(rich_report(), 1.0, 60)
    text = "\n".join(lines)
    for words in ("3 of 12 games, about 40 minutes left", "blockade", "Is blockade stronger", "Goals: 1 of 2 met"):
        assert words in text
    assert "(forfeit, search@5 left)" in text
    assert "Each against each" in text
    low = report_lines(rich_report(), 1.0, 12)
    assert len(low) <= 12
    assert "Each against each" not in "\n".join(low)


def test_silent_tournament_is_not_called_running() -> None:
    assert "no news for 5 minutes" in report_lines(rich_report(), 300.0, 40)[1]
    assert "finished" in report_lines(rich_report(finished=True), 300.0, 40)[1]


def test_damaged_crosstable_is_left_out() -> None:
    report = rich_report(crosstable=(("1/2",), ("1/2", "-")))
    assert "Each against each" not in "\n".join(report_lines(report, 1.0, 60))


def test_name_or_address_of_the_page() -> None:
    assert parse_address("cup", "ws://h:1/ws") == ("cup", "ws://h:1/ws")
    assert parse_address("https://h:1/x/tournament/a%2Fb%20c", "") == ("a/b c", "https://h:1/x/ws")


async def test_results_are_printed_until_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server(tmp_path) as server, session(server.url, "arbiter") as arbiter:

        async def report(given: TournamentReport) -> None:
            await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=given))

        watcher, printed = Watcher("cup", on_screen=False), ""

        def has_printed(text: str) -> bool:
            nonlocal printed
            printed += capsys.readouterr().out
            return text in printed

        watching = asyncio.create_task(watch(session(server.url, "eve"), watcher))
        await report(rich_report(title=HOSTILE))
        await until("the first report is printed", lambda: has_printed("game 2"))
        await report(rich_report(title=HOSTILE, finished=True, latest=(replace(rich_report().latest[0], number=3),)))
        await watching
    assert watcher.finished
    assert has_printed("game 3, round 1: search@5 - blockade 0-1")
    assert printed.count("game 2") == 1
    assert "\x1b" not in printed
    assert "evil\\u001b[2J\\nname: round-robin of 3 players in conga" in printed
    assert "homework-7" in printed


async def test_screen_waits_for_an_unknown_tournament(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server(tmp_path) as server, session(server.url, "arbiter") as arbiter:
        watcher, shown = Watcher(HOSTILE, on_screen=True), ""

        def has_shown(text: str) -> bool:
            nonlocal shown
            shown += capsys.readouterr().out
            return text in shown

        watcher.name = "cup"
        watching = asyncio.create_task(watch(session(server.url, "eve"), watcher))
        await until("the screen waits", lambda: has_shown("Waiting until it starts"))
        await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report(finished=True)))
        await watching
        assert has_shown("Autumn cup")
