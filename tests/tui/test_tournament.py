"""The tournament screen: what it shows in which size, and its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from client.presentation.tournament_texts import progress_text
from client.tui.render.appearance import Appearance
from client.tui.render.tournament import cell_token, page_lines
from client.tui.screens.table import TableScreen
from client.tui.screens.tournament import TournamentScreen
from client.tui.widgets.board_tile import BoardTile
from protocol.commands import Watch, WatchTournament
from protocol.replies import TournamentUpdate
from protocol.types import TournamentGame, TournamentReport, TournamentRow
from tests.tournament.reports import rich_report
from tests.tui.offline_app import MONO, OfflineApp, picture_of, snapshot_of

RUNNING = tuple(TournamentGame(number=n, first="blockade", second="search@5", room=f"room{n}") for n in (4, 5, 6))
NEXT = (TournamentGame(number=7, first="homework-7", second="blockade"),)
ROOMS = [snapshot_of("conga", ("a4b4",), room=game.room, seat=None, names=("blockade", "search@5")) for game in RUNNING]


def report(**more: Any) -> TournamentReport:
    return rich_report(**{"running": RUNNING, "next": NEXT, **more})


def text_of(given: TournamentReport, width: int = 76, height: int = 60, **more: bool) -> str:
    lines = page_lines(given, width, height, MONO, **more)
    return "\n".join("".join(segment.text for segment in line).rstrip() for line in lines)


@asynccontextmanager
async def screen(
    size: tuple[int, int] = (120, 40), given: TournamentReport | None = None, appearance: Appearance = MONO
) -> AsyncIterator[tuple[OfflineApp, Pilot[str], TournamentScreen]]:
    app = OfflineApp(*ROOMS, appearance=appearance)
    async with app.run_test(size=size) as pilot:
        shown = TournamentScreen("cup")
        await app.show(shown)
        app.deliver(TournamentUpdate(name="cup", by="arbiter", age=0, report=given or report()))
        await pilot.pause()
        shown.flush()
        await pilot.pause()
        yield app, pilot, shown


def test_page_has_all_parts() -> None:
    text = text_of(report())
    for words in ("Standings", "Crosstable", "Last results", "Next", "Goals: 1 of 2 met", "Is blockade stronger"):
        assert words in text
    assert "forfeit: search@5 left" in text
    assert "½ – ½" in text


def test_low_page_leaves_out_the_least_important_parts() -> None:
    text = text_of(report(), height=12)
    assert len(text.splitlines()) <= 12
    assert "Standing" in text
    assert "Next" not in text


def test_long_standing_says_how_many_players_are_hidden() -> None:
    rows = tuple(TournamentRow(name=f"player{n}", points=1.0, games=2) for n in range(40))
    text = text_of(report(rows=rows, players=40, crosstable=()), height=20)
    assert len(text.splitlines()) == 20
    assert text.endswith("and 22 more players")


def test_ladder_shows_ratings_on_its_scale_and_retired_versions() -> None:
    rows = (
        TournamentRow(name="search@3 0.1", points=1.0, games=2, elo=1248, state="anchor"),
        TournamentRow(name="ann 1.0", points=1.0, games=2, elo=1100, error=60, state="retired"),
    )
    shown = report(format="ladder", rows=rows, players=2, crosstable=(), done=500, total=500, open_ended=True)
    text = text_of(shown, width=110, details=True)
    for words in ("search@3 0.1 (anchor)", "ann 1.0 (retired)", "1100 ± 60"):
        assert words in text
    assert "+1100" not in text
    assert progress_text(shown) == "500 games"


def test_damaged_crosstable_is_left_out() -> None:
    assert "Crosstable" not in text_of(report(crosstable=(("1/2",), ("1/2", "-"))))


@pytest.mark.parametrize(("cell", "token"), [("1.5/2", "good"), ("1/2", "text"), ("0/1", "bad"), ("–", "muted")])
def test_colour_of_a_result_follows_the_share_of_points(cell: str, token: str) -> None:
    assert cell_token(cell) == token


def test_details_have_all_numbers() -> None:
    text = text_of(report(), width=110, details=True)
    assert "Elo" in text
    assert "-9 ± 8" in text


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"sprt": None}, "3 of 12 games"),
        ({"sprt": None, "open_ended": True}, "3 of about 12 games"),
        ({"open_ended": True}, "3 of at most 12 games"),
        ({"finished": True}, "3 games"),
    ],
)
async def test_total_that_may_change_is_shown_as_approximate(more: dict[str, Any], words: str) -> None:
    async with screen(given=report(**more)) as (app, _, _screen):
        assert words in picture_of(app)


@pytest.mark.parametrize(("size", "boards"), [((80, 24), 0), ((100, 30), 1), ((120, 40), 2)])
async def test_boards_are_shown_where_there_is_space(size: tuple[int, int], boards: int) -> None:
    async with screen(size) as (app, _, shown):
        assert sum(tile.display for tile in shown.query(BoardTile)) == boards
        assert ("Now playing" in picture_of(app)) == (boards > 0)
        assert ("Now  blockade – search@5, move 1" in picture_of(app)) == (boards == 0)


async def test_arrows_choose_a_game_and_enter_watches_it() -> None:
    async with screen((100, 30)) as (app, pilot, shown):
        assert shown.chosen == RUNNING[0]
        await pilot.press("up")
        assert shown.chosen == RUNNING[0]
        await pilot.press("down", "down", "down")
        assert shown.chosen == RUNNING[2]
        assert next(tile for tile in shown.query(BoardTile) if tile.display).room == "room6"
        await pilot.press("enter")
        assert isinstance(app.sent[-1], Watch)
        assert app.sent[-1].room == "room6"


async def test_chosen_game_that_ended_gives_way_to_another() -> None:
    async with screen() as (app, pilot, shown):
        await pilot.press("down")
        app.deliver(TournamentUpdate(name="cup", by="arbiter", age=0, report=report(running=RUNNING[2:])))
        await pilot.pause()
        assert shown.chosen == RUNNING[2]
        app.deliver(TournamentUpdate(name="cup", by="arbiter", age=0, report=report(running=())))
        await pilot.press("enter")
        assert "No game is running." in picture_of(app)


async def test_screen_waits_for_the_first_report() -> None:
    app = OfflineApp(appearance=MONO)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TournamentScreen("cup"))
        await pilot.pause()
        assert "No tournament named cup" in picture_of(app)
        assert [command.name for command in app.sent if isinstance(command, WatchTournament)] == ["cup"]
        app.deliver(TournamentUpdate(name="other", by="arbiter", age=0, report=report()))
        await pilot.pause()
        assert "No tournament named cup" in picture_of(app)


async def test_colours_change_and_silence_is_shown() -> None:
    async with screen(appearance=Appearance("dark")) as (app, pilot, _):
        await pilot.press("p")
        assert app.appearance.theme == "light"
        app.deliver(TournamentUpdate(name="cup", by="arbiter", age=300_000, report=report()))
        await pilot.pause()
        assert "no news for 5 minutes" in picture_of(app)


async def test_table_of_a_game_returns_to_the_tournament() -> None:
    async with screen() as (app, pilot, shown):
        await app.show(TableScreen("room4"))
        await pilot.pause()
        await pilot.press("q")
        await pilot.pause()
        assert app.screen is shown
