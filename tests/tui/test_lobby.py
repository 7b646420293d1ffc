"""The keys of the lobby: create, join and watch rooms, challenge bots."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Select, Static

from client.tui.dialogs.help import Help
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import best_players, own_games
from client.tui.screens.lobby import LobbyScreen
from client.tui.screens.table import TableScreen
from client.tui.screens.tv import TvScreen
from protocol.commands import Command, Create, History, Join, Leave, Lobby, Pair, Watch
from protocol.commands import Leaderboard as BestPlayers
from protocol.replies import Invited, LobbyUpdate
from protocol.types import BotInfo, Leader
from tests.tui.lobby_samples import lobby_update, room
from tests.tui.offline_app import AT, OfflineApp, picture_of, snapshot_of


@asynccontextmanager
async def lobby() -> AsyncIterator[tuple[OfflineApp, Pilot[str]]]:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(LobbyScreen())
        app.deliver(lobby_update())
        await pilot.pause()
        app.sent.clear()
        yield app, pilot


def commands(app: OfflineApp) -> list[Command]:
    return [command for command in app.sent if not isinstance(command, Lobby)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([*"alice", "enter"], Join(id=0, room="r1")),
        ([*"alice", "ctrl+o"], Watch(id=0, room="r1")),
        ([*"carol", "enter"], Watch(id=0, room="r3")),
        (["down", "enter"], Join(id=0, room="r1")),
        (["ctrl+r"], History(id=0, limit=100)),
    ],
)
async def test_keys_act_on_the_selected_row(keys: list[str], expected: Command) -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*keys)
        await pilot.pause()
        command = commands(app)[-1]  # the game beside the list may be watched, too
        assert type(command) is type(expected)
        assert getattr(command, "room", "") == getattr(expected, "room", "")


async def test_title_counts_open_rooms_and_bots() -> None:
    async with lobby() as (app, pilot):
        assert picture_of(app).splitlines()[0].endswith("4 rooms, 2 bots")
        app.deliver(LobbyUpdate(rooms=(room("r6", "conga", "gina", ""),), bots=()))
        await pilot.pause()
        assert picture_of(app).splitlines()[0].endswith("5 rooms, 0 bots")


async def test_list_has_sections_with_columns() -> None:
    async with lobby() as (app, _):
        lines = [line.strip() for line in picture_of(app).splitlines()]
        titles = [line for line in lines if "──" in line]
        assert [title.partition(" ──")[0] for title in titles[1:]] == [
            "Waiting for an opponent",
            "Live",
            "Bots, ready to play",
            "Just ended",
        ]
        live = next(number for number, line in enumerate(lines) if line.startswith("Live"))
        assert "move  watching" in lines[live]
        assert lines[live + 1].split()[:6] == ["n-k-coh-coh", "carol", "–", "search", "7", "3"]


async def test_both_names_are_cut_fairly() -> None:
    async with lobby() as (app, pilot):
        names = ("first-player-with-a-long-name", "second-player-with-a-long-name")
        app.deliver(LobbyUpdate(rooms=(room("r3", "cohcoh", *names, status="running"),), bots=()))
        await pilot.pause()
        line = next(line for line in picture_of(app).splitlines() if "first-" in line)
        first, second = line.split("n-k-coh-coh")[1].split(" – ")
        assert first.strip().endswith("…")
        assert second.strip().startswith("second")
        assert abs(len(first.strip()) - len(second.split()[0])) <= 1


def watched(app: OfflineApp) -> list[str]:
    return [command.room for command in app.sent if isinstance(command, Watch)]


def left(app: OfflineApp) -> list[str]:
    return [command.room for command in app.sent if isinstance(command, Leave)]


async def test_chosen_game_is_watched_while_the_cursor_rests_on_it() -> None:
    async with lobby() as (app, pilot):
        screen = app.screen
        assert isinstance(screen, LobbyScreen)
        screen.follow_previews()
        assert watched(app) == []  # a room that waits has nothing to watch
        await pilot.press("down", "down", "down")
        assert screen.selected() == next(row for row in screen.rows if row.key == "r3")
        screen.follow_previews()
        assert (watched(app), left(app)) == (["r3"], [])
        app.deliver(snapshot_of("cohcoh", ("a1", "d4"), room="r3", seat=None, names=("carol", "search")))
        await pilot.pause()
        lines = picture_of(app).splitlines()
        assert any("carol" in line[50:] for line in lines)
        assert any("move 2" in line[50:] for line in lines)
        await pilot.press("down")
        assert left(app) == ["r3"]


async def test_game_that_another_screen_shows_is_not_left() -> None:
    async with lobby() as (app, pilot):
        screen = app.screen
        assert isinstance(screen, LobbyScreen)
        app.deliver(snapshot_of("cohcoh", room="r3", seat=None))
        await pilot.press("down", "down", "down")
        screen.follow_previews()
        app.open_table("r3")
        await pilot.pause()
        assert isinstance(app.screen, TableScreen)
        assert screen.followed == []  # nothing is watched for a lobby that is covered
        assert left(app) == []
        await pilot.press("q")
        await pilot.pause()
        assert screen.is_current
        assert left(app) == ["r3"]


async def test_large_lobby_has_more_boards_own_games_and_the_best() -> None:
    app = OfflineApp()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = LobbyScreen()
        await app.show(screen)
        rooms = [room(f"g{n}", "conga", f"a{n}", f"b{n}", status="running", created_at=AT - n) for n in range(9)]
        app.deliver(LobbyUpdate(full=True, rooms=tuple(rooms), bots=()))
        await pilot.pause()
        screen.follow_previews()
        assert watched(app) == ["g0", "g1", "g2"]
        assert [type(command) for command in app.sent if isinstance(command, BestPlayers)] == [BestPlayers]
        screen._own = own_games(
            [room("o1", "conga", "alice", "bob", status="ended", result="0-1", ply=31)], player="alice"
        )
        screen._best["conga"] = best_players(
            "conga", [Leader(name="zoe", rating=1904, deviation=50, games=9, at=AT, provisional=True)]
        )
        screen.update_rows()
        await pilot.pause()
        text = picture_of(app)
        assert re.search(r"Your last games ─+", text)
        assert re.search(r"Conga +bob 1640 +lost +31 moves", text)
        assert re.search(r"Best at Conga ─+", text)
        assert re.search(r"1  zoe +1904\?", text)
        await pilot.press(*["down"] * 9)
        chosen = screen.selected()
        assert chosen is not None
        assert chosen.key == "own o1"


async def test_long_list_scrolls_with_the_cursor() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(LobbyScreen())
        rooms = [room(f"g{n:02}", "conga", f"a{n:02}", "b", status="running", created_at=AT - n) for n in range(60)]
        app.deliver(LobbyUpdate(full=True, rooms=tuple(rooms), bots=()))
        await pilot.press(*["pagedown"] * 6)
        await pilot.pause()
        assert "a59" in picture_of(app)
        assert "a00" not in picture_of(app)
        await pilot.press(*["pageup"] * 6)
        await pilot.pause()
        assert "Live ─" in picture_of(app)
        assert "a00" in picture_of(app)


def error_of(dialog: Screen[object]) -> str:
    return str(dialog.query_one("#wrong", Static).content)


async def test_new_game_form_is_checked_and_sent() -> None:
    async with lobby() as (app, pilot):
        await pilot.press("ctrl+n")
        dialog = app.screen
        assert isinstance(dialog, NewGame)
        dialog.query_one("#game", Select).value = "mancala"
        await pilot.pause()
        dialog.query_one("#vs", Select).value = "greedy"
        dialog.query_one("#seat", Select).value = "1"
        for text, mistake in (("soon", "is not a valid clock"), ("5+3", "write NAME=VALUE"), ("5+3", "pits")):
            dialog.query_one("#clock", Input).value = text
            dialog.query_one("#options", Input).value = {"is not a valid clock": "", "pits": "pits=99"}.get(
                mistake, "pits"
            )
            await pilot.press("ctrl+s")
            assert app.screen is dialog
            assert mistake in error_of(dialog)
        dialog.query_one("#options", Input).value = "pits=5"
        await pilot.press("ctrl+s")
        await pilot.pause()
        (made,) = commands(app)
        assert isinstance(made, Create)
        assert (made.game, made.invite, made.seat, str(made.options["pits"])) == ("mancala", "greedy", 1, "5")
        assert made.clock.base == 300_000


async def test_bot_is_challenged_and_running_games_are_watched() -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*"greedy bot", "enter")
        assert isinstance(app.screen, NewGame)
        assert app.screen.query_one("#vs", Select).value == "greedy"
        await pilot.press("escape")
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert isinstance(app.screen, TvScreen)
        app.deliver(lobby_update())
        app.screen.flush()
        assert app.screen.places.rooms == ["r3"]


def live_ply(app: OfflineApp) -> str:
    screen = app.screen
    assert isinstance(screen, LobbyScreen)
    return next(row.right[0] for row in screen.rows if row.key == "r3")


async def test_progress_is_updated() -> None:
    async with lobby() as (app, pilot):
        assert live_ply(app) == "7"
        app.deliver(LobbyUpdate(rooms=(), plies={"r3": 12, "unknown room": 3}))
        await pilot.pause()
        assert live_ply(app) == "12"


async def test_escape_closes_help_clears_the_filter_and_quits() -> None:
    async with lobby() as (app, pilot):
        await pilot.press(*"conga", "question_mark")
        await pilot.pause()
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        assert app.screen.query_one("#filter", Input).value == "conga"
        await pilot.press("escape")
        assert app.return_code is None
        await pilot.press("escape")
        await pilot.pause()
        assert app.return_code == 0


async def test_invitation_that_came_before_the_lobby_is_shown_in_it() -> None:
    app = OfflineApp()
    async with app.run_test(size=(100, 30)) as pilot:
        app.deliver(Invited(by="spring cup", room=room("r7", "conga", "", "")))
        await app.show(LobbyScreen())
        await pilot.pause()
        assert "spring cup invites you to Conga in room r7: select it and press enter" in picture_of(app)


@pytest.mark.parametrize(("bots_only", "keys"), [(True, ("enter",)), (False, ("down", "enter"))])
async def test_finding_an_opponent_offers_a_choice(
    bots_only: bool, keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OfflineApp, "bots_only", bots_only)
    bots = tuple(BotInfo(name=name, plays=("conga",), house=True) for name in ("search", "search@2", "search@5"))
    app = OfflineApp()
    async with app.run_test(size=(100, 30)) as pilot:
        await app.show(LobbyScreen())
        app.deliver(LobbyUpdate(full=True, rooms=(), bots=bots))
        await pilot.press("ctrl+f")
        await pilot.pause()
        shown = picture_of(app)
        assert "search@5 (level 5)" in shown
        assert "search (strongest)" in shown
        assert ("Any player; after 20 s a bot" in shown) != bots_only
        await pilot.press(*keys)
        await pilot.pause()
        assert isinstance(app.sent[-1], Create)
        assert app.sent[-1].invite == "search@5"


async def test_waiting_player_comes_before_bots() -> None:
    bots = (BotInfo(name="search", plays=("conga",), house=True), BotInfo(name="search@2", plays=("conga",)))
    waiting = room("w1", "conga", "bob", "", paired=True)
    app = OfflineApp()
    async with app.run_test(size=(100, 30)) as pilot:
        await app.show(LobbyScreen())
        app.deliver(LobbyUpdate(full=True, rooms=(waiting,), bots=bots))
        await pilot.press("ctrl+f")
        await pilot.pause()
        assert isinstance(app.sent[-1], Pair)
