"""The page contains everything, loads nothing, and treats names and notes as text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from client.tournament.export.html import page
from client.tournament.formats.standings import standings
from client.tournament.journal.replay import TournamentState
from client.tournament.model.plan import Contestant, Plan
from tests.tournament.browser import PROGRAM, browser
from tests.tournament.plans import plan
from tests.tournament.simulated import lost_on_time, simulate

HOSTILE_NAME = "</script><img src=x>"

HOSTILE_NOTE = "\"><script>alert('note')</script> \u2028 </script>"


def hostile_tournament() -> tuple[Plan, TournamentState]:
    players = (Contestant(HOSTILE_NAME), Contestant("'><b>&amp;"), Contestant("ann"))
    given = plan("round-robin", game="cohcoh", opening_plies=2, players=players)
    state = simulate(replace(given, name=HOSTILE_NAME), HOSTILE_NOTE)
    state.results[1] = replace(lost_on_time(state.results[1]), evidence='x"><script>')
    return replace(given, name=HOSTILE_NAME), state


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.inside = ""
        self.data: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attrs)
        self.links += [value or "" for key, value in attrs if key in ("src", "href")]
        assert not any(key.startswith("on") for key in values)
        self.inside = values.get("id") or tag if tag == "script" else ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.data[self.inside] = self.data.get(self.inside, "") + data


def test_untrusted_text_is_escaped() -> None:
    given, state = hostile_tournament()
    text = page(standings(given, state.results), given, state.results, lambda forfeit: forfeit.evidence)
    reader = Reader()
    reader.feed(text)
    assert (reader.tags.count("script"), reader.tags.count("img"), reader.tags.count("b")) == (2, 0, 0)
    assert {link for link in reader.links if not link.startswith("#game-")} == {"x%22%3E%3Cscript%3E"}
    games = json.loads(reader.data["data"])
    assert games[1]["notes"][0] == HOSTILE_NOTE
    assert {name for game in games for name in game["seats"]} == set(given.names)
    assert not re.search(r"https?://|//cdn|@import|url\(", text)


def test_page_is_deterministic() -> None:
    given, state = hostile_tournament()
    first, second = (page(standings(given, state.results), given, state.results) for _ in range(2))
    assert first == second


def test_page_without_games() -> None:
    given = plan("swiss", *"abcd")
    assert "0 games, not finished" in page(standings(given, {}), given, {})


@pytest.mark.skipif(not PROGRAM, reason="no browser is installed")
async def test_games_replay_in_browser(tmp_path: Path) -> None:
    given, state = hostile_tournament()
    file = tmp_path / "page.html"
    file.write_text(page(standings(given, state.results), given, state.results), encoding="utf-8")
    async with browser(tmp_path / "profile") as tab:
        await tab.open(f"{file.as_uri()}#game-2")
        assert "Game 2" in await tab.evaluate("document.getElementById('title').textContent")
        before = await tab.evaluate("document.getElementById('board').textContent")
        await tab.evaluate("document.getElementById('next').click()")
        assert await tab.evaluate("document.getElementById('board').textContent") != before
        assert await tab.evaluate("document.getElementById('note').textContent") == HOSTILE_NOTE
        await tab.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}))")
        assert state.results[2].result in await tab.evaluate("document.getElementById('state').textContent")
        await tab.evaluate("document.querySelector('#list a').click()")
        await tab.evaluate("document.getElementById('last').click()")
        assert "time" in await tab.evaluate("document.getElementById('state').textContent")
        assert await tab.evaluate("document.images.length + document.scripts.length") == 2
    assert not tab.errors
