"""The pages of tournaments: from the first to the last game, the list, the TV, and hostile texts."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from client.tournament.export.report import ReportBuilder
from client.tournament.journal.folder import Folder
from client.tournament.play.reporter import Reporter
from client.tournament.play.setup import ServerAccess, open_runner, play
from protocol.commands import Create, Join, ReportTournament
from protocol.types import TournamentGame, TournamentRow, TournamentTie
from server.app import Running
from tests.e2e.bots import builtin, running_bot
from tests.e2e.local_server import seat_two, session
from tests.long import long
from tests.tournament.live import contestants, plan_of
from tests.tournament.reports import rich_report
from tests.web.conftest import Visit
from tests.web.test_pages import RULES

HOSTILE = "<img src=x onerror=alert(1)>/../%41&\"'"


async def test_page_shows_a_tournament_from_the_first_to_the_last_game(
    server: Running, visit: Visit, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("round-robin", contestants(3), game="cohcoh", opening_plies=0, games=2, concurrency=1))
    eve = await visit("/tournament/test")
    await eve.expect_text(".message", "appears here when it starts")
    messages: list[str] = []
    async with AsyncExitStack() as stack:
        for number, name in enumerate(("ann", "ben", "cy")):
            await stack.enter_async_context(running_bot(server.url, builtin("random", seed=number), name=name))
        access = ServerAccess(server.url)
        reporter: Reporter
        runner = await stack.enter_async_context(
            open_runner(folder, access, messages.append, lambda news: reporter.changed())
        )
        reporter = Reporter(runner.arbiter, "test", ReportBuilder(runner), messages.append)
        await reporter.report()
        await eve.expect_text("h1:visible", "test")
        await eve.expect_text(".live", "Running")
        await eve.expect_text(".hero p", "0 of 6 games")
        assert f"watch it at {eve.address}/tournament/test" in messages
        reporting = asyncio.create_task(reporter.run())
        await play(runner)
        reporting.cancel()
        await reporter.report()
        await eve.expect_text(".live", "Finished")
        await eve.expect_text(".hero p", "6 games")
    await expect(eve.find(".standings tbody tr")).to_have_count(3)
    await expect(eve.find(".results li")).to_have_count(6)
    await expect(eve.find(".cross .self")).to_have_count(3)
    await eve.expect_text(".results", "a line was completed")
    await eve.find(".results a").first.click()
    await expect(eve.find(".moves button")).not_to_have_count(0)


async def test_boards_of_running_games_are_live(server: Running, visit: Visit) -> None:
    ann, ben, arbiter = (session(server.url, name) for name in ("ann", "ben", "arbiter"))
    for player in (ann, ben, arbiter):
        await player.open()
    room = await seat_two(ann, ben, "conga")
    running = (TournamentGame(number=4, first="ann", second="ben", room=room),)
    await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report(running=running)))
    eve = await visit("/tournament/cup")
    await expect(eve.find(".mini-game parlour-board svg")).to_have_count(1)
    await eve.expect_text(".mini-game", "ann")
    await eve.expect_text(".results .down", "forfeit: search@5 left")
    await eve.expect_text(".goals .pass", "met")
    await eve.expect_text(".goals .fail", "not met")
    await eve.expect_text(".ends", "1.66")
    await eve.expect_text(".cross", "1½")
    await eve.expect_text(".top nav [aria-current]", "Tournaments")
    for player in (ann, ben, arbiter):
        await player.close()


async def test_ladder_shows_which_ratings_are_fixed_and_which_versions_are_retired(
    server: Running, visit: Visit
) -> None:
    rows = (
        TournamentRow(name="search@3 0.1", points=1.0, games=2, elo=1248, state="anchor"),
        TournamentRow(name="ann 1.0", points=1.0, games=2, elo=1100, error=60, state="retired"),
    )
    async with session(server.url, "arbiter") as arbiter:
        report = rich_report(format="ladder", rows=rows, players=2, done=500, total=500, open_ended=True)
        await arbiter.ask(ReportTournament(id=arbiter.id(), name="night", report=report))
        eve = await visit("/tournament/night")
        await eve.expect_text(".hero p", "ladder of 2")
        await eve.expect_text(".hero p", "500 games")
        await eve.expect_text(".standings", "search@3 0.1 anchor")
        await eve.expect_text(".standings", "ann 1.0 retired")


async def test_page_goes_on_after_a_lost_connection(server: Running, visit: Visit) -> None:
    async with session(server.url, "arbiter") as arbiter:
        await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report()))
        eve = await visit("/tournament/cup")
        await eve.expect_text(".hero p", "3 of 12 games")
        for connection in list(server.app.server.connections):
            connection.cut(1012, "restart")
        await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report(done=4)))
        await eve.expect_text(".hero p", "4 of 12 games")
        await expect(eve.find(".banner")).to_be_hidden()


async def test_list_leads_to_a_tournament_with_a_hostile_name(server: Running, visit: Visit) -> None:
    async with session(server.url, "arbiter") as arbiter:
        rows = (TournamentRow(name=HOSTILE, points=1.0), TournamentRow(name="<script>alert(1)</script>", points=0.0))
        games = (TournamentGame(number=1, first=HOSTILE, second=HOSTILE, room=HOSTILE, result="1-0", why=HOSTILE),)
        cells = (("x",), ("1/0", "-", f"{HOSTILE}/3"), ())
        bracket = (
            *(TournamentTie(round=7, first=HOSTILE, second=HOSTILE, winner=HOSTILE),) * 3,
            TournamentTie(round=0),
        )
        report = rich_report(
            title=HOSTILE, game=HOSTILE, format=HOSTILE, rows=rows, crosstable=cells, latest=games, running=games,
            bracket=bracket,
        )  # fmt: skip
        await arbiter.ask(ReportTournament(id=arbiter.id(), name=HOSTILE, report=report))
        eve = await visit("/tournaments")
        await eve.expect_text(".list li b", HOSTILE)
        await eve.find(".list a").click()
        await eve.expect_text("h1:visible", HOSTILE)
        await expect(eve.find(".standings tbody tr")).to_have_count(2)
        await eve.open(f"/tournament/{quote(HOSTILE, safe='')}")
        await eve.expect_text("h1:visible", HOSTILE)
        assert await eve.find("main img, main script").count() == 0


async def test_page_shows_the_bracket_of_a_knockout(server: Running, visit: Visit) -> None:
    ties = (
        TournamentTie(round=1, first="ann", winner="ann", bye=True),
        TournamentTie(round=1, first="ben", second="cy", first_points=1.5, left=1),
        TournamentTie(round=2, first="ann"),
    )
    async with session(server.url, "arbiter") as arbiter:
        for bracket in (ties, ()):
            report = rich_report(format="knockout", bracket=bracket)
            await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=report))
            if bracket:
                eve = await visit("/tournament/cup", 1000, 900)
                await eve.expect_text(".bracket section:nth-child(1)", "Semi-finals")
                await expect(eve.find(".bracket .tie")).to_have_count(4)
                await eve.expect_text(".bracket section:nth-child(1) .tie:nth-of-type(2)", "1 game to play")
                await eve.expect_text(".bracket .won", "ann")
                await eve.expect_text(".bracket section:nth-child(3)", "?")
            else:
                await expect(eve.find(".bracket")).to_be_hidden()


async def test_tv_shows_the_games_of_a_tournament(server: Running, visit: Visit) -> None:
    ann, ben, arbiter = (session(server.url, name) for name in ("ann", "ben", "arbiter"))
    for player in (ann, ben, arbiter):
        await player.open()
    await seat_two(ann, ben, "mancala")
    created = await arbiter.ask(Create(id=arbiter.id(), game="conga", players=("ann", "ben")))
    for player in (ann, ben):
        await player.ask(Join(id=player.id(), room=created.room))
    await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report()))
    eve = await visit("/tv?tournament=cup", 1920, 1080)
    await eve.expect_text("h1", "Autumn cup")
    await expect(eve.find(".tile")).to_have_count(1)
    await eve.expect_text(".tile", "Conga")
    for player in (ann, ben, arbiter):
        await player.close()


@pytest.mark.parametrize("scheme", [*long("light"), "dark"])
async def test_pages_of_tournaments_are_accessible_and_printable(server: Running, visit: Visit, scheme: Any) -> None:
    async with session(server.url, "arbiter") as arbiter, session(server.url, "ann") as ann:
        room = await seat_two(ann, arbiter, "conga")
        running = (TournamentGame(number=4, first="ann", second="arbiter", room=room),)
        await arbiter.ask(ReportTournament(id=arbiter.id(), name="cup", report=rich_report(running=running)))
        eve = await visit("/tournament/cup", 360, 740, bypass_csp=True, color_scheme=scheme, reduced_motion="reduce")
        await eve.find(".mini-game svg").wait_for()
        results = await Axe().run(eve.page, options=RULES)
        assert results.violations_count == 0, results.generate_report()
        width = await eve.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360
        await eve.page.emulate_media(media="print")
        await expect(eve.find(".cross")).to_be_visible()
        await expect(eve.find(".top")).to_be_hidden()
        results = await Axe().run(eve.page, options=RULES)  # a dark page is printed dark on white
        assert results.violations_count == 0, results.generate_report()
        await eve.page.emulate_media(media="screen")
        await eve.open("/tournaments")
        await eve.find(".list li").first.wait_for()
        results = await Axe().run(eve.page, options=RULES)
        assert results.violations_count == 0, results.generate_report()
