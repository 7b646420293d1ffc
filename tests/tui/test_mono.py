"""Without colours every screen is without colours, and what is chosen can still be seen."""

from __future__ import annotations

import pytest
from rich.segment import Segment

from client.tui.dialogs.confirm import Confirm
from client.tui.render.appearance import Appearance
from client.tui.screens.table import TableScreen
from tests.tui.lobby_samples import news
from tests.tui.offline_app import OfflineApp, snapshot_of
from tests.tui.test_snapshots import SCREENS, TABLES


def segments(app: OfflineApp) -> list[list[Segment]]:
    return [[*strip] for strip in app.screen._compositor.render_strips()]


def colours(app: OfflineApp) -> set[str]:
    styles = [segment.style for line in segments(app) for segment in line if segment.style is not None]
    return {colour.name for style in styles for colour in (style.color, style.bgcolor) if colour is not None}


def marked(app: OfflineApp) -> str:
    drawn = [(segment.text, segment.style) for line in segments(app) for segment in line if segment.style]
    return " ".join(text.strip() for text, style in drawn if style.reverse or style.underline)


@pytest.mark.parametrize("name", SCREENS)
async def test_every_screen(name: str) -> None:
    rooms = [snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options) for key, t in TABLES.items()]
    app = OfflineApp(*rooms, appearance=Appearance("mono"))
    async with app.run_test(size=(80, 24)) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(news())
        await pilot.pause()
        assert colours(app) <= {"default"}


@pytest.mark.parametrize(
    ("name", "keys", "chosen"),
    [("lobby", ["down"], "alice"), ("choice", ["down"], "a new game"), ("wall", ["tab"], "alice - search")],
)
async def test_what_is_chosen_is_seen(name: str, keys: list[str], chosen: str) -> None:
    rooms = [snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options) for key, t in TABLES.items()]
    app = OfflineApp(*rooms, appearance=Appearance("mono"))
    async with app.run_test(size=(80, 24)) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(news())
        if name == "wall":
            app.screen._flush()  # type: ignore[attr-defined]
        await pilot.press(*keys)
        await pilot.pause()
        assert chosen in marked(app)
        assert "bob" not in marked(app)


async def test_the_answer_that_has_the_focus_is_seen() -> None:
    app = OfflineApp(appearance=Appearance("mono"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(Confirm("Resign this game?"))
        await pilot.press("tab")
        await pilot.pause()
        assert marked(app).split()[0] in ("y:", "n:")


async def test_colours_go_and_come_with_a_key() -> None:
    app = OfflineApp(snapshot_of("conga"), appearance=Appearance("safe"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        many = colours(app)
        assert len(many) > 3
        await pilot.press("p")
        await pilot.pause()
        assert colours(app) <= {"default"}
        await pilot.press("p", "p")
        await pilot.pause()
        assert len(colours(app)) > 3
