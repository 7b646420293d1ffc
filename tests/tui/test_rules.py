"""The rules in the terminal: opening, other games, scrolling, and figures that fit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.events import MouseScrollDown

from client.presentation.rules.chapter import Figure, load_chapter
from client.tui.render.appearance import Appearance
from client.tui.render.bars import tab_at
from client.tui.screens.base import BaseScreen
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table import TableScreen
from client.tui.screens.tv import TvScreen
from client.tui.widgets.bars import Footer, Tabs
from client.tui.widgets.rules_page import Layout, marks_of
from engine.registry import GAMES
from tests.tui.lobby_samples import lobby_update
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of

LOOKS = [Appearance("dark"), Appearance("safe"), Appearance("mono"), Appearance("mono", ascii_only=True)]


OPENERS: dict[str, Callable[[], BaseScreen]] = {
    "table": lambda: TableScreen("room"),
    "lobby": LobbyScreen,
    "wall": lambda: TvScreen(("room", "other")),
}


@pytest.mark.parametrize("name", OPENERS)
async def test_f1_opens_the_rules_and_a_key_returns(name: str) -> None:
    app = OfflineApp(snapshot_of("mancala"), snapshot_of("mancala", room="other"))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = OPENERS[name]()
        await app.show(screen)
        sent = len(app.sent)
        for back in ("escape", "q", "f1"):
            await pilot.press("f1")
            assert isinstance(app.screen, RulesScreen)
            await pilot.press(back)
            assert app.screen is screen
        assert len(app.sent) == sent


async def test_table_opens_the_rules_of_its_game() -> None:
    app = OfflineApp(snapshot_of("mancala"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(app.screen, RulesScreen)
        assert app.screen.game == "mancala"
        assert "Sow stones around the board" in picture_of(app)
        assert "Your game: pits 6, stones 4, rules course." in picture_of(app)


async def test_lobby_opens_the_rules_of_the_selected_game() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        lobby = LobbyScreen()
        await app.show(lobby)
        app.deliver(lobby_update())
        await pilot.pause()
        row = next(number for number, row in enumerate(lobby.rows) if row.room and row.room.game != next(iter(GAMES)))
        await pilot.press(*["down"] * row, "f1")
        selected = lobby.rows[row].room
        assert isinstance(app.screen, RulesScreen)
        assert selected is not None
        assert app.screen.game == selected.game


async def test_unknown_game_shows_the_first_one() -> None:
    assert RulesScreen("chess").game == next(iter(GAMES))


async def test_arrows_and_clicks_switch_to_other_games() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = RulesScreen("conga")
        await app.show(screen)
        seen = []
        for _ in GAMES:
            await pilot.press("right")
            seen.append(screen.game)
        assert seen == [*list(GAMES)[1:], "conga"]
        await pilot.press("left")
        assert screen.game == list(GAMES)[-1]
        titles = tuple(game.title for game in GAMES.values())
        x = next(x for x in range(80) if tab_at(titles, x) == 1)
        await pilot.click(Tabs, offset=(x, 0))
        await pilot.pause()
        assert screen.game == "mancala"
        assert "Rules  ·  Mancala" in picture_of(app)
        await pilot.click(Tabs, offset=(79, 0))
        assert screen.game == "mancala"


async def test_keys_and_wheel_scroll_and_another_game_starts_at_its_top() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = RulesScreen("conga")
        await app.show(screen)
        await pilot.pause()
        page, footer = screen.page, screen.query_one(Footer)
        assert footer.status.tail == "more below"
        await pilot.press("down", "down", "up")
        assert page.scroll_offset.y == 1
        await pilot.press("pagedown")
        assert page.scroll_offset.y > 10
        await pilot.press("pageup", "up", "up")
        assert page.scroll_offset.y == 0
        page._on_mouse_scroll_down(MouseScrollDown(page, 1, 1, 0, 1, 0, False, False, False))
        await pilot.pause()
        assert page.scroll_target_y > 0
        await pilot.press("end")
        await pilot.pause()
        assert not page.has_more
        assert footer.status.tail == ""
        assert "begin" in picture_of(app)
        await pilot.press("right")
        await pilot.pause()
        assert page.scroll_offset.y == 0
        assert "Sow stones" in picture_of(app)


async def test_theme_changes_on_the_page_and_on_the_table_below() -> None:
    app = OfflineApp(snapshot_of("conga"), appearance=Appearance("safe"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("f1")
        await pilot.pause()
        assert "{" not in picture_of(app)
        await pilot.press("p")
        await pilot.pause()
        assert app.appearance.theme == "mono"
        assert "{●10}" in picture_of(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "●10" in picture_of(app)


async def test_lost_connection_is_shown() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(RulesScreen())
        await pilot.pause()
        app._set_connection("Reconnecting.")
        await pilot.pause()
        assert "Reconnecting." in picture_of(app)


async def test_ascii_page_has_only_ascii_characters() -> None:
    for game in GAMES:
        app = OfflineApp(appearance=Appearance("mono", ascii_only=True))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.show(RulesScreen(game))
            await pilot.pause()
            assert picture_of(app).isascii()


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.theme}-{look.ascii_only}")
@pytest.mark.parametrize("game", GAMES)
def test_lines_fit_into_the_width(game: str, look: Appearance) -> None:
    for width, height in ((79, 17), (99, 23), (119, 33), (200, 60)):
        for line in Layout(load_chapter(game), width, height, look):
            assert sum(segment.cell_length for segment in line) <= width


@pytest.mark.parametrize("game", GAMES)
def test_every_figure_has_marks(game: str) -> None:
    for block in load_chapter(game).blocks:
        if isinstance(block, Figure):
            marks = marks_of(block)
            assert marks.picked or marks.targets or marks.preview or marks.last or marks.decisive
