"""The keys of the lobby: create, join and watch rooms, challenge bots."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Select, Static

from client.tui.dialogs.help import Help
from client.tui.dialogs.new_game import NewGame
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.wall import WallScreen
from protocol.commands import Command, Create, History, Join, Lobby, Watch
from protocol.replies import Invited, LobbyUpdate
from tests.tui.lobby_samples import lobby_update, room
from tests.tui.offline_app import OfflineApp, picture_of


@asynccontextmanager
async def lobby() -> AsyncIterator[tuple[OfflineApp, Pilot[str]]]:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(LobbyScreen())
        app.deliver(lobby_update())
        await pilot.pause()
        app.sent.clear()
        yield app, pilot


def commands(app: OfflineApp) -> list[Command]:
    return [command for command in app.sent if not isinstance(command, Lobby)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([*"alice", "enter"], Join(id=0, room="r1")),
        ([*"alice", "ctrl+o"], Watch(id=0, room="r1")),
        ([*"carol", "enter"], Watch(id=0, room="r3")),
        (["down", "enter"], Join(id=0, room="r1")),
        (["ctrl+r"], History(id=0, limit=100)),
    ],
)
async def test_keys_act_on_the_selected_row(keys: list[str], expected: Command) -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*keys)
        await pilot.pause()
        (command,) = commands(app)
        assert type(command) is type(expected)
        assert getattr(command, "room", "") == getattr(expected, "room", "")


async def test_title_counts_rooms_and_bots() -> None:
    async with lobby() as (app, pilot):
        for words, title in (("erin", "1 room, 0 bots"), ("greedy", "1 room, 1 bot"), ("", "5 rooms, 2 bots")):
            app.screen.query_one(Input).value = words
            await pilot.pause()
            assert picture_of(app).startswith(f"  Parlour  ·  Lobby  ·  {title}\n")


def error_of(dialog: Screen[object]) -> str:
    return str(dialog.query_one("#wrong", Static).content)


async def test_new_game_form_is_checked_and_sent() -> None:
    async with lobby() as (app, pilot):
        await pilot.press("ctrl+n")
        dialog = app.screen
        assert isinstance(dialog, NewGame)
        dialog.query_one("#game", Select).value = "mancala"
        await pilot.pause()
        dialog.query_one("#vs", Select).value = "greedy"
        dialog.query_one("#seat", Select).value = "1"
        for text, complaint in (("soon", "is not a valid clock"), ("5+3", "write NAME=VALUE"), ("5+3", "pits")):
            dialog.query_one("#clock", Input).value = text
            dialog.query_one("#options", Input).value = {"is not a valid clock": "", "pits": "pits=99"}.get(
                complaint, "pits"
            )
            await pilot.press("ctrl+s")
            assert app.screen is dialog
            assert complaint in error_of(dialog)
        dialog.query_one("#options", Input).value = "pits=5"
        await pilot.press("ctrl+s")
        await pilot.pause()
        (made,) = commands(app)
        assert isinstance(made, Create)
        assert (made.game, made.invite, made.seat, str(made.options["pits"])) == ("mancala", "greedy", 1, "5")
        assert made.clock.base == 300_000


async def test_bot_is_challenged_and_running_games_are_watched() -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*"greedy bot", "enter")
        assert isinstance(app.screen, NewGame)
        assert app.screen.query_one("#vs", Select).value == "greedy"
        await pilot.press("escape")
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert isinstance(app.screen, WallScreen)
        app.deliver(lobby_update())
        app.screen.flush()
        assert app.screen.places.rooms == ["r3"]


async def test_progress_is_updated() -> None:
    async with lobby() as (app, pilot):
        assert "move 7 " in picture_of(app)
        app.deliver(LobbyUpdate(rooms=(), plies={"r3": 12, "unknown room": 3}))
        await pilot.pause()
        assert "move 12 " in picture_of(app)


async def test_help_and_quitting() -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*"conga", "question_mark")
        await pilot.pause()
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        assert app.screen.query_one("#filter", Input).value == "conga"
        await pilot.press("escape")
        assert app.return_code is None
        await pilot.press("escape")
        await pilot.pause()
        assert app.return_code == 0


async def test_invitation_that_came_before_the_lobby_is_shown_in_it() -> None:
    app = OfflineApp()
    async with app.run_test(size=(100, 30)) as pilot:
        app.deliver(Invited(by="spring cup", room=room("r7", "conga", "", "")))
        await app.show(LobbyScreen())
        await pilot.pause()
        assert "spring cup invites you to Conga in room r7: select it and press enter" in picture_of(app)
