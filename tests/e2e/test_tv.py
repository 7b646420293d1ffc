"""The TV and the lobby against a real server: they watch what they show, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.presentation.launch_plan import LaunchPlan
from client.sdk.session import Session
from client.tui.app.app import ParlourApp
from client.tui.render.appearance import Appearance
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.tv import NO_GAMES, TvScreen
from protocol.commands import Create, Join, List, Move, Resign
from tests.e2e.local_server import running_server, session, until
from tests.e2e.tui import client, settled
from tests.tui.offline_app import picture_of


async def start(first: Session, second: Session, game: str = "conga") -> str:
    made = await first.ask(Create(id=first.id(), game=game, seat=0))
    await second.ask(Join(id=second.id(), room=made.room))
    return made.room


async def watchers(observer: Session) -> dict[str, int]:
    found = await observer.ask(List(id=observer.id(), status="running"))
    return {info.room: info.watchers for info in found.rooms or ()}


async def test_tv_follows_games_from_their_start_to_their_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.tui.models.tv_places.RESULT_S", 0.0)
    async with running_server(tmp_path) as server, session(server.url, "bob") as bob, session(server.url, "eve") as eve:
        app = ParlourApp(LaunchPlan("tv", url=server.url, name="alice"), Appearance("mono"))
        try:
            async with app.run_test(size=(80, 24)) as pilot:
                await settled(pilot, "the TV waits", lambda: NO_GAMES in picture_of(app))
                first = await start(bob, eve)
                await settled(pilot, "the game appears", lambda: "move 0" in picture_of(app))
                await bob.ask(Move(id=bob.id(), room=first, ply=0, move="a4b4"))
                await settled(pilot, "the move is seen", lambda: "move 1" in picture_of(app))
                others = [await start(bob, eve) for _ in range(4)]
                await settled(pilot, "four games are shown", lambda: "4 of 5 live games" in picture_of(app))
                screen = app.screen
                assert isinstance(screen, TvScreen)
                assert first in screen.places.rooms
                await eve.ask(Resign(id=eve.id(), room=first))
                await settled(pilot, "the next one came", lambda: set(screen.places.rooms) == set(others))
                assert app.session is not None
                rooms = app.session.rooms
                await settled(pilot, "the ended one is forgotten", lambda: first not in rooms)
                assert await watchers(bob) == dict.fromkeys(others, 1)
        finally:
            await app.close()


async def test_lobby_watches_the_chosen_game_only(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "bob") as bob, session(server.url, "eve") as eve:
        rooms = [await start(bob, eve) for _ in range(3)]
        async with client(server.url, tmp_path) as (app, pilot):

            def chosen() -> str:
                row = app.screen.selected() if isinstance(app.screen, LobbyScreen) else None
                return "" if row is None else row.key

            await settled(pilot, "the lobby is filled", lambda: chosen() in rooms)
            for key in ("down", "up"):
                await settled(pilot, "the chosen game is shown", lambda: app.table(chosen()) is not None)
                before = chosen()
                await pilot.press(key)
                assert chosen() != before
                await settled(pilot, "the other game is forgotten", lambda: app.table(before) is None)  # noqa: B023

            async def only_the_chosen() -> bool:
                return await watchers(bob) == {room: int(room == chosen()) for room in rooms}

            await until("the chosen game is shown", lambda: app.table(chosen()) is not None)
            assert await only_the_chosen()
