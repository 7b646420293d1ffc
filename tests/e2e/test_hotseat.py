"""Two people at one terminal, with a private server of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from client.presentation.launch_plan import GameRequest, LaunchPlan
from client.tui.app.hotseat_app import HotseatApp
from client.tui.dialogs.confirm import Confirm
from client.tui.render.appearance import Appearance
from client.tui.screens.hotseat import HotseatScreen
from engine.registry import GAMES
from tests.e2e.tui import settled
from tests.tui.offline_app import picture_of

LINE_OF_THREE = ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3")


@asynccontextmanager
async def hotseat(game: str, name: str = "", vs: str = "") -> AsyncIterator[tuple[HotseatApp, Pilot[str]]]:
    request = GameRequest(game, vs=vs)
    app = HotseatApp(LaunchPlan("play", private=True, name=name, request=request, hotseat=True), Appearance("mono"))
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            yield app, pilot
    finally:
        await app.close()


async def at_table(app: HotseatApp, pilot: Pilot[str]) -> HotseatScreen:
    await settled(
        pilot, "the game has started", lambda: isinstance(app.screen, HotseatScreen) and "to move" in picture_of(app)
    )
    assert isinstance(app.screen, HotseatScreen)
    return app.screen


async def play(app: HotseatApp, pilot: Pilot[str], screen: HotseatScreen, move: str) -> None:
    table = screen.table
    assert table is not None
    ply = table.ply
    await pilot.press(*move, "enter")
    await settled(pilot, f"{move} is played", lambda: screen.table is not None and screen.table.ply == ply + 1)


@pytest.mark.parametrize("game", GAMES)
async def test_both_players_move_in_turn_and_the_board_stays(game: str) -> None:
    async with hotseat(game) as (app, pilot):
        screen = await at_table(app, pilot)
        model = screen.model
        assert model is not None
        below, sides = model.below, []
        for _ in range(3):
            table = screen.table
            assert table is not None
            assert table.game is not None
            assert table.my_move
            sides.append(table.turn)
            assert f"{table.seats[table.turn].name} to move." in picture_of(app)  # type: ignore[union-attr]
            await play(app, pilot, screen, table.game.legal(table.state)[0])
            assert model.below == below
        assert len(set(sides)) == 2
        await pilot.press("x")
        assert model.below == 1 - below


async def test_result_names_the_winner_and_the_next_game_swaps_named_players() -> None:
    async with hotseat("cohcoh", "alice", "bob") as (app, pilot):
        screen = await at_table(app, pilot)
        assert "alice (white) to move." in picture_of(app)
        for move in LINE_OF_THREE:
            await play(app, pilot, screen, move)
        await settled(pilot, "the result is shown", lambda: "bob wins" in picture_of(app))
        assert "You" not in picture_of(app)
        await pilot.press("m")
        await settled(pilot, "the next game has started", lambda: "bob (white) to move." in picture_of(app))


async def test_draw_and_takeback_need_one_answer() -> None:
    async with hotseat("conga") as (app, pilot):
        screen = await at_table(app, pilot)
        await play(app, pilot, screen, "a4b4")
        await pilot.press("u", "ctrl+y")
        await settled(pilot, "the move is taken back", lambda: screen.table is not None and screen.table.ply == 0)
        await play(app, pilot, screen, "a4b4")
        await pilot.press("R", "n")
        await pilot.press("o", "ctrl+y")
        await settled(pilot, "the draw is shown", lambda: "A draw" in picture_of(app))
        room = screen.room
    assert app.farewell() == (
        f"Replay your game: parlour show {room} --private\nJudge its moves:  parlour review {room} --private"
    )


async def test_unfinished_game_is_resumed() -> None:
    async with hotseat("conga") as (app, pilot):
        screen = await at_table(app, pilot)
        await play(app, pilot, screen, "a4b4")
        await pilot.press("q")
        assert "You can resume it later." in picture_of(app)
        await pilot.press("ctrl+y")
    assert app.farewell() == "Your game is not over. Resume it: parlour play conga --hotseat"
    async with hotseat("conga", "alice", "bob") as (app, pilot):  # other players do not take over the game
        assert (await at_table(app, pilot)).table is not None
    async with hotseat("conga") as (app, pilot):
        await settled(pilot, "the question is there", lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        screen = await at_table(app, pilot)
        assert "red to move." in picture_of(app)
        assert screen.table is not None
        await play(app, pilot, screen, screen.table.game.legal(screen.table.state)[0])  # type: ignore[union-attr]
