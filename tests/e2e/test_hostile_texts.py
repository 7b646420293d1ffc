"""Texts of a hostile server and of hostile files: every screen and every command shows them literally."""

from __future__ import annotations

import ast
import asyncio
import os
import pty
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from client.presentation.launch_plan import GameRequest, LaunchPlan
from client.tui.app.app import ParlourApp
from client.tui.app.replay_app import ReplayApp
from client.tui.dialogs.choice import Choice
from client.tui.dialogs.confirm import Confirm
from client.tui.dialogs.leaderboard import Leaderboard
from client.tui.dialogs.new_game import NewGame
from client.tui.render.appearance import Appearance
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.table import TableScreen
from client.tui.screens.tv import TvScreen
from client.tui.widgets.plain import PlainTable
from engine.record import Record
from engine.record import write as write_record
from engine.record_move import Played
from parlour.cli.transcript import Transcript
from runtime.printable import printable
from tests.e2e.hostile_server import BETTER, FOREIGN, KNOWN, MOVE, HostileServer
from tests.e2e.local_server import parlour_command
from tests.e2e.tui import lobby_rows, settled
from tests.long import long
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of
from tests.waiting import TIMEOUT_S

TEXTS = ["[/x]", "[@click=app.quit]x[/]", "[b]alice[/b]", "a\x1b[31m\0b", "\u202ea\x9b\u200b", "a\nforged"]
EVERYTHING = "x".join(TEXTS)
MIXED = "[/x]\x1b[b]\u202e"
each_text = pytest.mark.parametrize("text", [MIXED, *long(*TEXTS)], ids=["mixed", *map(str, range(len(TEXTS)))])


@asynccontextmanager
async def terminal(app: ParlourApp) -> AsyncIterator[Pilot[str]]:
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            yield pilot
    finally:
        await app.close()


def assert_literal(app: ParlourApp, text: str) -> None:
    """Check that the text is on the screen, and that nothing on it can change the terminal or run an action."""
    picture = picture_of(app)
    assert printable(text) in picture, picture
    assert all(line.isprintable() for line in picture.splitlines())
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            assert segment.style is None or "@click" not in segment.style.meta
            assert segment.style is None or segment.style.link is None


@each_text
async def test_lobby_and_its_dialogs_show_texts_literally(text: str) -> None:
    async with HostileServer(text).open() as server:
        app = ParlourApp(LaunchPlan("lobby", url=server.url, name="alice"), Appearance())
        async with terminal(app) as pilot:
            lobby = await at_lobby(app, pilot)
            assert_literal(app, text)
            assert printable(text) in lobby.rows[0].names[0][0]
            for _ in range(len(lobby.rows)):
                if is_bot(lobby):
                    break
                await pilot.press("down")
            await pilot.press("enter")  # challenge the bot
            await settled(pilot, "the form is open", lambda: isinstance(app.screen, NewGame))
            await pilot.press("tab", "enter")  # opens the list of opponents
            await pilot.pause()
            assert_literal(app, text)
            await pilot.press("escape", "escape")
            await settled(pilot, "the form is closed", lambda: app.screen is lobby)
            await pilot.press("down", "enter")  # a bot of an unknown game
            await settled(pilot, "it is refused", lambda: "does not know the games" in picture_of(app))
            await pilot.press("down", "enter")  # a bot without games
            await pilot.press("ctrl+l")
            await settled(pilot, "the leaderboard is there", lambda: is_filled(app))
            assert_literal(app, text)
            await pilot.press("escape", "ctrl+r")
            await settled(pilot, "finished games are there", lambda: lobby.rooms.finished is not None)
            assert_literal(app, text)
            await server.hang_up()
            await settled(pilot, "the connection is lost", lambda: app.connection)
            assert app.is_running


def is_bot(lobby: LobbyScreen) -> bool:
    row = lobby.selected()
    return row is not None and row.bot is not None


async def at_lobby(app: ParlourApp, pilot: Pilot[str]) -> LobbyScreen:
    await settled(pilot, "the lobby is filled", lambda: lobby_rows(app))
    assert isinstance(app.screen, LobbyScreen)
    return app.screen


def is_filled(app: ParlourApp) -> bool:
    return isinstance(app.screen, Leaderboard) and app.screen.query_one("#leaders", PlainTable).row_count > 0


