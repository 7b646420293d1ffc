"""The command palette: ctrl+p finds every action of a screen by its name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.command import CommandPalette

from client.tui.dialogs.help import Help
from client.tui.screens.base import BaseScreen
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table import TableScreen
from client.tui.screens.table_keys import TABLE_KEYS
from client.tui.screens.tv import TvScreen
from protocol.commands import Pair
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of
from tests.waiting import until


@pytest.mark.parametrize("key", [key for entry in TABLE_KEYS if entry.action != "arrow" for key in entry.keys])
def test_every_key_of_a_table_is_in_the_palette(key: str) -> None:
    entry = next(entry for entry in TABLE_KEYS if key in entry.keys)
    assert entry.name


async def test_action_of_a_table_is_found_by_its_name() -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(100, 30)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, CommandPalette)
        await until("all actions are listed", lambda: "Offer a draw" in picture_of(app))
        await pilot.press(*"offer a draw")
        await until("one action is left", lambda: "Resign" not in picture_of(app))
        await pilot.press("enter")
        await until("the palette is closed", lambda: app.screen is screen)
        await until("the question is asked", lambda: screen.question is not None)
        assert screen.question is not None
        assert screen.question.chip == "DRAW?"


async def test_escape_closes_the_palette_and_changes_nothing() -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.press("ctrl+p", "escape")
        await until("the palette is closed", lambda: app.screen is screen)
        assert app.sent == []


async def test_lobby_pairs_with_ctrl_f_and_opens_the_palette_with_ctrl_p() -> None:
    app = OfflineApp()
    async with app.run_test(size=(100, 30)) as pilot:
        await app.show(LobbyScreen())
        await pilot.press("ctrl+f")
        assert isinstance(app.sent[-1], Pair)  # without bots there is no choice
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, CommandPalette)
        await until("the actions are listed", lambda: "Find an opponent" in picture_of(app))


@pytest.mark.parametrize("screen", [LobbyScreen, RulesScreen, TvScreen, lambda: TableScreen("room")])
async def test_every_screen_has_actions_that_can_be_run(screen: Callable[[], BaseScreen]) -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(100, 30)) as pilot:
        shown = screen()
        await app.show(shown)
        await pilot.pause()
        assert shown.actions()
        names = [action.name for action in shown.actions()]
        assert len(set(names)) == len(names)


async def test_dialog_has_no_palette() -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("question_mark", "ctrl+p")
        assert isinstance(app.screen, Help)
