"""The pages around the table: lobby, TV, rules, leaderboard, player; and that all of them are accessible."""

from __future__ import annotations

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from client.sdk.session import Session
from engine.registry import GAMES
from protocol.commands import Resign
from server.app import Running
from tests.e2e.local_server import seat_two, session
from tests.long import long
from tests.web.conftest import Visit

AXE = Axe()
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


async def players(server: Running, *names: str) -> list[Session]:
    found = [session(server.url, name) for name in names]
    for player in found:
        await player.open()
    return found


async def close(*sessions: Session) -> None:
    for player in sessions:
        await player.close()


async def test_featured_game_is_live_and_the_next_one_follows(server: Running, visit: Visit) -> None:
    ann, ben = await players(server, "ann", "ben")
    first = await seat_two(ann, ben, "conga")
    eve = await visit()
    await eve.expect_text(".feature", "ann")
    await eve.expect_text(".feature", "Conga")
    await seat_two(ann, ben, "mancala")
    await expect(eve.find(".two li:has-text('Mancala')")).to_have_count(1)
    await ann.ask(Resign(id=ann.id(), room=first))
    await eve.expect_text(".feature .live", "ben wins")
    await eve.expect_text(".two", "0–1")
    await expect(eve.find(".feature")).to_contain_text("Mancala", timeout=20_000)
    await close(ann, ben)


async def test_tv_follows_new_games_and_filters(server: Running, visit: Visit) -> None:
    ann, ben = await players(server, "ann", "ben")
    everything, congas = await visit("/tv", 1920, 1080), await visit("/tv?game=conga", 1920, 1080)
    await everything.expect_text(".wall", "No game is being played")
    for game in ("conga", "mancala"):
        await seat_two(ann, ben, game)
    await expect(everything.find(".tile")).to_have_count(2)
    await expect(congas.find(".tile")).to_have_count(1)
    await congas.expect_text(".tile", "Conga")
    assert await everything.find("button, input").count() == 0
    await close(ann, ben)


async def test_rules_have_drawn_examples(visit: Visit) -> None:
    ann = await visit()
    for name, game in GAMES.items():
        await ann.open(f"/rules/{name}")
        await expect(ann.find("figure parlour-board svg")).not_to_have_count(0)
        await ann.expect_text("h1", game.title)


async def test_links_keep_the_session(visit: Visit) -> None:
    ann = await visit()
    await ann.expect_text(".you", "guest")
    name = await ann.find(".you").text_content()
    for text, heading in (("Rules", "Conga"), ("Leaderboard", "Leaderboard of Conga"), ("Play", "Bots and people")):
        await ann.find(".top nav").get_by_text(text, exact=True).click()
        await ann.expect_text("h1", heading)
    assert await ann.find(".you").text_content() == name
    await ann.page.go_back()
    await ann.expect_text("h1", "Leaderboard of Conga")


@pytest.mark.parametrize("theme", ["light", *long("dark")])
async def test_pages_are_accessible(server: Running, visit: Visit, theme: str) -> None:
    ann, ben = await players(server, "ann", "ben")
    room = await seat_two(ann, ben, "conga")
    over = await seat_two(ann, ben, "cohcoh")
    await ann.ask(Resign(id=ann.id(), room=over))
    eve = await visit("/", bypass_csp=True, color_scheme=theme, reduced_motion="reduce")  # axe is an inline script
    for path, ready in {
        "/": ".feature parlour-board svg",
        f"/room/{room}": "parlour-board svg",
        f"/game/{over}": ".result .big",
        "/tv": ".tile svg",
        "/rules/mancala": "figure svg",
        "/leaderboard/conga": "h1",
        "/player/ann": ".list li",
        f"/embed/{room}": "svg",
    }.items():
        await eve.open(path)
        await eve.find(ready).first.wait_for()
        results = await AXE.run(eve.page, options=RULES)
        assert results.violations_count == 0, f"{path}: {results.generate_report()}"
    await eve.open("/")
    await eve.button("Play a game").click()
    results = await AXE.run(eve.page, options=RULES)
    assert results.violations_count == 0, results.generate_report()
    await close(ann, ben)


async def test_link_within_a_page_keeps_the_page(visit: Visit) -> None:
    ann = await visit(height=400)
    await ann.page.get_by_role("link", name="Connect a bot").click()
    await expect(ann.find("#connect")).to_be_in_viewport()
    await ann.page.go_back()
    await expect(ann.find("#connect")).not_to_be_in_viewport()


async def test_page_without_a_clipboard_shows_the_text_to_copy(visit: Visit) -> None:
    ann = await visit()
    await ann.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await ann.button("Copy").click()
    await ann.expect_text("dialog", "parlour bot my_bot.py --url ws://")
