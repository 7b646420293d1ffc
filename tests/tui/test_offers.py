"""Offers fill the status line and replace the keys; arrows move at once and stop at the edge."""

from __future__ import annotations

from typing import Any, cast

import pytest

from client.tui.render.appearance import Appearance
from client.tui.render.tokens import TOKENS, hex_text
from client.tui.screens.table import TableScreen
from client.tui.screens.table_actions import Question
from engine.registry import GAMES
from protocol.commands import AnswerDraw, Rematch, Takeback
from protocol.events import DrawOffered, TakebackOffered
from protocol.types import Offers
from tests.tui.offline_app import AT, OfflineApp, picture_of, snapshot_of

MOVES = ("a4b4", "d1c2", "d4c3")
ENDED: dict[str, Any] = {"status": "ended", "result": "1-0", "reason": "resigned", "winner": 0}


def last_lines(app: OfflineApp) -> tuple[str, str]:
    *_, status, keys = picture_of(app).splitlines()
    return status, keys


def grounds(app: OfflineApp) -> set[str]:
    """Return the background colours of the status line."""
    strip = app.screen._compositor.render_strips()[-2]
    return {part.style.bgcolor.name for part in strip if part.style is not None and part.style.bgcolor is not None}


@pytest.mark.parametrize(
    ("event", "chip", "command"),
    [
        (DrawOffered(room="room", seq=8, at=AT, seat=1), "DRAW?", AnswerDraw),
        (TakebackOffered(room="room", seq=8, at=AT, seat=1, ply=1), "TAKE BACK?", Takeback),
    ],
)
@pytest.mark.parametrize("theme", ["dark", "light", "safe", "mono"])
async def test_offer_tints_the_whole_line_and_replaces_the_keys(
    theme: str, event: Any, chip: str, command: type[Any]
) -> None:
    app = OfflineApp(snapshot_of("conga", MOVES), appearance=Appearance(theme))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("right")  # a preview does not hide it
        app.deliver(event)
        await pilot.pause()
        status, keys = last_lines(app)
        assert chip in status
        assert "y accept  n decline" in keys
        assert "resign" not in keys
        if theme != "mono":
            assert hex_text(TOKENS[theme].bg) not in grounds(app)
        await pilot.press("y")
        assert isinstance(app.sent[-1], command)
        assert app.sent[-1].accept is True


async def test_offer_is_visible_while_a_move_is_typed() -> None:
    app = OfflineApp(snapshot_of("conga", MOVES, seat=1))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("a", "4")
        app.deliver(DrawOffered(room="room", seq=8, at=AT, seat=0))
        await pilot.pause()
        assert "a4_   alice offers a draw: esc clears the text, then y or n" in picture_of(app)
        await pilot.press("escape", "n")
        assert isinstance(app.sent[-1], AnswerDraw)
        assert app.sent[-1].accept is False


async def test_offer_of_a_rematch_is_shown_beside_the_result() -> None:
    app = OfflineApp(snapshot_of("conga", MOVES, offers=Offers(rematch=1), **ENDED))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        assert "REMATCH?" in last_lines(app)[0]
        await pilot.press("y")
        assert isinstance(app.sent[-1], Rematch)


@pytest.mark.parametrize("game", GAMES)
async def test_first_arrow_already_moves(game: str) -> None:
    app = OfflineApp(snapshot_of(game, seat=0))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.pause()
        assert screen.model is not None
        shown = [cell.name for cell in screen.model.board().cells()]
        picker = screen.model.picker()
        assert picker is not None
        start = min(picker.targets(), key=shown.index)
        key = "up" if game == "conga" else "right"  # the only stack of Conga starts in a lower corner
        await pilot.press(key)
        first = screen.model.cursor
        assert first is not None
        assert first != start


@pytest.mark.parametrize("key", ["up", "down", "left", "right"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", GAMES)
async def test_arrows_stop_at_the_edge(game: str, seat: int, key: str) -> None:
    app = OfflineApp(snapshot_of(game, seat=seat))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.pause()
        assert screen.model is not None
        seen = []
        for _ in range(16):
            screen._arrow(key)
            seen.append(screen.model.cursor)
        edge = seen.index(seen[-1])
        assert len(set(seen[: edge + 1])) == edge + 1  # no cell comes twice
        assert set(seen[edge:]) == {seen[-1]}


@pytest.mark.parametrize("width", [80, 100])
async def test_long_question_leaves_its_keys_visible(width: int) -> None:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(width, 24)) as pilot:
        await app.show(TableScreen("room"))
        table = cast(TableScreen, app.screen)
        table._put(Question("LEAVE?", "word " * 40, "yes, leave", lambda: None))
        await pilot.pause()
        assert "ctrl+y yes, leave" in picture_of(app)
