"""Large clocks: where they are drawn, and how they look."""

from __future__ import annotations

from typing import Any

import pytest

from client.sdk.time_control import parse_time_control
from client.tui.render.appearance import Appearance
from client.tui.render.digits import DIGITS, big_clock
from client.tui.screens.table import TableScreen
from client.tui.widgets.board_view import BoardView
from engine.registry import GAMES
from tests.tui.offline_app import OfflineApp, snapshot_of

CLOCK: dict[str, Any] = {"clock": parse_time_control("5+3"), "left": (230_000, 187_000)}


def test_every_character_of_a_clock_has_a_picture() -> None:
    assert set("0123456789:.") == set(DIGITS)
    for lines in DIGITS.values():
        assert len(lines) == 5
        assert len({len(line) for line in lines}) == 1


def test_clock_without_colours_is_drawn_with_blocks() -> None:
    lines = big_clock("1:07", 1, 3, True, False, Appearance("mono"))
    assert ["".join(segment.text for segment in line).rstrip() for line in lines] == [
        "   ▄    ▄▄▄ ▄▄▄",
        "  ▀█  ▀ █ █   █",
        "  ▄█▄ ▀ █▄█   █",
    ]


@pytest.mark.parametrize(
    ("size", "appearance", "big"),
    [
        ((120, 40), Appearance("dark"), True),
        ((120, 40), Appearance("mono"), True),
        ((120, 40), Appearance("mono", ascii_only=True), False),
        ((100, 30), Appearance("dark"), False),
    ],
)
async def test_large_clocks_need_a_large_terminal(size: tuple[int, int], appearance: Appearance, big: bool) -> None:
    app = OfflineApp(snapshot_of("conga", **CLOCK), appearance=appearance)
    async with app.run_test(size=size) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        assert app.screen.query_one(BoardView).has_big_clocks == big


async def test_game_without_a_clock_has_no_large_one() -> None:
    app = OfflineApp(snapshot_of("conga"), appearance=Appearance("dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        assert not app.screen.query_one(BoardView).has_big_clocks


@pytest.mark.parametrize("game", GAMES)
async def test_large_terminal_is_filled(game: str) -> None:
    app = OfflineApp(snapshot_of(game, **CLOCK), appearance=Appearance("dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        board, panel = app.screen.query_one("#board"), app.screen.query_one("#panel")
        columns = max(board.region.right, panel.region.right) - board.region.x
        assert columns >= 0.9 * 120
        rows = board.region.height + (panel.region.height if game == "mancala" else 0)
        assert rows >= 0.9 * 37


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)])
async def test_board_and_panel_do_not_touch(game: str, size: tuple[int, int]) -> None:
    app = OfflineApp(snapshot_of(game, **CLOCK), appearance=Appearance("dark"))
    async with app.run_test(size=size) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        board, panel = app.screen.query_one("#board").region, app.screen.query_one("#panel").region
        assert not board.overlaps(panel)
        picture = app.screen.query_one(BoardView).picture()
        assert picture is not None
        left, top = app.screen.query_one(BoardView).offset_of(picture)
        gap = panel.y - (board.y + top + picture.rows) if game == "mancala" else panel.x - (left + picture.columns)
        assert gap >= 1
