"""Every screen as text, at two sizes. PARLOUR_SNAPSHOTS=write makes the files again; look at them before committing."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from textual.screen import Screen
from textual.widgets import Input

import client.tui
from client.presentation.launch_plan import GameRequest
from client.tui.dialogs.base import Dialog
from client.tui.dialogs.choice import Choice
from client.tui.dialogs.confirm import Confirm
from client.tui.dialogs.help import Help
from client.tui.dialogs.leaderboard import Leaderboard
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import LobbyRooms
from client.tui.render.appearance import Appearance
from client.tui.screens.base import BaseScreen
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.table import TableScreen
from client.tui.screens.table_actions import TableActions
from client.tui.screens.table_keys import LOBBY_HELP, WALL_HELP, table_help
from client.tui.screens.table_view import TableView
from client.tui.screens.wall import WallScreen
from client.tui.widgets.minimum_size import MinimumSizeScreen
from protocol.commands import Move
from protocol.events import Said
from protocol.replies import Snapshot
from protocol.types import Leader, RatingChange
from tests.tui.lobby_samples import news
from tests.tui.offline_app import AT, OfflineApp, picture_of, snapshot_of

FOLDER = Path(__file__).parent / "snapshots"
SHARED: set[type] = {MinimumSizeScreen, Dialog, BaseScreen, TableView, TableActions}  # what screens are made of
SIZES = [(80, 24), (120, 40)]
MATED = ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3")

TABLES: dict[str, Snapshot] = {
    "conga": snapshot_of(
        "conga",
        ("a4b4", "d1c2", "d4c3"),
        notes={2: "depth 9 value -0.5 nodes 1200 line d1c2 d4c3"},
        chat=(Said(room="room", seq=2, at=AT, name="search", text="good luck!", seat=1),),
    ),
    "mancala": snapshot_of("mancala", ("3", "6", "1"), names=("alice", "greedy")),
    "maxconnect4": snapshot_of("maxconnect4", ("4", "4", "3", "5", "2", "6", "1"), seat=1, names=("search", "alice")),
    "cohcoh": snapshot_of(
        "cohcoh",
        MATED,
        seat=None,
        names=("random", "greedy"),
        rated=True,
        ratings=(
            RatingChange(before=1430, after=1421, deviation=64),
            RatingChange(before=1500, after=1587, deviation=201, provisional=True),
        ),
    ),
    "cohcoh-12": snapshot_of("cohcoh", ("f6", "g7", "l12", "a1"), options={"n": 12, "k": 5}),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", TABLES)
async def test_tables(name: str, size: tuple[int, int]) -> None:
    app = OfflineApp(TABLES[name])
    async with app.run_test(size=size) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        compare(f"table-{name}", size, picture_of(app))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_table_in_ascii_with_a_square_picked(size: tuple[int, int]) -> None:
    app = OfflineApp(snapshot_of("conga"), appearance=Appearance("mono", ascii_only=True))
    async with app.run_test(size=size) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("up", "enter", "right")
        await pilot.pause()
        text = picture_of(app)
        assert text.isascii(), [line for line in text.splitlines() if not line.isascii()]
        compare("table-picked-ascii", size, text)


LEADERS = [
    Leader(name="search", rating=1874, deviation=61, games=212, at=AT),
    Leader(name="alice", rating=1640, deviation=70, games=48, at=AT),
    Leader(name="bob", rating=1702, deviation=188, games=4, at=AT, provisional=True),
]


async def leaderboard(app: OfflineApp) -> None:
    board = Leaderboard("mancala", {"pits": 6, "stones": 4, "rules": "course"})
    await app.push_screen(board)
    board.show("mancala", LEADERS)
    board.show("conga", LEADERS)  # the answer to a question of before


async def foyer(app: OfflineApp) -> None:
    """The first screen is there by itself."""


SCREENS: dict[str, Callable[[OfflineApp], object]] = {
    "start": foyer,
    "lobby": lambda app: app.show(LobbyScreen()),
    "wall": lambda app: app.show(WallScreen(tuple(TABLES))),
    "help-table": lambda app: app.push_screen(Help("The keys of a table", table_help("a4b3"))),
    "help-wall": lambda app: app.push_screen(Help("The keys of a wall", WALL_HELP)),
    "help-lobby": lambda app: app.push_screen(Help("The keys of the lobby", LOBBY_HELP)),
    "leaderboard": leaderboard,
    "choice": lambda app: app.push_screen(
        Choice("You left 2 games. Go on with one?", ["Conga against bob after 3 moves", "a new game"])
    ),
    "confirm": lambda app: app.push_screen(Confirm("Resign this game?")),
    "new-game": lambda app: app.push_screen(NewGame(GameRequest("mancala", vs="greedy"), LobbyRooms())),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
async def test_screens(name: str, size: tuple[int, int]) -> None:
    rooms = [snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options) for key, t in TABLES.items()]
    app = OfflineApp(*rooms)
    async with app.run_test(size=size) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(news())
        if isinstance(app.screen, WallScreen):
            app.screen._flush()
        await pilot.pause()
        compare(name, size, picture_of(app))


async def test_no_screen_is_missing() -> None:
    for module in iter_modules(client.tui.__path__):
        import_module(f"client.tui.{module.name}")
    seen: set[type] = {TableScreen}
    for open_screen in SCREENS.values():
        app = OfflineApp()
        async with app.run_test(size=(80, 24)):
            await open_screen(app)  # type: ignore[misc]
            seen.add(type(app.screen))
    assert seen == {kind for kind in subclasses(Screen) if kind.__module__.startswith("client.tui.")} - SHARED


def subclasses(kind: type) -> set[type]:
    children: list[type] = kind.__subclasses__()
    return {each for child in children for each in (child, *subclasses(child))}


async def test_too_small_is_said_kindly_and_passes_when_there_is_room() -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(60, 20)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        assert "Please make it at least 80 x 24" in picture_of(app)
        assert "b10" not in picture_of(app)
        await pilot.press(*"a4b4", "enter", "r", "y", "q")
        assert app.sent == []
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert "at least" not in picture_of(app)
        assert "b10" in picture_of(app)
        await pilot.press(*"a4b4", "enter")
        assert [type(order) for order in app.sent] == [Move]


async def test_a_page_for_a_terminal_that_is_too_small_fits_into_one_that_is_much_too_small() -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(40, 12)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        words = " ".join(picture_of(app).split())
        assert words.startswith("This terminal has 40 x 12 characters.")
        assert words.endswith("go line by line, in any terminal.")


async def test_what_is_typed_goes_where_it_went_before_the_terminal_was_too_small() -> None:
    app = OfflineApp()
    async with app.run_test(size=(100, 30)) as pilot:
        await app.show(LobbyScreen())
        await pilot.pause()
        await pilot.press(*"con")
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        await pilot.press(*"xyz", "escape")
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        await pilot.press(*"ga")
        assert app.screen.query_one(Input).value == "conga"


def at_table() -> TableScreen:
    return TableScreen("room")


@pytest.mark.parametrize(
    ("opened", "ask", "answer", "kind"),
    [
        (at_table, "r", "y", Confirm),
        (at_table, "question_mark", "escape", Help),
        (LobbyScreen, "ctrl+n", "ctrl+s", NewGame),
        (LobbyScreen, "ctrl+l", "escape", Leaderboard),
    ],
    ids=["a question", "the keys", "a new game", "the leaderboard"],
)
async def test_pages_in_front_take_no_keys_either(
    opened: Callable[[], BaseScreen], ask: str, answer: str, kind: type[Screen[object]]
) -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(100, 30)) as pilot:
        screen = opened()
        await app.show(screen)
        await pilot.press(ask)
        assert isinstance(app.screen, kind)
        asked, focused = len(app.sent), app.focused
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert " ".join(picture_of(app).split()).startswith("This terminal has 40 x 10 characters.")
        await pilot.press(answer, "enter", "left")
        assert isinstance(app.screen, kind)
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert (len(app.sent), app.focused) == (asked, focused)
        await pilot.press(answer)
        await pilot.pause()
        assert app.screen is screen


def compare(name: str, size: tuple[int, int], text: str) -> None:
    lines = text.splitlines()
    assert len(lines) == size[1]
    assert max(map(len, lines)) <= size[0]
    path = FOLDER / f"{name}-{size[0]}x{size[1]}.txt"
    if os.environ.get("PARLOUR_SNAPSHOTS") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
