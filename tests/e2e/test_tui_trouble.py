"""Problems in the terminal client: stopped servers, unfinished games, unknown rooms."""

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
from tests.e2e.local_server import running_server, session, until
from tests.e2e.tui import AsyncServer, at_table, client, opponent, settled
from tests.tui.offline_app import picture_of
from tests.waiting import TIMEOUT_S


async def test_board_stays_while_the_server_is_down(tmp_path: Path) -> None:
    request = GameRequest("conga", seat=0, vs="bob")
    async with running_server(tmp_path) as first:
        port = int(first.url.rpartition(":")[2].partition("/")[0])
        url = first.url
        app = ParlourApp(LaunchPlan("play", url=url, name="alice", request=request), Appearance())
    async with AsyncServer(tmp_path, port) as server:
        async with app.run_test(size=(100, 30)) as pilot, opponent(url):
            screen = await at_table(app, pilot)
            await server.stop()
            await settled(pilot, "the lost connection is shown", lambda: "reconnecting" in picture_of(app))
            assert "10" in picture_of(app)
            await pilot.press(*"a4b4", "enter")  # sent when the server is back
            await server.start()
            await settled(pilot, "bob has answered", lambda: screen.table and screen.table.ply >= 2)
            await settled(pilot, "the connection is back", lambda: "reconnecting" not in picture_of(app))
        await app.close()


async def test_unfinished_game_is_offered_again(tmp_path: Path) -> None:
    request = GameRequest("conga", seat=0, vs="bob")
    async with running_server(tmp_path) as server, opponent(server.url):
        async with client(server.url, tmp_path, "play", request) as (app, pilot):
            screen = await at_table(app, pilot)
            room = screen.room
            await pilot.press(*"a4b4", "enter")
            await settled(pilot, "bob has answered", lambda: screen.table and screen.table.ply == 2)
            await pilot.press("q", "ctrl+y")
            await until("the client has ended", lambda: app.return_code is not None)
        async with client(server.url, tmp_path, "play", request) as (app, pilot):
            await settled(pilot, "the game is offered", lambda: "after 2 moves" in picture_of(app))
            await pilot.press("y")
            screen = await at_table(app, pilot)
            assert screen.room == room
            assert screen.table is not None
            assert screen.table.seat == 0


async def test_unfinished_game_can_be_joined_by_room(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, opponent(server.url):
        async with client(server.url, tmp_path, "play", GameRequest("conga", seat=0, vs="bob")) as (app, pilot):
            room = (await at_table(app, pilot)).room
        async with client(server.url, tmp_path, "join", rooms=(room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert (screen.room, screen.table.seat) == (room, 0)


async def test_one_of_several_unfinished_games_is_chosen(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, opponent(server.url):
        rooms = []
        for game, answer in (("conga", ""), ("mancala", "n")):
            async with client(server.url, tmp_path, "play", GameRequest(game, seat=0, vs="bob")) as (app, pilot):
                if answer:
                    await settled(pilot, "a game is offered", lambda: "You have an unfinished game" in picture_of(app))
                    await pilot.press(answer)
                rooms.append((await at_table(app, pilot)).room)
        async with client(server.url, tmp_path) as (app, pilot):  # the lobby
            await settled(pilot, "both are offered", lambda: "You have 2 unfinished games" in picture_of(app))
            shown = picture_of(app)
            first = shown.index("Conga against bob") < shown.index("Mancala against bob")
            await pilot.press(*(["down"] if first else []), "enter")
            assert (await at_table(app, pilot)).room == rooms[1]


async def test_slow_connection_is_shown_while_it_is_slow(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        FaultProxy(server.url).open() as proxy,
        opponent(server.url),
        client(proxy.url, tmp_path, "play", GameRequest("conga", seat=0, vs="bob")) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        await until_fast(app)
        proxy.flows.clear()
        await pilot.press(*"a4b4", "enter")
        await settled(pilot, "it is shown before the reply", lambda: "slow connection: " in picture_of(app))
        assert screen.table is not None
        assert screen.table.ply == 0
        proxy.flows.set()
        await until_fast(app)
        assert screen.table.ply > 0


async def until_fast(app: ParlourApp) -> None:
    """Send commands until the warning disappears: the measured delay is an average."""
    assert app.session is not None
    async with asyncio.timeout(TIMEOUT_S):
        while "slow connection" in picture_of(app):
            await app.session.ask(List(id=app.session.id()))


@pytest.mark.parametrize(("mode", "rooms"), [("watch", ("nowhere",)), ("join", ("nowhere",))])
async def test_unknown_room_ends_with_a_message(mode: Mode, rooms: tuple[str, ...], tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, client(server.url, tmp_path, mode, rooms=rooms) as (app, _):
        await until("the client gives up", lambda: app.return_code is not None)
        assert app.return_value == "there is no room 'nowhere': check the name, or list the rooms"
        assert app.return_code == 2


async def test_unreachable_server_ends_with_a_message(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = server.url.replace("/ws", "/nothing")
        async with client(url, tmp_path) as (app, _):
            await until("the client gives up", lambda: app.return_code is not None)
            assert "there is no Parlour server at" in (app.return_value or "")


async def test_leaving_a_waiting_room_closes_it(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        async with client(server.url, tmp_path, "play", GameRequest("conga")) as (app, pilot):
            await settled(pilot, "the room waits", lambda: "Waiting for an opponent" in picture_of(app))
            await pilot.press("q", "ctrl+y")
        async with session(server.url, "bob") as bob:
            listed = await bob.ask(List(id=bob.id(), status="waiting"))
            assert listed.rooms == ()


async def test_leaving_as_a_watcher_leaves_no_coroutine_unawaited(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "bob") as bob:
        room = (await bob.ask(Create(id=bob.id(), game="conga"))).room
        async with client(server.url, tmp_path, "watch", rooms=(room,)) as (app, pilot):
            await settled(pilot, "the table is shown", lambda: "Waiting for an opponent" in picture_of(app))
            await pilot.press("q")
        gc.collect()  # warns about coroutines that were never awaited
