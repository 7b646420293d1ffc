"""The form for a new game."""

from __future__ import annotations

from textual.widgets import Input, Select

from client.presentation.launch_plan import GameRequest
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import LobbyRooms
from tests.tui.offline_app import OfflineApp, picture_of


async def test_game_can_be_rated() -> None:
    app = OfflineApp()
    chosen: list[GameRequest | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        for stakes in ("casual", "rated"):
            await app.push_screen(NewGame(GameRequest("mancala", vs="greedy"), LobbyRooms()), chosen.append)
            app.screen.query_one("#stakes", Select).value = stakes
            app.screen.query_one("#clock", Input).value = "5+3"
            await pilot.press("ctrl+s")
    assert [request.rated for request in chosen if request is not None] == [False, True]


async def test_rated_game_needs_a_clock() -> None:
    app = OfflineApp()
    chosen: list[GameRequest | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(NewGame(GameRequest("mancala", rated=True), LobbyRooms()), chosen.append)
        await pilot.press("ctrl+s")
        assert "a rated game needs a clock, such as 5+3" in picture_of(app)
    assert chosen == []


async def test_options_depend_on_the_game() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(NewGame(GameRequest("conga"), LobbyRooms()))
        assert "default: stones=10 max_plies=400" in picture_of(app)
        for game, label in (("cohcoh", "default: n=4 k=3"), ("maxconnect4", "this game has none")):
            app.screen.query_one("#game", Select).value = game
            await pilot.pause()
            assert label in picture_of(app)


async def test_every_field_has_its_label_in_front() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(NewGame(GameRequest("mancala", vs="greedy"), LobbyRooms()))
        await pilot.pause()
        lines = [line.strip(" │").split() for line in picture_of(app).splitlines()]
        heads = [line[:2] for line in lines if line and line[0] in ("Game", "Opponent", "Side", "Stakes", "Clock")]
        assert heads == [["Game", "Mancala"], ["Opponent", "greedy"], ["Side", "Random"], ["Stakes", "Casual"],
                         ["Clock", "none"]]  # fmt: skip
