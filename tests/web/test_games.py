"""Whole games in a browser: against a bot, another browser, and a terminal."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from server.app import Running
from tests.e2e.bots import builtin, running_bot
from tests.web.conftest import Visit
from tests.web.visitor import Visitor


async def play_first_choices(visitor: Visitor) -> None:
    """Play whole paths by click until the game is over: always the first cell that can be chosen."""
    while await visitor.my_turn():
        count = await visitor.find(".moves button").count()
        cell = visitor.find("parlour-board .cell.legal").first
        name = await cell.get_attribute("data-cell")
        await visitor.cell(name or "").click()
        if await visitor.find("parlour-board .cell.picked").count():
            continue  # the first cell of a longer path
        await expect(visitor.find(".moves button")).not_to_have_count(count)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("cohcoh", {"n": "3"}),
        ("mancala", {"pits": "3", "stones": "2"}),
        ("conga", {"stones": "3"}),
        ("maxconnect4", {}),
    ],
)
async def test_whole_game_against_a_bot(server: Running, visit: Visit, game: str, options: dict[str, str]) -> None:
    async with running_bot(server.url, builtin("random", seed=3), name="random-bot"):
        ann = await visit()
        await ann.button("Play against random-bot").wait_for()
        await ann.new_game(game, "bot:random-bot", "ann", options=options)
        await play_first_choices(ann)
    await expect(ann.find(".result .big")).to_be_visible()
    await ann.expect_text(".seat:has-text('random-bot') .bot", "bot")
