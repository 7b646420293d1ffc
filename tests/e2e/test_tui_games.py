"""Whole games at the terminal client against a real server: keys, clicks, typed moves; trouble and manners."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from client.session import Session
from client.tui.app import Parlour
from client.tui.board_view import BoardView
from client.tui.lobby_screen import LobbyScreen
from client.tui.looks import Looks
from client.tui.new_game import NewGame
from client.tui.plan import Errand, Plan, Wish
from client.tui.table_screen import TableScreen
from client.tui.wall_screen import WallScreen
from engine.registry import GAMES
from protocol import messages as m
from protocol.messages import Options
from tests.e2e.parlours import parlour, session, until
from tests.tui.still import picture_of

OPTIONS: dict[str, Options] = {"conga": {"stones": 3, "max_plies": 24}, "mancala": {"pits": 4, "stones": 2}}


@asynccontextmanager
async def client(
    url: str, folder: Path, errand: Errand = "lobby", wish: Wish | None = None, rooms: tuple[str, ...] = ()
) -> AsyncIterator[tuple[Parlour, Pilot[str]]]:
    """The client in a terminal that nobody sees."""
    app = Parlour(Plan(errand, url=url, name="alice", wish=wish, rooms=rooms), Looks())
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            yield app, pilot
    finally:
        await app.close()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Opponent:
    """Somebody who is invited, sits down and plays the first move there is, whenever it is their turn."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.plays = True
        self._task = asyncio.create_task(self._live())

    async def _live(self) -> None:
        async for happening in self.session:
            if isinstance(happening, m.Invited):
                await self.session.ask(m.Join(id=self.session.id(), room=happening.room.room))
            room = getattr(happening, "room", "")
            table = self.session.tables.get(room) if isinstance(room, str) else None
            if table is not None and table.my_move and table.game is not None and self.plays:
                move = table.game.legal(table.state)[0]
                await self.session.ask(m.Move(id=self.session.id(), room=room, ply=table.ply, move=move))

    async def close(self) -> None:
        await self.session.close()
        await asyncio.gather(self._task, return_exceptions=True)


@asynccontextmanager
async def opponent(url: str, name: str = "bob", plays: tuple[str, ...] = tuple(GAMES)) -> AsyncIterator[Opponent]:
    other = session(url, name, plays=plays)
    await other.open()
    player = Opponent(other)
    try:
        yield player
    finally:
        await player.close()


async def settled(pilot: Pilot[str], what: str, condition: Callable[[], object]) -> None:
    await until(what, condition)
    await pilot.pause()


async def at_table(app: Parlour, pilot: Pilot[str]) -> TableScreen:
    await settled(pilot, "the table is there", lambda: isinstance(app.screen, TableScreen) and app.screen.table)
    screen = app.screen
    assert isinstance(screen, TableScreen)
    await settled(pilot, "the game has begun", lambda: screen.table and screen.table.status != "waiting")
    return screen


async def by_typing(pilot: Pilot[str], screen: TableScreen, text: str) -> None:
    await pilot.press(*text, "enter")


async def by_clicking(pilot: Pilot[str], screen: TableScreen, text: str) -> None:
    """Click on the cells of the move's path, wherever they are on the screen."""
    table, view = screen.table, screen.query_one(BoardView)
    assert table is not None
    assert table.game is not None
    for name in table.game.path(table.state, table.game.parse(table.state, text)):
        width, height = view.size
        place = next((x, y) for y in range(height) for x in range(0, width, 3) if view.cell_at(x, y) == name)
        await pilot.click(view, offset=place)


async def by_arrows(pilot: Pilot[str], screen: TableScreen, text: str) -> None:
    table, play = screen.table, screen.play
    assert table is not None
    assert table.game is not None
    assert play is not None
    for name in table.game.path(table.state, table.game.parse(table.state, text)):
        for _ in range(200):
            if play.cursor == name:
                break
            await pilot.press(await towards(screen, name))
        await pilot.press("enter")