@each_text
@pytest.mark.parametrize("room", [KNOWN, FOREIGN])
async def test_table_shows_texts_literally(text: str, room: str) -> None:
    async with HostileServer(text).open() as server:
        app = ParlourApp(LaunchPlan("watch", url=server.url, name="alice", rooms=(room,)), Appearance())
        async with terminal(app) as pilot:
            await settled(pilot, "the table is there", lambda: isinstance(app.screen, TableScreen) and app.table(room))
            await settled(pilot, "the text is there", lambda: printable(text) in picture_of(app))
            assert_literal(app, text)
            await pilot.press("question_mark", "escape", "t", *"hello", "enter")  # the chat is refused with the text
            await pilot.pause()
            assert_literal(app, text)
            for key in ("left", "home", "end", "f", "p"):
                await pilot.press(key)
            assert app.is_running


@each_text
async def test_tv_shows_texts_literally(text: str) -> None:
    rooms = (KNOWN, FOREIGN, text)
    async with HostileServer(text).open() as server:
        app = ParlourApp(LaunchPlan("watch", url=server.url, name="alice", rooms=rooms), Appearance())
        async with terminal(app) as pilot:
            await settled(pilot, "the TV is there", lambda: isinstance(app.screen, TvScreen) and app.table(text))
            await settled(pilot, "the text is there", lambda: picture_of(app).count(printable(text)) > 2)
            assert_literal(app, text)


@each_text
@pytest.mark.parametrize("rooms", [(KNOWN,), (KNOWN, FOREIGN)], ids=["confirm", "choice"])
async def test_prompt_for_unfinished_games_shows_texts_literally(text: str, rooms: tuple[str, ...]) -> None:
    async with HostileServer(text, rooms).open() as server:
        plan = LaunchPlan("play", url=server.url, name="alice", request=GameRequest("conga"))
        app = ParlourApp(plan, Appearance())
        async with terminal(app) as pilot:
            await settled(pilot, "the prompt is there", lambda: isinstance(app.screen, Confirm | Choice))
            assert_literal(app, text)


