"""Every screen as text, in several sizes, with and without colours.

The default run draws each screen once: dark, in the smallest size. The other looks and sizes are long tests.
`PARLOUR_SNAPSHOTS=write pytest -m ""` regenerates the files; look at them before committing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Input

import client.tui
from client.presentation.launch_plan import GameRequest
from client.presentation.recorded_room import ROOM, view_of
from client.sdk.room_view import RoomView
from client.sdk.time_control import parse_time_control
from client.tui.dialogs.base import Dialog
from client.tui.dialogs.choice import Choice
from client.tui.dialogs.confirm import Confirm
from client.tui.dialogs.help import Help
from client.tui.dialogs.leaderboard import Leaderboard
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import LobbyRooms
from client.tui.render.appearance import Appearance
from client.tui.screens.base import BaseScreen
from client.tui.screens.demo import DemoScreen
from client.tui.screens.following import FollowingScreen
from client.tui.screens.hotseat import HotseatScreen
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.replay import ReplayScreen
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table import TableScreen
from client.tui.screens.table_actions import TableActions
from client.tui.screens.table_keys import (
    LOBBY_HELP,
    LOBBY_HELP_TITLE,
    TABLE_HELP_TITLE,
    TV_HELP,
    TV_HELP_TITLE,
    table_help,
)
from client.tui.screens.table_view import TableView
from client.tui.screens.tournament import TournamentScreen
from client.tui.screens.tv import TvScreen
from client.tui.widgets.minimum_size import MinimumSizeScreen
from engine.record import parse
from parlour.cli.transcript import Transcript
from protocol.commands import Move
from protocol.events import Said
from protocol.replies import LobbyUpdate, Snapshot
from protocol.types import Leader, Offers, RatingChange, TournamentGame
from tests.long import first_always, long_cases
from tests.parlour.records import GOOD
from tests.tournament.reports import rich_report
from tests.tui.lobby_samples import lobby_update, room
from tests.tui.offline_app import AT, OfflineApp, picture_of, snapshot_of
from tests.tui.test_review import MOVES as REVIEWED_MOVES
from tests.tui.test_review import finished_review
from tests.waiting import until

FOLDER = Path(__file__).parent / "snapshots"
SHARED: set[type] = {MinimumSizeScreen, Dialog, BaseScreen, FollowingScreen, TableView, TableActions}  # base classes
SIZES = [(80, 24), (100, 30), (120, 40)]
LOOKS = {"dark": Appearance("dark"), "mono": Appearance("mono")}
LINE_OF_THREE = ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3")

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
        LINE_OF_THREE,
        seat=None,
        names=("random", "greedy"),
        rated=True,
        ratings=(
            RatingChange(before=1430, after=1421, deviation=64),
            RatingChange(before=1500, after=1587, deviation=201, provisional=True),
        ),
    ),
    "conga-clock": snapshot_of(
        "conga", ("a4b4", "d1c2"), clock=parse_time_control("5+3"), left=(230_000, 187_000), notes={2: "value -2"}
    ),
    "mancala-clock": snapshot_of("mancala", ("3", "6"), clock=parse_time_control("5+3"), left=(3_671_000, 12_300)),
    "cohcoh-12": snapshot_of("cohcoh", ("f6", "g7", "l12", "a1"), options={"n": 12, "k": 5}),
}


@pytest.mark.parametrize("size", first_always(SIZES), ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("look", first_always(LOOKS))
@pytest.mark.parametrize("name", TABLES)
async def test_table_snapshots(name: str, look: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RoomView, "time_left", lambda view, side, now: view.left and view.left[side] / 1000)
    app = OfflineApp(TABLES[name], appearance=LOOKS[look])
    async with app.run_test(size=size) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        compare(f"table-{name}-{look}", size, picture_of(app))


@pytest.mark.parametrize("size", first_always(SIZES), ids=lambda size: f"{size[0]}x{size[1]}")
async def test_ascii_table_with_a_picked_square(size: tuple[int, int]) -> None:
    app = OfflineApp(snapshot_of("conga"), appearance=Appearance("mono", ascii_only=True))
    async with app.run_test(size=size) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("down", "enter", "up")
        await pilot.pause()
        text = picture_of(app)
        assert text.isascii(), [line for line in text.splitlines() if not line.isascii()]
        compare("table-picked-ascii", size, text)


LEADERS = [
    Leader(name="search", rating=1874, deviation=61, games=212, at=AT),
    Leader(name="alice", rating=1640, deviation=70, games=48, at=AT),
    Leader(name="bob", rating=1702, deviation=188, games=4, at=AT, provisional=True),
]


async def replay(app: OfflineApp) -> None:
    record = parse(GOOD)
    assert app.session is not None
    app.session.rooms[ROOM] = view_of(record)
    screen = ReplayScreen(Transcript(record))
    await app.show(screen)
    screen.do_forward()


async def leaderboard(app: OfflineApp) -> None:
    board = Leaderboard("mancala", {"pits": 6, "stones": 4, "rules": "course"})
    await app.push_screen(board)
    board.show("mancala", LEADERS)
    board.show("conga", LEADERS)  # a late answer for another game


def is_arranged(screen: TvScreen) -> bool:
    """Draw the boards. Return whether the grid had been laid out before: otherwise it has no height to share out."""
    screen.flush()
    _, rows = screen._grid_shape
    return rows > 1


def live_update() -> LobbyUpdate:
    """Return a lobby in which all tables are live games."""
    rooms = (
        room(name, table.game, "alice", "search", status="running", created_at=AT - n)
        for n, (name, table) in enumerate(TABLES.items())
    )
    return LobbyUpdate(full=True, rooms=tuple(rooms))


async def tournament(app: OfflineApp) -> None:
    running = tuple(
        TournamentGame(number=n, first="random", second="greedy", room=room) for n, room in enumerate(TABLES, 4)
    )
    screen = TournamentScreen("cup")
    await app.show(screen)
    screen.show_report(rich_report(running=running, next=running[:3], open_ended=True))


async def start(app: OfflineApp) -> None:
    """Do nothing: the start screen opens by itself."""


SCREENS: dict[str, Callable[[OfflineApp], object]] = {
    "start": start,
    "lobby": lambda app: app.show(LobbyScreen()),
    "wall": lambda app: app.show(TvScreen(tuple(TABLES))),
    "hotseat": lambda app: app.show(HotseatScreen("hotseat")),
    "demo": lambda app: app.show(DemoScreen("demo")),
    "tv": lambda app: app.show(TvScreen()),
    "help-table": lambda app: app.push_screen(Help(TABLE_HELP_TITLE, table_help("a4b3"))),
    "help-wall": lambda app: app.push_screen(Help(TV_HELP_TITLE, TV_HELP)),
    "help-lobby": lambda app: app.push_screen(Help(LOBBY_HELP_TITLE, LOBBY_HELP)),
    "rules": lambda app: app.show(RulesScreen("conga")),
    "rules-mancala": lambda app: app.show(RulesScreen("mancala")),
    "leaderboard": leaderboard,
    "tournament": tournament,
    "replay": replay,
    "choice": lambda app: app.push_screen(
        Choice("You have 2 unfinished games. Resume one?", ["Conga against bob after 3 moves", "A new game"])
    ),
    "confirm": lambda app: app.push_screen(Confirm("Resign this game?")),
    "new-game": lambda app: app.push_screen(NewGame(GameRequest("mancala", vs="greedy"), LobbyRooms())),
}


@pytest.mark.parametrize("size", first_always(SIZES), ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("look", first_always(LOOKS))
@pytest.mark.parametrize("name", SCREENS)
async def test_screen_snapshots(name: str, look: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.tui.screens.tv.monotonic", lambda: 1000.0)  # it counts seconds down
    rooms = [snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options) for key, t in TABLES.items()]
    live = snapshot_of("cohcoh", LINE_OF_THREE[:7], room="r3", seat=None, names=("carol", "search"))
    two = snapshot_of("conga", ("a4b4", "d1c2", "d4c3"), room="hotseat", seat=1, names=("blue", "red"))
    bots = snapshot_of("cohcoh", LINE_OF_THREE, room="demo", seat=None, names=("search@8", "greedy"))
    app = OfflineApp(*rooms, live, two, bots, appearance=LOOKS[look])
    async with app.run_test(size=size) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(live_update() if name == "tv" else lobby_update())
        if isinstance(app.screen, TournamentScreen):
            app.screen.flush()
        if isinstance(app.screen, TvScreen):
            await until("the boards have their size", partial(is_arranged, app.screen))
        if isinstance(app.screen, LobbyScreen):
            app.screen.listing.move(3)  # the live game
        await pilot.pause()
        compare(f"{name}-{look}", size, picture_of(app))


@pytest.mark.parametrize("size", first_always(SIZES), ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("look", first_always(LOOKS))
async def test_snapshots_of_the_command_palette(look: str, size: tuple[int, int]) -> None:
    app = OfflineApp(snapshot_of("mancala", ("3", "6")), appearance=LOOKS[look])
    async with app.run_test(size=size) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("ctrl+p", *"board")
        await until(
            "one action is left", lambda: "Turn the board" in picture_of(app) and "Resign" not in picture_of(app)
        )
        compare(f"palette-{look}", size, picture_of(app))


def table_after(name: str, moves: str, **more: Any) -> Snapshot:
    return snapshot_of(name, moves.split(), names=("alice", "search@5"), **more)


BLOCKED = {"start": "w9,.,b1,./b1,b1,b3,b1/b1,b1,.,./w1,b1,.,. b"}  # one move before the end
MANCALA_GAME = "6 3 1 5 2 2 1 2 6 3 3 5 6 4 3 6 5 5"
DISCS_GAME = "7 4 7 4 1 3 5 4 4 7 7 3 4 3 5 2 5 2 3 2 7 1 5 7 3 5 6 5 2 3 1 1 4 2 6 1 2 6 6 1 6 6"
STATES: dict[str, tuple[Snapshot, tuple[str, ...]]] = {  # a table, and the keys that are pressed
    "preview-conga": (table_after("conga", "a4b4 d1c2"), ("down", "enter", "up")),
    "preview-mancala": (table_after("mancala", "3 6"), ("right", "right")),
    "preview-maxconnect4": (table_after("maxconnect4", "4 4"), ("right",)),
    "preview-cohcoh": (table_after("cohcoh", "a1 b2"), ("right",)),
    "offer": (table_after("conga", "a4b4 d1c2", offers=Offers(draw=1)), ()),
    "question": (table_after("conga", "a4b4 d1c2"), ("R",)),
    "error": (table_after("conga", "a4b4 d1c2"), (*"a1d4", "enter")),
    "end-conga": (table_after("conga", "c3b4", options=BLOCKED), ()),
    "end-mancala": (table_after("mancala", MANCALA_GAME), ()),
    "end-maxconnect4": (table_after("maxconnect4", DISCS_GAME), ()),
}


@pytest.mark.parametrize(
    ("look", "sizes"),
    [("dark", SIZES[:1]), *long_cases(("dark", SIZES[1:]), ("mono", SIZES))],
    ids=["dark", "dark in other sizes", "mono"],
)
@pytest.mark.parametrize("name", STATES)
async def test_snapshots_of_the_states_of_a_table(name: str, look: str, sizes: list[tuple[int, int]]) -> None:
    snapshot, keys = STATES[name]
    app = OfflineApp(snapshot, appearance=LOOKS[look])
    async with app.run_test(size=SIZES[0]) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press(*keys)
        for size in sizes:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            compare(f"{name}-{look}", size, picture_of(app))


@pytest.mark.parametrize("look", first_always(LOOKS))
async def test_snapshots_of_a_reviewed_game(look: str) -> None:
    finished: dict[str, Any] = {"status": "ended", "result": "1-0", "reason": "resigned", "winner": 0}
    app = OfflineApp(
        snapshot_of("cohcoh", REVIEWED_MOVES, options={"n": 5, "k": 4}, **finished), appearance=LOOKS[look]
    )
    async with app.run_test(size=SIZES[0]) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        screen.receive(finished_review())
        await pilot.press("home", "f2")  # the first mistake
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            compare(f"reviewed-{look}", size, picture_of(app))


async def test_every_screen_has_a_snapshot() -> None:
    for module in walk_packages(client.tui.__path__, "client.tui."):
        import_module(module.name)
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


async def test_small_terminal_ignores_keys_until_it_is_enlarged() -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(60, 20)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        assert "Parlour needs at least 80 x 24" in picture_of(app)
        assert "●10" not in picture_of(app)
        await pilot.press(*"a4b4", "enter", "r", "y", "q")
        assert app.sent == []
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert "at least" not in picture_of(app)
        assert "●10" in picture_of(app)
        await pilot.press(*"a4b4", "enter")
        assert [type(command) for command in app.sent] == [Move]


async def test_notice_for_small_terminals_fits_into_a_very_small_one() -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(40, 12)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        words = " ".join(picture_of(app).split())
        assert words.startswith("This terminal is 40 x 12 characters.")
        assert words.endswith("parlour watch ROOM --plain")


async def test_focus_is_restored_after_the_terminal_was_too_small() -> None:
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
        (at_table, "question_mark", "escape", Help),
        (LobbyScreen, "ctrl+n", "ctrl+s", NewGame),
        (LobbyScreen, "ctrl+l", "escape", Leaderboard),
    ],
    ids=["help", "new game", "leaderboard"],
)
async def test_dialogs_ignore_keys_while_the_terminal_is_too_small(
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
        assert " ".join(picture_of(app).split()).startswith("This terminal is 40 x 10 characters.")
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


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_result_cards_are_whole(size: tuple[int, int]) -> None:
    for name in ("end-conga", "end-mancala", "end-maxconnect4", "table-cohcoh"):
        text = (FOLDER / f"{name}-dark-{size[0]}x{size[1]}.txt").read_text(encoding="utf-8")
        assert all(corner in text for corner in "┌┐└┘"), name
