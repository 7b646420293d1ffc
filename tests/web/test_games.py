"""Whole games in a browser: against a bot, another browser, and a terminal; with a game that only the test knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from client.presentation.launch_plan import GameRequest
from server.app import Running
from tests.e2e.bots import builtin, running_bot, seek
from tests.e2e.tui import at_table, by_typing, client, opponent, settled
from tests.engine.example_game import example_installed
from tests.long import long_cases
from tests.web.conftest import Visit
from tests.web.visitor import Visitor


async def play_first_choices(visitor: Visitor) -> None:
    """Play by click until the game is over: always the first cell that can be chosen."""
    while await visitor.my_turn():
        await visitor.play_first_choice()


@pytest.mark.parametrize(
    ("game", "options"),
    [("cohcoh", {"n": "3"}), *long_cases(("mancala", {"pits": "3", "stones": "2"}), ("maxconnect4", {}))],
)
async def test_game_against_a_bot_is_played_to_its_end(
    server: Running, visit: Visit, game: str, options: dict[str, str]
) -> None:
    async with running_bot(server.url, builtin("random", seed=3), name="random-bot"):
        ann = await visit()
        await ann.button("Play against random-bot").wait_for()
        await ann.new_game(game, "bot:random-bot", "ann", options=options)
        await play_first_choices(ann)
        await expect(ann.find(".result .big")).to_be_visible()
        await ann.expect_text(".seat:has-text('random-bot') .bot", "bot")


async def test_whole_game_against_a_bot_that_waits_in_a_room(server: Running, visit: Visit) -> None:
    short = seek("conga", options={"stones": 3, "max_plies": 4})
    async with running_bot(server.url, builtin("random", seed=3), name="random-bot", seeks=(short,)):
        ann = await visit()
        await ann.find("li:has-text('Conga')").get_by_role("button", name="Play against random-bot").click()
        await play_first_choices(ann)
        await expect(ann.find(".result .big")).to_be_visible()
        await ann.expect_text(".seat:has-text('random-bot') .bot", "bot")


async def test_two_browsers_play_chat_and_play_again(visit: Visit) -> None:
    ann, ben = await visit(), await visit()
    room = await ann.new_game("cohcoh", name="ann", options={"n": "3"})
    await ben.button("Play against ann").click()
    await ben.page.wait_for_url(f"**/room/{room}")
    await ben.find("[aria-label='Say something']").fill("have fun")
    await ben.page.keyboard.press("Enter")
    await ann.expect_text(".chat", "have fun")
    for ply, cell in enumerate(("a1", "b2", "a2", "c3", "a3")):
        player = (ann, ben)[ply % 2]
        assert await player.my_turn()
        await player.cell(cell).click()
        await ann.expect_moves(ply + 1)
        await ben.expect_moves(ply + 1)
    for player in (ann, ben):
        await player.expect_text(".result", "completed a line")
        await expect(player.find("parlour-board .cell.decisive")).to_have_count(3)
    await ben.expect_text(".result .big", "You win")
    await ann.button("Rematch").click()
    await ben.button("Accept the rematch").click()
    await ann.page.wait_for_url(lambda url: not url.endswith(room))
    await ben.page.wait_for_url(lambda url: not url.endswith(room))
    assert ann.room == ben.room
    assert await ben.my_turn()  # the seats are swapped


@pytest.mark.long  # the game of two browsers is quicker
async def test_browser_plays_against_the_terminal(server: Running, visit: Visit, tmp_path: Path) -> None:
    async with client(server.url, tmp_path, "play", GameRequest("cohcoh", {"n": 3}, seat=0)) as (app, pilot):
        ben = await visit()
        await ben.button("Play against alice").click()
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        for ply, cell in enumerate(("a1", "b2", "a2", "c3", "a3")):
            if ply % 2:
                assert await ben.my_turn()
                await ben.cell(cell).click()
            else:
                await by_typing(pilot, screen, cell)
            await settled(pilot, "the move is made", lambda: table.ply > ply)  # noqa: B023
            await ben.expect_moves(ply + 1)
        await ben.expect_text(".result .big", "You win")


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[None]:
    """Install the example of docs/adding-a-game.md, for which there is no line of JavaScript."""
    with example_installed(tmp_path):
        yield


@pytest.mark.usefixtures("apart")
async def test_game_registered_only_here_is_playable(server: Running, visit: Visit) -> None:
    async with opponent(server.url):
        ann = await visit()
        await ann.button("Play against bob").wait_for()
        await ann.new_game("apart", "bot:bob", "ann")
        await play_first_choices(ann)
        await expect(ann.find(".result .big")).to_be_visible()