@each_text
async def test_review_shows_texts_literally(text: str) -> None:
    """The moves of a better line are texts of the server, too."""
    app = OfflineApp(snapshot_of("conga", (MOVE,), status="ended", result="1-0", reason="resigned", winner=0))
    review = HostileServer(text).review("room")
    (move,) = review.moves
    async with app.run_test(size=(120, 40)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        for line in ((BETTER,), (text, text), ()):
            screen.receive(replace(review, moves=(replace(move, best=text, line=line),)))
            await pilot.press("f2", "end")
            await pilot.pause()
            assert_literal(app, text)
        screen.receive(replace(review, state="failed"))
        await pilot.pause()
        assert_literal(app, text)


async def test_refused_hello_ends_the_client_with_the_text() -> None:
    async with HostileServer(EVERYTHING, welcome=False).open() as server:
        app = ParlourApp(LaunchPlan("lobby", url=server.url, name="alice"), Appearance())
        async with terminal(app) as pilot:
            await settled(pilot, "the client exits", lambda: app.return_code is not None)
        assert app.return_value == EVERYTHING


@each_text
async def test_replay_shows_texts_literally(text: str) -> None:
    record = hostile_record(text)
    app = ReplayApp(record, Transcript(record), Appearance())
    async with terminal(app) as pilot:
        await pilot.pause()
        assert_literal(app, text)
        await pilot.press("end")
        await pilot.pause()
        assert_literal(app, text)


def hostile_record(text: str) -> Record:
    moves = (Played("a4b4", note=text), Played("x[b]", note=text))
    return Record("conga", seats=(text, text), clock=text, date=text, result="1-0", reason=text, moves=moves)


# -- commands


COMMANDS = [
    ("watch", KNOWN, "--plain"),
    ("play", "--room", KNOWN, "--plain"),
    ("rooms",),
    ("leaderboard", "conga"),
    ("export", "x1"),
    ("show", "x1"),
    ("review", KNOWN, "--server"),
    ("tournament", "watch", "x"),
    ("bot", "random", "--no-state", "--count", "1", "--challenge", "x", "--seek", "conga"),
    *long(
        ("watch", KNOWN, "--json"),
        ("watch", FOREIGN, "--plain"),
        ("rooms", "--json"),
        ("leaderboard", "conga", "--player", "x"),
        ("verify", "x1"),
        ("review", KNOWN, "--server", "--json"),
        ("review", KNOWN, "--server", "--learn"),
        ("review", FOREIGN, "--server"),
        ("dataset", "conga", "--server", "--out", os.devnull + ".jsonl"),
        ("puzzles", "conga", "--from", "x1", "--seconds", "1"),
    ),
]


def assert_harmless(output: str) -> None:
    """Check that the output has no control characters but line breaks, and no forged line."""
    lines = output.split("\n")
    assert all(line.isprintable() for line in lines), [line for line in lines if not line.isprintable()]
    assert not any(line.startswith("forged") for line in lines)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
async def test_commands_print_no_control_characters(words: tuple[str, ...], tmp_path: Path) -> None:
    async with HostileServer(EVERYTHING).open() as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", *words, "--url", server.url,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path)}, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        assert process.stdout is not None
        seen = b""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                while chunk := await process.stdout.read(4096):
                    seen += chunk
                    if b"forged" in seen:
                        break
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            rest, _ = await process.communicate()
    output = (seen + rest).decode()
    assert "[@click=app.quit]x[/]x[b]alice[/b]" in output
    assert "Traceback" not in output
    assert_harmless(output)


async def test_error_of_the_server_is_one_line() -> None:
    async with HostileServer(EVERYTHING, welcome=False).open() as server:
        code, out, err = await parlour_command("rooms", "--url", server.url)
    assert (code, out, err) == (2, "", f"parlour: {printable(EVERYTHING)}\n")


@pytest.mark.parametrize("words", [("show", "--plain"), ("verify",), ("export",), ("export", "--text")], ids=" ".join)
def test_texts_of_a_record_are_escaped_on_a_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(write_record(hostile_record(EVERYTHING)), encoding="utf-8")
    output = run_in_terminal(words[0], str(file), *words[1:])
    assert (r"a\nforged" in output) == (words != ("verify",))  # which names only the wrong move
    assert_harmless(output.replace("\r\n", "\n"))


def test_wrong_line_of_a_file_is_escaped_on_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("parlour record 1\ngame: \x1b[31m\u202econga\n", encoding="utf-8")
    assert_harmless(run_in_terminal("verify", str(file)).replace("\r\n", "\n"))
    file.write_text("\x1b]0;title\x07\x9b31m\n", encoding="utf-8")
    assert_harmless(run_in_terminal("verify", str(file)).replace("\r\n", "\n"))


def run_in_terminal(*words: str) -> str:
    """Run a command in a pseudo-terminal, and return everything that it wrote there."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "parlour", *words])
    seen = b""
    with suppress(OSError):  # the end of a terminal is an input error
        while chunk := os.read(terminal, 4096):
            seen += chunk
    os.close(terminal)
    os.waitpid(pid, 0)
    return seen.decode()


@pytest.mark.parametrize("action", ["status", "table", "new"])
async def test_texts_of_a_foreign_tournament_are_escaped(action: str, tmp_path: Path) -> None:
    name = r"\u001b[31m\u202ex\nforged\u0000y".replace(r"\u0000", r"\u009b")
    plan = f'name = "{name}"\ngame = "conga"\n[[player]]\nbot = "random"\n[[player]]\nbot = "greedy"\n'
    folder = tmp_path / "cup"
    folder.mkdir()
    (folder / "plan.toml").write_text(plan)
    _, out, err = await parlour_command("tournament", action, str(folder))
    assert_harmless(out + err)
    assert ("forged" in out) == (action == "status")


# -- the guard


TUI = Path(__file__).parents[2] / "client" / "tui"
MARKUP_NAMES = {"from_markup", "border_title", "border_subtitle", "tooltip", "sub_title", "markup"}


def test_terminal_client_takes_its_widgets_from_one_module() -> None:
    """Fail if a module uses a widget or an attribute that takes markup: use client/tui/widgets/plain.py instead."""
    for path in sorted(TUI.rglob("*.py")):
        if path.name != "plain.py":
            assert_without_markup(path)


def assert_without_markup(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        place = f"{path}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual.widgets"):
            assert {alias.name for alias in node.names} <= {"Input"}, place
        if isinstance(node, ast.ImportFrom | ast.Import):
            modules = {getattr(node, "module", None) or "", *(alias.name for alias in node.names)}
            assert modules.isdisjoint({"textual.content", "rich.text", "rich.markup", "rich.console"}), place
        if isinstance(node, ast.Attribute):
            assert node.attr not in MARKUP_NAMES, place
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "notify":
            given = {word.arg: word.value for word in node.keywords}
            assert isinstance(given.get("markup"), ast.Constant), place
