"""The page for a new game: what is chosen there is what is asked for."""

from __future__ import annotations

from textual.widgets import Select

from client.presentation.launch_plan import BOT_AFTER_MS, GameRequest
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import LobbyRooms
from protocol.commands import Pair
from tests.tui.offline_app import OfflineApp, picture_of


async def test_a_game_can_be_made_to_count() -> None:
    app = OfflineApp()
    chosen: list[GameRequest | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        for stakes in ("casual", "rated"):
            await app.push_screen(NewGame(GameRequest("mancala", vs="greedy"), LobbyRooms()), chosen.append)
            app.screen.query_one("#stakes", Select).value = stakes
            await pilot.press("ctrl+s")
    assert [request.rated for request in chosen if request is not None] == [False, True]


def test_whoever_is_alone_does_not_wait_for_a_bot() -> None:
    request = GameRequest("conga", pair=True, bot_after=BOT_AFTER_MS)
    assert request.command(1) == Pair(id=1, game="conga", bot_after=BOT_AFTER_MS)
    assert request.command(1, alone=True) == Pair(id=1, game="conga", bot_after=0)


async def test_the_options_are_those_of_the_game() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(NewGame(GameRequest("conga"), LobbyRooms()))
        assert "options, like stones=10 max_plies=400" in picture_of(app)
        for game, label in (("cohcoh", "options, like n=4 k=3"), ("maxconnect4", "it has no options")):
            app.screen.query_one("#game", Select).value = game
            await pilot.pause()
            assert label in picture_of(app)
