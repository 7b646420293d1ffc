"""Trouble at the terminal client: servers that die, games that were left, rooms that are not there."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from client.presentation.launch_plan import GameRequest, LaunchPlan, Mode
from client.tui.app.app import ParlourApp
from client.tui.render.appearance import Appearance
from protocol.commands import Create, List
from tests.e2e.faults import FaultProxy
from tests.e2e.parlours import parlour, session, until
from tests.e2e.tui import AsyncServer, at_table, client, opponent, settled
from tests.tui.offline_app import picture_of


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_a_server_that_dies_leaves_the_board_and_comes_back(tmp_path: Path) -> None:
    request = GameRequest("conga", seat=0, vs="bob")
    async with parlour(tmp_path) as house:
        port = int(house.url.rpartition(":")[2].partition("/")[0])
        url = house.url
        app = ParlourApp(LaunchPlan("play", url=url, name="alice", request=request), Appearance())
    async with AsyncServer(tmp_path, port) as server:
        async with app.run_test(size=(100, 30)) as pilot, opponent(url):
            screen = await at_table(app, pilot)
            await server.stop()
            await settled(pilot, "the trouble is shown", lambda: "reconnecting" in picture_of(app))
            assert "b10" in picture_of(app)
            await pilot.press(*"a4b4", "enter")  # sent when the server is back
            await server.start()
            await settled(pilot, "bob has answered", lambda: screen.table and screen.table.ply >= 2)
            await settled(pilot, "all is well", lambda: "reconnecting" not in picture_of(app))
        await app.close()


async def test_an_unfinished_game_is_offered_again(tmp_path: Path) -> None:
    request = GameRequest("conga", seat=0, vs="bob")
    async with parlour(tmp_path) as house, opponent(house.url):
        async with client(house.url, tmp_path, "play", request) as (app, pilot):
            screen = await at_table(app, pilot)
            room = screen.room
            await pilot.press(*"a4b4", "enter")
            await settled(pilot, "bob has answered", lambda: screen.table and screen.table.ply == 2)
            await pilot.press("q", "y")
            await until("the client has ended", lambda: app.return_code is not None)
        async with client(house.url, tmp_path, "play", request) as (app, pilot):
            await settled(pilot, "the game is offered", lambda: "after 2 moves" in picture_of(app))
            await pilot.press("y")
            screen = await at_table(app, pilot)
            assert screen.room == room
            assert screen.table is not None
            assert screen.table.seat == 0


async def test_the_room_of_an_unfinished_game_can_be_named(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, opponent(house.url):
        async with client(house.url, tmp_path, "play", GameRequest("conga", seat=0, vs="bob")) as (app, pilot):
            room = (await at_table(app, pilot)).room
        async with client(house.url, tmp_path, "join", rooms=(room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert (screen.room, screen.table.seat) == (room, 0)


async def test_of_several_unfinished_games_one_is_chosen(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, opponent(house.url):
        rooms = []
        for game, answer in (("conga", ""), ("mancala", "n")):
            async with client(house.url, tmp_path, "play", GameRequest(game, seat=0, vs="bob")) as (app, pilot):
                if answer:
                    await settled(pilot, "a game is offered", lambda: "You left a game" in picture_of(app))
                    await pilot.press(answer)
                rooms.append((await at_table(app, pilot)).room)
        async with client(house.url, tmp_path) as (app, pilot):  # the lobby
            await settled(pilot, "both are offered", lambda: "You left 2 games" in picture_of(app))
            shown = picture_of(app)
            first = shown.index("Conga against bob") < shown.index("Mancala against bob")
            await pilot.press(*(["down"] if first else []), "enter")
            assert (await at_table(app, pilot)).room == rooms[1]


async def test_a_slow_connection_is_told_about_as_long_as_it_is_slow(tmp_path: Path) -> None:
    async with (
        parlour(tmp_path) as house,
        FaultProxy(house.url).open() as proxy,
        opponent(house.url),
        client(proxy.url, tmp_path, "play", GameRequest("conga", seat=0, vs="bob")) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        await all_is_well(app)
        proxy.flows.clear()
        await pilot.press(*"a4b4", "enter")
        await settled(pilot, "it is seen before there is an answer", lambda: "slow connection: " in picture_of(app))
        assert screen.table is not None
        assert screen.table.ply == 0
        proxy.flows.set()
        await all_is_well(app)
        assert screen.table.ply > 0


async def all_is_well(app: ParlourApp) -> None:
    """Answers are quick, and it shows: a late one counts less with every other one."""
    assert app.session is not None
    async with asyncio.timeout(20):
        while "slow connection" in picture_of(app):
            await app.session.ask(List(id=app.session.id()))


@pytest.mark.parametrize(("mode", "rooms"), [("watch", ("nowhere",)), ("join", ("nowhere",))])
async def test_a_room_that_is_not_there_ends_with_a_sentence(
    mode: Mode, rooms: tuple[str, ...], tmp_path: Path
) -> None:
    async with parlour(tmp_path) as house, client(house.url, tmp_path, mode, rooms=rooms) as (app, _):
        await until("the client gives up", lambda: app.return_code is not None)
        assert app.return_value == "there is no room 'nowhere'"
        assert app.return_code == 2


async def test_no_server_ends_with_a_sentence(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:
        url = house.url.replace("/ws", "/nothing")
        async with client(url, tmp_path) as (app, _):
            await until("the client gives up", lambda: app.return_code is not None)
            assert "there is no Parlour server at" in (app.return_value or "")


async def test_a_room_that_waits_is_closed_by_who_leaves_it(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:
        async with client(house.url, tmp_path, "play", GameRequest("conga")) as (app, pilot):
            await settled(pilot, "the room waits", lambda: "waiting for an opponent" in picture_of(app))
            await pilot.press("q", "y")
        async with session(house.url, "bob") as bob:
            listed = await bob.ask(List(id=bob.id(), status="waiting"))
            assert listed.rooms == ()


async def test_nothing_is_begun_and_left_undone_when_a_watcher_leaves(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob:
        room = (await bob.ask(Create(id=bob.id(), game="conga"))).room
        async with client(house.url, tmp_path, "watch", rooms=(room,)) as (app, pilot):
            await settled(pilot, "the table is there", lambda: "waiting for an opponent" in picture_of(app))
            await pilot.press("q")
        gc.collect()  # what was never awaited is told of now
