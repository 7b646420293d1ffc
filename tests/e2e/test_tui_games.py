"""Whole games at the terminal client against a real server: keys, clicks, typed moves, manners."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.presentation.launch_plan import GameRequest
from client.tui.dialogs.new_game import NewGame
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.wall import WallScreen
from engine.registry import GAMES
from protocol.commands import Create, Join, Move, Pair, Rematch, Resign
from protocol.types import Options
from tests.e2e.parlours import parlour, session
from tests.e2e.tui import at_table, by_arrows, by_clicking, by_typing, client, opponent, settled
from tests.tui.offline_app import picture_of

OPTIONS: dict[str, Options] = {"conga": {"stones": 3, "max_plies": 24}, "mancala": {"pits": 4, "stones": 2}}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


WAYS = {"conga": by_clicking, "mancala": by_arrows, "maxconnect4": by_clicking}  # in others moves are typed


@pytest.mark.parametrize("game", GAMES)
async def test_a_whole_game_of_each_kind(game: str, tmp_path: Path) -> None:
    request = GameRequest(game, OPTIONS.get(game, {}), seat=0, vs="bob")
    async with (
        parlour(tmp_path) as house,
        opponent(house.url),
        client(house.url, tmp_path, "play", request) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        while table.status == "running":
            if table.my_move and table.game is not None:
                ply = table.ply
                await WAYS.get(game, by_typing)(pilot, screen, table.game.legal(table.state)[-1])
                await settled(pilot, "the move is made", lambda: table.ply > ply or table.status == "ended")  # noqa: B023
            await settled(pilot, "it is our turn, or over", lambda: table.my_move or table.status == "ended")
        assert table.ply >= 3
        shown = picture_of(app)
        assert "m: rematch" in shown
        assert f"{table.ply:>3}" in shown
        await pilot.press("home")
        assert screen.model is not None
        assert screen.model.ply == 0
        await pilot.press("right", "right")
        assert screen.model.ply == 2
        await pilot.press("3", "enter")
        assert screen.model.ply == 3


async def test_illegal_and_unreadable_moves_cost_a_sentence(tmp_path: Path) -> None:
    request = GameRequest("conga", seat=0, vs="bob")
    async with (
        parlour(tmp_path) as house,
        opponent(house.url),
        client(house.url, tmp_path, "play", request) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        await pilot.press(*"a1a2", "enter")
        assert "a1a2 is not legal here" in picture_of(app)
        await pilot.press(*"99", "enter")
        assert "is not a move of conga" in picture_of(app)
        await pilot.press("a", "4", "backspace", "escape")
        assert screen.model is not None
        assert screen.model.typed == ""


async def test_looking_back_while_the_game_goes_on(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        made = await bob.ask(Create(id=bob.id(), game="maxconnect4", seat=0))
        await carol.ask(Join(id=carol.id(), room=made.room))
        async with client(house.url, tmp_path, "watch", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            for ply, (player, move) in enumerate([(bob, "1"), (carol, "2"), (bob, "3")]):
                await player.ask(Move(id=player.id(), room=made.room, ply=ply, move=move))
            await settled(pilot, "the moves are seen", lambda: screen.model and screen.model.ply == 3)
            await pilot.press("left", "left")
            await carol.ask(Move(id=carol.id(), room=made.room, ply=3, move="4"))
            await settled(pilot, "the move is here", lambda: screen.table and screen.table.ply == 4)
            assert screen.model is not None
            assert screen.model.ply == 1
            assert "move 1 of 4" in picture_of(app)
            await pilot.press("end")
            assert screen.model.ply == 4


async def test_from_the_lobby_to_a_game_against_a_bot(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, opponent(house.url, "robot"), client(house.url, tmp_path) as (app, pilot):
        await settled(pilot, "the lobby is there", lambda: isinstance(app.screen, LobbyScreen) and app.screen.lines)
        lobby = app.screen
        assert isinstance(lobby, LobbyScreen)
        await pilot.press(*"nobody has this name")
        assert lobby.lines == []
        await pilot.press("escape", *"robot", "enter")
        assert isinstance(app.screen, NewGame)
        await pilot.press("ctrl+s")
        screen = await at_table(app, pilot)
        assert screen.table is not None
        assert screen.table.opponent is not None
        assert screen.table.opponent.name == "robot"
        await pilot.press("q", "y")
        await settled(pilot, "we are back in the lobby", lambda: app.screen is lobby)


async def test_sitting_down_in_a_room_that_waits_and_quick_pairing(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        made = await bob.ask(Create(id=bob.id(), game="mancala", seat=0))
        async with client(house.url, tmp_path, "join", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert (screen.room, screen.table.seat) == (made.room, 1)
        await bob.ask(Resign(id=bob.id(), room=made.room))  # or alice would be asked whether she goes on with it
        await carol.ask(Pair(id=carol.id(), game="conga"))
        async with client(house.url, tmp_path) as (app, pilot):
            await settled(pilot, "the lobby is there", lambda: isinstance(app.screen, LobbyScreen) and app.screen.lines)
            await pilot.press(*"carol", "ctrl+p")
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert screen.table.opponent is not None
            assert screen.table.opponent.name == "carol"


async def test_watchers_go_along_to_the_rematch(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        made = await bob.ask(Create(id=bob.id(), game="conga", seat=0))
        await carol.ask(Join(id=carol.id(), room=made.room))
        async with client(house.url, tmp_path, "watch", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            await bob.ask(Resign(id=bob.id(), room=made.room))
            await carol.ask(Rematch(id=carol.id(), room=made.room))
            await bob.ask(Rematch(id=bob.id(), room=made.room))
            await settled(pilot, "the rematch is offered", lambda: "m: on to the rematch" in picture_of(app))
            await pilot.press("m")
            await settled(pilot, "the next game is shown", lambda: screen.room != made.room and screen.table)
            assert "carol - bob" in picture_of(app)


async def test_a_finished_game_is_found_and_played_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.tui.screens.table.AUTOPLAY_INTERVAL_S", 0.02)
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        made = await bob.ask(Create(id=bob.id(), game="cohcoh", seat=0))
        await carol.ask(Join(id=carol.id(), room=made.room))
        for ply, move in enumerate(("a1", "d4", "a2", "d3", "a3")):
            player = (bob, carol)[ply % 2]
            await player.ask(Move(id=player.id(), room=made.room, ply=ply, move=move))
        async with client(house.url, tmp_path) as (app, pilot):
            await settled(pilot, "the lobby is there", lambda: isinstance(app.screen, LobbyScreen) and app.screen.ready)
            await pilot.press("ctrl+r")
            await settled(pilot, "the game is listed", lambda: "1 finished game" in picture_of(app))
            await pilot.press("enter")
            screen = await at_table(app, pilot)
            assert screen.model is not None
            model = screen.model
            await pilot.press("home", "space")
            await settled(pilot, "it plays by itself", lambda: model.ply == 5)
            await pilot.press("x", "p")
            assert model.flipped
            assert app.appearance.theme == "safe"
            await pilot.press("q", "escape")
            await settled(pilot, "the lobby is back", lambda: "the lobby" in picture_of(app))


async def test_a_wall_goes_on_by_itself_and_opens_tables(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        rooms = []
        for game in ("conga", "mancala", "maxconnect4", "cohcoh"):
            made = await bob.ask(Create(id=bob.id(), game=game, seat=0))
            await carol.ask(Join(id=carol.id(), room=made.room))
            rooms.append(made.room)
        async with client(house.url, tmp_path, "watch", rooms=tuple(rooms)) as (app, pilot):
            await settled(pilot, "all boards hang", lambda: picture_of(app).count("bob - carol") == len(rooms))
            await bob.ask(Move(id=bob.id(), room=rooms[2], ply=0, move="4"))
            await settled(pilot, "the move is seen", lambda: "'R'" in picture_of(app))
            wall = app.screen
            assert isinstance(wall, WallScreen)
            await pilot.press("tab", "tab", "enter")
            screen = await at_table(app, pilot)
            assert screen.room == rooms[2]
            await pilot.press("q")
            await settled(pilot, "the wall is back", lambda: app.screen is wall)
            await carol.ask(Move(id=carol.id(), room=rooms[2], ply=1, move="4"))
            await settled(pilot, "the wall still goes on", lambda: "'G'" in picture_of(app))
            await pilot.press("question_mark")
            assert "The keys of a wall" in picture_of(app)
