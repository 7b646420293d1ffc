"""The page contains everything, loads nothing, and treats names and notes as text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from client.presentation.rules.chapter import board_tree
from client.tournament.export.html import game_data, page
from client.tournament.formats.standings import standings
from client.tournament.journal.replay import TournamentState
from client.tournament.model.game_review import Mistake
from client.tournament.model.plan import Contestant, Goal, Plan
from client.tournament.model.results import Pairing, Result
from engine.record import parse, play_through
from engine.registry import GAMES
from tests.tournament.browser import PROGRAM, Tab, browser
from tests.tournament.plans import plan
from tests.tournament.reviewed import review_all
from tests.tournament.simulated import lost_on_time, simulate

HOSTILE_NAME = "</script><img src=x>"

BOARD = "document.getElementById('board')"

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
    text = page(standings(given, state.results), given, state, lambda forfeit: forfeit.evidence)
    reader = Reader()
    reader.feed(text)
    assert (reader.tags.count("script"), reader.tags.count("img"), reader.tags.count("b")) == (2, 0, 0)
    assert {link for link in reader.links if not link.startswith("#game-")} == {"x%22%3E%3Cscript%3E"}
    games = json.loads(reader.data["data"])["games"]
    assert games[1]["notes"][0] == HOSTILE_NOTE
    assert {name for game in games for name in game["seats"]} == set(given.names)
    text = text.replace('"http://www.w3.org/2000/svg"', "")  # the name of a namespace, not an address
    assert not re.search(r"https?://|//cdn|@import\s+[^{\s]|url\((?!#)", text)


def test_bracket_of_a_knockout_is_on_the_page() -> None:
    given = plan("knockout", game="cohcoh", players=tuple(map(Contestant, ("<i>ann", "ben", "cy"))))
    state = simulate(given)
    html = page(standings(given, state.results), given, state)
    assert html.count('<div class="tie">') == 4
    assert "<i>ann" not in html
    assert html.count('class="won"') == 4
    assert '<div class="bracket">' not in page(standings(given, state.results), given, state, with_bracket=False)


def test_page_is_deterministic() -> None:
    given, state = hostile_tournament()
    first, second = (page(standings(given, state.results), given, state) for _ in range(2))
    assert first == second


def test_page_without_games_says_so() -> None:
    given = plan("swiss", *"abcd")
    assert "0 games, not finished" in page(standings(given, {}), given, TournamentState())


async def check_mistake(tab: Tab, mistake: Mistake) -> None:
    """Follow the link of a mistake in game 2: its board shows the position before, the viewer the move."""
    card = f'document.querySelector(\'[data-game="2"][data-ply="{mistake.ply}"]\')'
    drawn = (
        f"(async () => {{ {card}.scrollIntoView(); while (!{card}.board) await new Promise(requestAnimationFrame) }})()"
    )
    await tab.evaluate(drawn)
    await tab.evaluate("new Promise(requestAnimationFrame)")
    assert await tab.evaluate(f"{card}.querySelectorAll('.stone').length") == mistake.ply + 1  # two of the opening
    assert await tab.evaluate(f"{card}.picked.length") == 1
    followed = "new Promise((go) => addEventListener('hashchange', () => requestAnimationFrame(go)))"
    await tab.evaluate(f"{card}.parentNode.querySelector('a').click(), {followed}")
    assert (await tab.evaluate("document.getElementById('state').textContent")).startswith(f"{mistake.ply} of ")
    note = await tab.evaluate("document.getElementById('note').textContent")
    assert f"; better: {' '.join(mistake.line)}\n{HOSTILE_NOTE}" in note
    assert "?" in await tab.evaluate("document.querySelector('#moves .now').textContent")


@pytest.mark.skipif(not PROGRAM, reason="no browser is installed")
async def test_games_replay_in_browser(tmp_path: Path) -> None:
    given, state = hostile_tournament()
    state.results = {1: state.results[1], 2: state.results[2]}
    mistake = next(iter(review_all(state).reviews[2].mistakes))
    file = tmp_path / "page.html"
    file.write_text(page(standings(given, state.results, state.reviews), given, state), encoding="utf-8")
    async with browser(tmp_path / "profile") as tab:
        await tab.open(f"{file.as_uri()}#game-2")
        assert "Game 2" in await tab.evaluate("document.getElementById('title').textContent")
        assert await tab.evaluate(f"{BOARD}.querySelectorAll('[data-cell], .cell').length") >= 9
        assert await tab.evaluate(f"{BOARD}.querySelectorAll('.stone').length") == 2  # the opening
        await tab.evaluate("document.getElementById('next').click()")
        await tab.evaluate("new Promise(requestAnimationFrame)")
        assert await tab.evaluate(f"{BOARD}.querySelectorAll('.stone').length") == 3
        assert await tab.evaluate(f"{BOARD}.querySelectorAll('.came').length") == 1
        assert await tab.evaluate("document.getElementById('note').textContent") == HOSTILE_NOTE
        await tab.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}))")
        assert state.results[2].result in await tab.evaluate("document.getElementById('state').textContent")
        await tab.evaluate("document.querySelector('#list a').click()")
        await tab.evaluate("document.getElementById('last').click()")
        assert "time" in await tab.evaluate("document.getElementById('state').textContent")
        assert await tab.evaluate("document.images.length + document.scripts.length") == 2
        await check_mistake(tab, mistake)
    assert not tab.errors


def test_mistakes_are_on_the_page_of_reviewed_games() -> None:
    given, state = hostile_tournament()
    state.results = {number: state.results[number] for number in (2, 3)}
    plain = page(standings(given, state.results), given, state)
    assert "<h2>Mistakes</h2>" not in plain
    assert "accuracy" not in plain
    review_all(state)
    text = page(standings(given, state.results, state.reviews), given, state)
    reader = Reader()
    reader.feed(text)
    assert (reader.tags.count("script"), reader.tags.count("img")) == (2, 0)
    assert reader.tags.count("figure") == reader.tags.count("parlour-board") - 1 > 3
    games = json.loads(reader.data["data"])["games"]
    links = {link for link in reader.links if re.fullmatch(r"#game-\d+-\d+", link)}
    assert links <= {f"#game-{game['number']}-{ply}" for game in games for ply, *_ in game["mistakes"]}
    assert "<th>accuracy</th>" in text


def test_grades_are_on_the_page() -> None:
    goal = Goal("points", "<i>a point</i>", against="random", games=2, points=1.0)
    students = (Contestant("ann", bot="greedy", student=True), Contestant("random", bot="random"))
    given = plan("grading", players=students, goals=(goal,))
    state = simulate(given)
    text = page(standings(given, state.results), given, state)
    met = sum(result.points[game.seats.index("ann")] for game, result in played_games(given, state)) >= 1
    assert f"<h2>Grades</h2><p>{int(met)} of 1 goal met</p>" in text
    assert "&lt;i&gt;a point&lt;/i&gt;" in text
    assert f'<td class="left">{"met" if met else "not met"}</td>' in text


def played_games(given: Plan, state: TournamentState) -> list[tuple[Pairing, Result]]:
    games = standings(given, state.results).schedule.games
    return [(game, state.results[game.number]) for game in games]


@pytest.mark.parametrize("game", GAMES)
def test_replay_data_give_every_board(game: str) -> None:
    given = plan("match", "ann", "ben", game=game)
    for pairing, result in played_games(given, simulate(given)):
        data = game_data(pairing, result)
        through = play_through(parse(result.record))
        board = list(data["start"])
        assert len(data["changes"]) == len(data["moves"]) == len(data["lasts"])
        for change, state in zip(data["changes"], through.states[1:], strict=True):
            for at, owner, count in change:
                board[at] = (owner, count)
            assert board == board_tree(through.game.draw(state))
