"""Whole games in the terminal client against a real server: keys, clicks and typed moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.presentation.launch_plan import GameRequest
from client.tui.dialogs.new_game import NewGame
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.tv import TvScreen
from engine.registry import GAMES
from protocol.commands import Create, Join, Move, Pair, Rematch, Resign
from protocol.types import Options
from tests.e2e.local_server import running_server, session
from tests.e2e.tui import at_table, by_arrows, by_clicking, by_typing, client, lobby_rows, opponent, settled
from tests.tui.offline_app import picture_of

OPTIONS: dict[str, Options] = {  # for short games
    "conga": {"stones": 3, "max_plies": 24},
    "mancala": {"pits": 4, "stones": 2},
    "maxconnect4": {"start": "0100200/0202100/0201121/0122221/2212111/2111221 1"},
}


INPUT_METHODS = {"conga": by_clicking, "mancala": by_arrows, "maxconnect4": by_clicking}  # typing in the other games


@pytest.mark.parametrize("game", GAMES)
async def test_game_is_played_with_keys_to_its_end(game: str, tmp_path: Path) -> None:
    request = GameRequest(game, OPTIONS.get(game, {}), seat=0, vs="bob")
    async with (
        running_server(tmp_path) as server,
        opponent(server.url),
        client(server.url, tmp_path, "play", request) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        while table.status == "running":
            if table.my_move and table.game is not None:
                ply = table.ply
                await INPUT_METHODS.get(game, by_typing)(pilot, screen, table.game.legal(table.state)[-1])
                await settled(pilot, "the move is made", lambda: table.ply > ply or table.status == "ended")  # noqa: B023
            await settled(pilot, "it is our turn or the game is over", lambda: table.my_move or table.status == "ended")
        assert table.ply >= 3
        shown = picture_of(app)
        assert "m rematch" in shown
        assert f"{table.ply:>3}" in shown
        await pilot.press("home")
        assert screen.model is not None
        assert screen.model.ply == 0
        await pilot.press("right", "right")
        assert screen.model.ply == 2
        await pilot.press("3", "enter")
        assert screen.model.ply == 3


async def test_illegal_and_unreadable_moves_show_a_message(tmp_path: Path) -> None:
    request = GameRequest("conga", seat=0, vs="bob")
    async with (
        running_server(tmp_path) as server,
        opponent(server.url),
        client(server.url, tmp_path, "play", request) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        await pilot.press(*"a1a2", "enter")
        assert "a1a2 is not a legal move. Try a4a3" in picture_of(app)
        await pilot.press(*"99", "enter")
        assert "99 is not a legal move. Try a4a3" in picture_of(app)
        await pilot.press("a", "4", "backspace", "escape")
        assert screen.model is not None
        assert screen.model.typed == ""


async def test_watcher_can_look_back_during_the_game(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "bob") as bob,
        session(server.url, "carol") as carol,
    ):
        made = await bob.ask(Create(id=bob.id(), game="maxconnect4", seat=0))
        await carol.ask(Join(id=carol.id(), room=made.room))
        async with client(server.url, tmp_path, "watch", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            for ply, (player, move) in enumerate([(bob, "1"), (carol, "2"), (bob, "3")]):
                await player.ask(Move(id=player.id(), room=made.room, ply=ply, move=move))
            await settled(pilot, "the moves are seen", lambda: screen.model and screen.model.ply == 3)
            await pilot.press("left", "left")
            await carol.ask(Move(id=carol.id(), room=made.room, ply=3, move="4"))
            await settled(pilot, "the move is here", lambda: screen.table and screen.table.ply == 4)
            assert screen.model is not None
            assert screen.model.ply == 1
            assert "Move 1 of 4" in picture_of(app)
            await pilot.press("end")
            assert screen.model.ply == 4


async def test_bot_can_be_challenged_from_the_lobby(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        opponent(server.url, "robot"),
        client(server.url, tmp_path) as (app, pilot),
    ):
        await settled(pilot, "the lobby is shown", lambda: lobby_rows(app))
        lobby = app.screen
        assert isinstance(lobby, LobbyScreen)
        await pilot.press(*"no such name")
        assert lobby.rows == []
        await pilot.press("escape", *"robot", "enter")
        assert isinstance(app.screen, NewGame)
        await pilot.press("ctrl+s")
        screen = await at_table(app, pilot)
        assert screen.table is not None
        assert screen.table.opponent is not None
        assert screen.table.opponent.name == "robot"
        await pilot.press("q", "ctrl+y")
        await settled(pilot, "we are back in the lobby", lambda: app.screen is lobby)


async def test_waiting_room_can_be_joined_and_players_are_paired(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "bob") as bob,
        session(server.url, "carol") as carol,
    ):
        made = await bob.ask(Create(id=bob.id(), game="mancala", seat=0))
        async with client(server.url, tmp_path, "join", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert (screen.room, screen.table.seat) == (made.room, 1)
        await bob.ask(Resign(id=bob.id(), room=made.room))  # otherwise the client would offer to resume it
        await carol.ask(Pair(id=carol.id(), game="conga"))
        async with client(server.url, tmp_path) as (app, pilot):
            await settled(pilot, "the lobby is shown", lambda: lobby_rows(app))
            await pilot.press(*"carol", "ctrl+f")
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert screen.table.opponent is not None
            assert screen.table.opponent.name == "carol"


async def test_watchers_follow_to_the_rematch(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "bob") as bob,
        session(server.url, "carol") as carol,
    ):
        made = await bob.ask(Create(id=bob.id(), game="conga", seat=0))
        await carol.ask(Join(id=carol.id(), room=made.room))
        async with client(server.url, tmp_path, "watch", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            await bob.ask(Resign(id=bob.id(), room=made.room))
            await carol.ask(Rematch(id=carol.id(), room=made.room))
            await bob.ask(Rematch(id=bob.id(), room=made.room))
            await settled(pilot, "the rematch is offered", lambda: "m follows them" in picture_of(app))
            await pilot.press("m")
            await settled(pilot, "the next game is shown", lambda: screen.room != made.room and screen.table)
            lines = picture_of(app).splitlines()
            assert next(n for n, line in enumerate(lines) if "carol" in line) < len(lines) // 2


async def test_finished_game_is_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.tui.screens.table.AUTOPLAY_INTERVAL_S", 0.02)
    async with (
        running_server(tmp_path) as server,
        session(server.url, "bob") as bob,
        session(server.url, "carol") as carol,
    ):
        made = await bob.ask(Create(id=bob.id(), game="cohcoh", seat=0))
        await carol.ask(Join(id=carol.id(), room=made.room))
        for ply, move in enumerate(("a1", "d4", "a2", "d3", "a3")):
            player = (bob, carol)[ply % 2]
            await player.ask(Move(id=player.id(), room=made.room, ply=ply, move=move))
        async with client(server.url, tmp_path) as (app, pilot):
            await settled(pilot, "the lobby is shown", lambda: isinstance(app.screen, LobbyScreen) and app.screen.ready)
            await pilot.press("ctrl+r")
            await settled(pilot, "the game is listed", lambda: "1 finished game" in picture_of(app))
            await pilot.press("enter")
            screen = await at_table(app, pilot)
            assert screen.model is not None
            model = screen.model
            await pilot.press("home", "space")
            await settled(pilot, "the game is replayed", lambda: model.ply == 5)
            await pilot.press("x", "p")
            assert model.turned
            assert app.appearance.theme == "light"
            await pilot.press("q", "escape")
            await settled(pilot, "the lobby is back", lambda: "Lobby" in picture_of(app))


async def test_tv_is_updated_and_opens_tables(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "bob") as bob,
        session(server.url, "carol") as carol,
    ):
        rooms = []
        for game in ("conga", "mancala", "maxconnect4", "cohcoh"):
            made = await bob.ask(Create(id=bob.id(), game=game, seat=0))
            await carol.ask(Join(id=carol.id(), room=made.room))
            rooms.append(made.room)
        async with client(server.url, tmp_path, "watch", rooms=tuple(rooms)) as (app, pilot):
            await settled(pilot, "all boards are shown", lambda: picture_of(app).count("move 0") == len(rooms))
            await bob.ask(Move(id=bob.id(), room=rooms[2], ply=0, move="4"))
            await settled(pilot, "the move is seen", lambda: "move 1" in picture_of(app))
            tv = app.screen
            assert isinstance(tv, TvScreen)
            await pilot.press("tab", "tab", "enter")
            screen = await at_table(app, pilot)
            assert screen.room == rooms[2]
            await pilot.press("q")
            await settled(pilot, "the TV is back", lambda: app.screen is tv)
            await carol.ask(Move(id=carol.id(), room=rooms[2], ply=1, move="4"))
            await settled(pilot, "the TV is still updated", lambda: "move 2" in picture_of(app))
            await pilot.press("question_mark")
            assert "Keys for several games" in picture_of(app)