async def towards(screen: TableScreen, name: str) -> str:
    """The key that brings the cursor nearer: the right row first."""
    play = screen.play
    assert play is not None
    places = {cell.name: (y, x) for y, row in enumerate(play.board().rows) for x, cell in enumerate(row) if cell}
    here, there = places.get(play.cursor or "", (-1, -1)), places[name]
    return "down" if here[0] != there[0] else "right"


WAYS = {"conga": by_clicking, "mancala": by_arrows, "maxconnect4": by_clicking, "cohcoh": by_typing}


@pytest.mark.parametrize("game", GAMES)
async def test_a_whole_game_of_each_kind(game: str, tmp_path: Path) -> None:
    wish = Wish(game, OPTIONS.get(game, {}), seat=0, vs="bob")
    async with (
        parlour(tmp_path) as house,
        opponent(house.url),
        client(house.url, tmp_path, "play", wish) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        while table.status == "running":
            if table.my_move and table.game is not None:
                ply = table.ply
                await WAYS[game](pilot, screen, table.game.legal(table.state)[-1])
                await settled(pilot, "the move is made", lambda: table.ply > ply or table.status == "ended")  # noqa: B023
            await settled(pilot, "it is our turn, or over", lambda: table.my_move or table.status == "ended")
        assert table.ply > 4
        shown = picture_of(app)
        assert "m: rematch" in shown
        assert f"{table.ply:>3}" in shown
        await pilot.press("home")
        assert screen.play is not None
        assert screen.play.ply == 0
        await pilot.press("right", "right")
        assert screen.play.ply == 2
        await pilot.press("3", "enter")
        assert screen.play.ply == 3


async def test_illegal_and_unreadable_moves_cost_a_sentence(tmp_path: Path) -> None:
    wish = Wish("conga", seat=0, vs="bob")
    async with (
        parlour(tmp_path) as house,
        opponent(house.url),
        client(house.url, tmp_path, "play", wish) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        await pilot.press(*"a1a2", "enter")
        assert "a1a2 is not legal here" in picture_of(app)
        await pilot.press(*"99", "enter")
        assert "is not a move of conga" in picture_of(app)
        await pilot.press("a", "4", "backspace", "escape")
        assert screen.play is not None
        assert screen.play.typed == ""


async def test_premove_talk_resignation_and_rematch(tmp_path: Path) -> None:
    wish = Wish("cohcoh", seat=1, vs="bob")
    async with (
        parlour(tmp_path) as house,
        opponent(house.url) as bob,
        client(house.url, tmp_path, "play", wish) as (app, pilot),
    ):
        bob.plays = False
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        if not table.moves:  # bob may have been quicker than we
            await pilot.press(*"d4", "enter")
            assert "d4 will be played" in picture_of(app)
            await bob.session.ask(m.Move(id=bob.session.id(), room=screen.room, ply=0, move="a1"))
            await settled(pilot, "the premove is played", lambda: table.ply == 2)
            assert table.moves[1].move == "d4"
        await pilot.press("t", *"hi bob", "enter")
        await settled(pilot, "it was said", lambda: "alice: hi bob" in picture_of(app))
        await pilot.press("r", "n")
        assert table.status == "running"
        await pilot.press("r", "y")
        await settled(pilot, "the game is over", lambda: table.status == "ended")
        assert "resignation" in picture_of(app)
        first = screen.room
        await pilot.press("m", "y")
        await until("bob hears of it", lambda: bob.session.tables[first].offers.rematch == 1)
        await bob.session.ask(m.Rematch(id=bob.session.id(), room=first))
        await settled(pilot, "the next game is there", lambda: screen.room != first and screen.table is not None)
        assert screen.table is not None
        assert screen.table.seat == 0


async def test_offers_are_answered_with_a_key(tmp_path: Path) -> None:
    wish = Wish("maxconnect4", seat=0, vs="bob")
    async with (
        parlour(tmp_path) as house,
        opponent(house.url) as bob,
        client(house.url, tmp_path, "play", wish) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        await pilot.press("4", "enter")
        await settled(pilot, "bob has answered", lambda: table.ply == 2)
        await bob.session.ask(m.OfferDraw(id=bob.session.id(), room=screen.room))
        await settled(pilot, "the offer is seen", lambda: "bob offers a draw: y accepts" in picture_of(app))
        await pilot.press("n")
        await settled(pilot, "it is declined", lambda: table.offers.draw is None)
        await pilot.press("u", "y")
        await until("bob is asked", lambda: bob.session.tables[screen.room].offers.takeback == 0)
        await bob.session.ask(m.Takeback(id=bob.session.id(), room=screen.room))
        await settled(pilot, "it is taken back", lambda: table.ply == 0)
        await pilot.press("o", "y")
        await until("bob hears it", lambda: bob.session.tables[screen.room].offers.draw == 0)
        await bob.session.ask(m.AnswerDraw(id=bob.session.id(), room=screen.room, accept=True))
        await settled(pilot, "it is a draw", lambda: "a draw: agreed" in picture_of(app))


async def test_looking_back_while_the_game_goes_on(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        made = await bob.ask(m.Create(id=bob.id(), game="maxconnect4", seat=0))
        await carol.ask(m.Join(id=carol.id(), room=made.room))
        async with client(house.url, tmp_path, "watch", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            for ply, (player, move) in enumerate([(bob, "1"), (carol, "2"), (bob, "3")]):
                await player.ask(m.Move(id=player.id(), room=made.room, ply=ply, move=move))
            await settled(pilot, "the moves are seen", lambda: screen.play and screen.play.ply == 3)
            await pilot.press("left", "left")
            await carol.ask(m.Move(id=carol.id(), room=made.room, ply=3, move="4"))
            await settled(pilot, "the move is here", lambda: screen.table and screen.table.ply == 4)
            assert screen.play is not None
            assert screen.play.ply == 1
            assert "move 1 of 4" in picture_of(app)
            await pilot.press("end")
            assert screen.play.ply == 4


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
        made = await bob.ask(m.Create(id=bob.id(), game="mancala", seat=0))
        async with client(house.url, tmp_path, "join", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert (screen.room, screen.table.seat) == (made.room, 1)
        await carol.ask(m.Pair(id=carol.id(), game="conga"))
        async with client(house.url, tmp_path) as (app, pilot):
            await settled(pilot, "the lobby is there", lambda: isinstance(app.screen, LobbyScreen) and app.screen.lines)
            await pilot.press(*"carol", "ctrl+p")
            screen = await at_table(app, pilot)
            assert screen.table is not None
            assert screen.table.opponent is not None
            assert screen.table.opponent.name == "carol"


async def test_watchers_go_along_to_the_rematch(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        made = await bob.ask(m.Create(id=bob.id(), game="conga", seat=0))
        await carol.ask(m.Join(id=carol.id(), room=made.room))
        async with client(house.url, tmp_path, "watch", rooms=(made.room,)) as (app, pilot):
            screen = await at_table(app, pilot)
            await bob.ask(m.Resign(id=bob.id(), room=made.room))
            await carol.ask(m.Rematch(id=carol.id(), room=made.room))
            await bob.ask(m.Rematch(id=bob.id(), room=made.room))
            await settled(pilot, "the rematch is offered", lambda: "m: on to the rematch" in picture_of(app))
            await pilot.press("m")
            await settled(pilot, "the next game is shown", lambda: screen.room != made.room and screen.table)
            assert "carol - bob" in picture_of(app)


async def test_a_finished_game_is_found_and_played_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.tui.table_screen.PACE", 0.02)
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        made = await bob.ask(m.Create(id=bob.id(), game="cohcoh", seat=0))
        await carol.ask(m.Join(id=carol.id(), room=made.room))
        for ply, move in enumerate(("a1", "d4", "a2", "d3", "a3")):
            player = (bob, carol)[ply % 2]
            await player.ask(m.Move(id=player.id(), room=made.room, ply=ply, move=move))
        async with client(house.url, tmp_path) as (app, pilot):
            await settled(pilot, "the lobby is there", lambda: isinstance(app.screen, LobbyScreen) and app.screen.ready)
            await pilot.press("ctrl+r")
            await settled(pilot, "the game is listed", lambda: "1 finished games" in picture_of(app))
            await pilot.press("enter")
            screen = await at_table(app, pilot)
            assert screen.play is not None
            play = screen.play
            await pilot.press("home", "space")
            await settled(pilot, "it plays by itself", lambda: play.ply == 5)
            await pilot.press("x", "p")
            assert play.flipped
            assert app.looks.theme == "safe"
            await pilot.press("q", "escape")
            await settled(pilot, "the lobby is back", lambda: "the lobby" in picture_of(app))


async def test_a_wall_goes_on_by_itself_and_opens_tables(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "bob") as bob, session(house.url, "carol") as carol:
        rooms = []
        for game in GAMES:
            made = await bob.ask(m.Create(id=bob.id(), game=game, seat=0))
            await carol.ask(m.Join(id=carol.id(), room=made.room))
            rooms.append(made.room)
        async with client(house.url, tmp_path, "watch", rooms=tuple(rooms)) as (app, pilot):
            await settled(pilot, "all boards hang", lambda: picture_of(app).count("bob - carol") == 4)
            await bob.ask(m.Move(id=bob.id(), room=rooms[2], ply=0, move="4"))
            await settled(pilot, "the move is seen", lambda: "'R'" in picture_of(app))
            wall = app.screen
            assert isinstance(wall, WallScreen)
            await pilot.press("tab", "tab", "enter")
            screen = await at_table(app, pilot)
            assert screen.room == rooms[2]
            await pilot.press("q")
            await settled(pilot, "the wall is back", lambda: app.screen is wall)


async def test_a_server_that_dies_leaves_the_board_and_comes_back(tmp_path: Path) -> None:
    wish = Wish("conga", seat=0, vs="bob")
    async with parlour(tmp_path) as house:
        port = int(house.url.rpartition(":")[2].partition("/")[0])
        url = house.url
        app = Parlour(Plan("play", url=url, name="alice", wish=wish), Looks())
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


class AsyncServer:
    """A server that can be stopped and started at the same place."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self._port = folder, port
        self._open = parlour(folder, port=port)

    async def start(self) -> None:
        self._open = parlour(self._folder, port=self._port)
        await self._open.__aenter__()

    async def stop(self) -> None:
        await self._open.__aexit__(None, None, None)

    async def __aenter__(self) -> AsyncServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


async def test_an_unfinished_game_is_offered_again(tmp_path: Path) -> None:
    wish = Wish("conga", seat=0, vs="bob")
    async with parlour(tmp_path) as house, opponent(house.url):
        async with client(house.url, tmp_path, "play", wish) as (app, pilot):
            screen = await at_table(app, pilot)
            room = screen.room
            await pilot.press(*"a4b4", "enter")
            await settled(pilot, "bob has answered", lambda: screen.table and screen.table.ply == 2)
            await pilot.press("q", "y")
            await until("the client has ended", lambda: app.return_code is not None)
        async with client(house.url, tmp_path, "play", wish) as (app, pilot):
            await settled(pilot, "the game is offered", lambda: "after 2 moves" in picture_of(app))
            await pilot.press("y")
            screen = await at_table(app, pilot)
            assert screen.room == room
            assert screen.table is not None
            assert screen.table.seat == 0


@pytest.mark.parametrize(("errand", "rooms"), [("watch", ("nowhere",)), ("join", ("nowhere",))])
async def test_a_room_that_is_not_there_ends_with_a_sentence(
    errand: Errand, rooms: tuple[str, ...], tmp_path: Path
) -> None:
    async with parlour(tmp_path) as house, client(house.url, tmp_path, errand, rooms=rooms) as (app, _):
        await until("the client gives up", lambda: app.return_code is not None)
        assert app.return_value == "there is no room 'nowhere'"
        assert app.return_code == 2


async def test_no_server_ends_with_a_sentence(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:
        url = house.url.replace("/ws", "/nothing")
        async with client(url, tmp_path) as (app, _):
            await until("the client gives up", lambda: app.return_code is not None)
            assert "there is no Parlour at" in (app.return_value or "")
