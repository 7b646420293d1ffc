"""Helpers for tests of the terminal client against a real server: a headless terminal and an opponent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from client.presentation.launch_plan import GameRequest, LaunchPlan, Mode
from client.sdk.session import Session
from client.tui.app.app import ParlourApp
from client.tui.models.lobby_rooms import LobbyRow
from client.tui.render.appearance import Appearance
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.table import TableScreen
from client.tui.widgets.board_view import BoardView
from engine.registry import GAMES
from protocol.commands import Join, Move
from protocol.replies import Invited
from tests.e2e.local_server import running_server, session, until


@asynccontextmanager
async def client(
    url: str, folder: Path, mode: Mode = "lobby", request: GameRequest | None = None, rooms: tuple[str, ...] = ()
) -> AsyncIterator[tuple[ParlourApp, Pilot[str]]]:
    """Run the client in a headless terminal."""
    app = ParlourApp(LaunchPlan(mode, url=url, name="alice", request=request, rooms=rooms), Appearance())
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            yield app, pilot
    finally:
        await app.close()


class Opponent:
    """A player who accepts every invitation and plays the first legal move on each turn."""

    def __init__(self, session: Session, moves: bool) -> None:
        self.session, self._moves = session, moves
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async for event in self.session:
            if isinstance(event, Invited):
                await self.session.ask(Join(id=self.session.id(), room=event.room.room))
            room = getattr(event, "room", "")
            table = self.session.rooms.get(room) if isinstance(room, str) else None
            if table is not None and table.my_move and table.game is not None and self._moves:
                move = table.game.legal(table.state)[0]
                await self.session.ask(Move(id=self.session.id(), room=room, ply=table.ply, move=move))

    async def close(self) -> None:
        await self.session.close()
        await asyncio.gather(self._task, return_exceptions=True)


@asynccontextmanager
async def opponent(url: str, name: str = "bob", moves: bool = True) -> AsyncIterator[Opponent]:
    other = session(url, name, plays=tuple(GAMES))
    await other.open()
    player = Opponent(other, moves)
    try:
        yield player
    finally:
        await player.close()


async def settled(pilot: Pilot[str], what: str, condition: Callable[[], object]) -> None:
    await until(what, condition)
    await pilot.pause()


def lobby_rows(app: ParlourApp) -> list[LobbyRow]:
    """Return the rows of the lobby, or none as long as it is not shown."""
    screen = app.screen
    return screen.rows if isinstance(screen, LobbyScreen) and screen.is_mounted else []


async def at_table(app: ParlourApp, pilot: Pilot[str]) -> TableScreen:
    await settled(pilot, "the table is there", lambda: isinstance(app.screen, TableScreen) and app.screen.table)
    screen = app.screen
    assert isinstance(screen, TableScreen)
    await settled(pilot, "the game has begun", lambda: screen.table and screen.table.status != "waiting")
    return screen


async def by_typing(pilot: Pilot[str], screen: TableScreen, text: str) -> None:
    await pilot.press(*text, "enter")


async def by_clicking(pilot: Pilot[str], screen: TableScreen, text: str) -> None:
    """Click on the cells of a move's path."""
    table, view = screen.table, screen.query_one(BoardView)
    assert table is not None
    assert table.game is not None
    for name in table.game.path(table.state, table.game.parse(table.state, text)):
        width, height = view.size
        place = next((x, y) for y in range(height) for x in range(0, width, 3) if view.cell_at(x, y) == name)
        await pilot.click(view, offset=place)


async def by_arrows(pilot: Pilot[str], screen: TableScreen, text: str) -> None:
    table, model = screen.table, screen.model
    assert table is not None
    assert table.game is not None
    assert model is not None
    for name in table.game.path(table.state, table.game.parse(table.state, text)):
        for _ in range(200):
            if model.cursor == name:
                break
            await pilot.press(await towards(screen, name))
        if not model.touched:  # the cursor of an earlier turn is shown first
            await pilot.press("enter")
        await pilot.press("enter")


async def towards(screen: TableScreen, name: str) -> str:
    """Return the key that moves the cursor closer to a cell: first to its row."""
    model = screen.model
    assert model is not None
    places = {cell.name: (y, x) for y, row in enumerate(model.board().rows) for x, cell in enumerate(row) if cell}
    here, there = places.get(model.cursor or "", (-1, -1)), places[name]
    if here[0] != there[0]:
        return "down" if here[0] < there[0] else "up"
    return "right" if here[1] < there[1] else "left"


class AsyncServer:
    """A server that can be stopped and started again on the same port."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self._port = folder, port
        self._open = running_server(folder, port=port)

    async def start(self) -> None:
        self._open = running_server(self._folder, port=self._port)
        await self._open.__aenter__()

    async def stop(self) -> None:
        await self._open.__aexit__(None, None, None)

    async def __aenter__(self) -> AsyncServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
