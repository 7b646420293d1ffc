"""`parlour tournament watch` follows a tournament on a real server."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pexpect
import pytest

from parlour.cli.tournament.watch import Watcher, parse_address, watch
from protocol.commands import ReportTournament
from protocol.types import TournamentReport, replace
from runtime.threads import in_thread
from tests.e2e.local_server import running_server, session
from tests.tournament.reports import rich_report
from tests.waiting import TIMEOUT_S, until

HOSTILE = "evil\x1b[2J\nname"


def test_name_or_address_of_the_page() -> None:
    assert parse_address("cup", "ws://h:1/ws") == ("cup", "ws://h:1/ws")
    assert parse_address("https://h:1/x/tournament/a%2Fb%20c", "") == ("a/b c", "https://h:1/x/ws")


async def test_results_are_printed_until_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server(tmp_path) as server, session(server.url, "arbiter") as arbiter:

        async def report(given: TournamentReport) -> None:
            await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=given))

        watcher, printed = Watcher("cup"), ""

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


async def test_unknown_tournament_is_awaited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server(tmp_path) as server, session(server.url, "arbiter") as arbiter:
        watcher, shown = Watcher("cup"), ""

        def has_shown(text: str) -> bool:
            nonlocal shown
            shown += capsys.readouterr().out
            return text in shown

        watching = asyncio.create_task(watch(session(server.url, "eve"), watcher))
        await until("the watcher waits", lambda: has_shown("Waiting until it starts"))
        await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report(finished=True)))
        await watching
        assert has_shown("Autumn cup")


def on_terminal(*words: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        sys.executable, ["-m", "parlour", "tournament", "watch", *words],
        env={**os.environ, "TERM": "xterm-256color"}, dimensions=(30, 100), encoding="utf-8", timeout=TIMEOUT_S,
    )  # fmt: skip


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x03", 130)])
async def test_screen_on_a_terminal_waits_shows_and_is_left(tmp_path: Path, key: str, code: int) -> None:
    async with running_server(tmp_path) as server, session(server.url, "arbiter") as arbiter:
        child = on_terminal("cup", "--url", server.url)
        try:
            await in_thread(lambda: child.expect("Waiting until it starts"))
            await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report()))
            await in_thread(lambda: child.expect("3 of 12 games"))
            child.send(key)
            await in_thread(lambda: child.expect(pexpect.EOF))
            await in_thread(child.wait)
            assert child.exitstatus == code
        finally:
            child.close(force=True)


async def test_screen_of_a_finished_tournament_leaves_its_table(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "arbiter") as arbiter:
        await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report(finished=True)))
        child = on_terminal("cup", "--url", server.url)
        try:
            await in_thread(lambda: child.expect("finished"))
            child.send("q")
            await in_thread(lambda: child.expect("player +points"))
            await in_thread(lambda: child.expect(pexpect.EOF))
            await in_thread(child.wait)
            assert child.exitstatus == 0
        finally:
            child.close(force=True)


def test_missing_server_is_one_sentence() -> None:
    child = on_terminal("cup", "--url", "ws://127.0.0.1:9/ws")
    try:
        child.expect("parlour: ")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 2
    finally:
        child.close(force=True)
