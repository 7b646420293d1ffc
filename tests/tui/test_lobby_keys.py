"""The keys of the lobby: rooms are made, joined, watched; bots are challenged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select

from client.tui.dialogs.help import Help
from client.tui.dialogs.new_game import NewGame
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.wall import WallScreen
from protocol.commands import Command, Create, History, Join, Lobby, Watch
from protocol.replies import LobbyUpdate
from tests.tui.lobby_samples import news, room
from tests.tui.offline_app import OfflineApp, picture_of


@asynccontextmanager
async def lobby() -> AsyncIterator[tuple[OfflineApp, Pilot[str]]]:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(LobbyScreen())
        app.deliver(news())
        await pilot.pause()
        app.sent.clear()
        yield app, pilot


def written(app: OfflineApp) -> list[Command]:
    return [order for order in app.sent if not isinstance(order, Lobby)]


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
async def test_what_enter_does_depends_on_the_line(keys: list[str], expected: Command) -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*keys)
        await pilot.pause()
        (order,) = written(app)
        assert type(order) is type(expected)
        assert getattr(order, "room", "") == getattr(expected, "room", "")


async def test_one_room_is_a_room() -> None:
    async with lobby() as (app, pilot):
        for words, title in (("erin", "1 room, 0 bots"), ("greedy", "1 room, 1 bot"), ("", "5 rooms, 2 bots")):
            app.screen.query_one(Input).value = words
            await pilot.pause()
            assert picture_of(app).startswith(f" Parlour: the lobby, {title}\n")


async def test_a_game_is_made_with_everything_that_was_chosen() -> None:
    async with lobby() as (app, pilot):
        await pilot.press("ctrl+n")
        dialog = app.screen
        assert isinstance(dialog, NewGame)
        dialog.query_one("#game", Select).value = "mancala"
        await pilot.pause()
        dialog.query_one("#vs", Select).value = "greedy"
        dialog.query_one("#seat", Select).value = "1"
        for text, complaint in (("soon", "is not a valid clock"), ("5+3", "written NAME=VALUE"), ("5+3", "pits")):
            dialog.query_one("#clock", Input).value = text
            dialog.query_one("#options", Input).value = {"is not a valid clock": "", "pits": "pits=99"}.get(
                complaint, "pits"
            )
            await pilot.press("ctrl+s")
            assert app.screen is dialog
            assert complaint in " ".join(picture_of(app).split())
        dialog.query_one("#options", Input).value = "pits=5"
        await pilot.press("ctrl+s")
        await pilot.pause()
        (made,) = written(app)
        assert isinstance(made, Create)
        assert (made.game, made.invite, made.seat, str(made.options["pits"])) == ("mancala", "greedy", 1, "5")
        assert made.clock.base == 300_000


async def test_a_bot_is_challenged_and_a_wall_is_hung() -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*"greedy bot", "enter")
        assert isinstance(app.screen, NewGame)
        assert app.screen.query_one("#vs", Select).value == "greedy"
        await pilot.press("escape")
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert [order.room for order in written(app) if isinstance(order, Watch)] == ["r3"]
        await pilot.press("escape")
        app.deliver(LobbyUpdate(rooms=(room("r1", "conga", "alice", "bob", status="running"),)))
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert isinstance(app.screen, WallScreen)
        assert set(app.screen.rooms) == {"r1", "r3"}


async def test_games_go_on_while_somebody_looks() -> None:
    async with lobby() as (app, pilot):
        assert "move 7 " in picture_of(app)
        app.deliver(LobbyUpdate(rooms=(), plies={"r3": 12, "of another list": 3}))
        await pilot.pause()
        assert "move 12 " in picture_of(app)


async def test_the_page_of_keys_and_the_way_out() -> None:
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
