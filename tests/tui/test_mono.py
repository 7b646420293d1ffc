"""The mono theme: no screen has colours, and the selection is still visible."""

from __future__ import annotations

import pytest
from rich.segment import Segment

from client.tui.dialogs.confirm import Confirm
from client.tui.render.appearance import Appearance
from client.tui.screens.table import TableScreen
from tests.tui.lobby_samples import lobby_update
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
async def test_no_screen_has_colours(name: str) -> None:
    rooms = [snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options) for key, t in TABLES.items()]
    app = OfflineApp(*rooms, appearance=Appearance("mono"))
    async with app.run_test(size=(80, 24)) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(lobby_update())
        await pilot.pause()
        assert colours(app) <= {"default"}


def pointed_at(app: OfflineApp) -> list[str]:
    """Return what stands behind the character that points at the selection."""
    lines = ["".join(segment.text for segment in line) for line in segments(app)]
    return [line.partition(">")[2].split()[1] for line in lines if ">" in line]


@pytest.mark.parametrize(("name", "key", "selected"), [("lobby", "down", "alice"), ("wall", "right", "alice")])
async def test_character_points_at_the_selection(name: str, key: str, selected: str) -> None:
    rooms = [snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options) for key, t in TABLES.items()]
    app = OfflineApp(*rooms, appearance=Appearance("mono"))
    async with app.run_test(size=(80, 24)) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(lobby_update())
        if name == "wall":
            app.screen.flush()  # type: ignore[attr-defined]
        await pilot.press(key)
        await pilot.pause()
        assert pointed_at(app) == [selected]


async def test_chosen_button_is_marked() -> None:
    app = OfflineApp(appearance=Appearance("mono"))
    async with app.run_test(size=(80, 24)) as pilot:
        await SCREENS["choice"](app)  # type: ignore[misc]
        await pilot.press("down")
        await pilot.pause()
        assert "A new game" in marked(app)


async def test_focused_button_is_visible() -> None:
    app = OfflineApp(appearance=Appearance("mono"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(Confirm("Resign this game?"))
        await pilot.press("tab")
        await pilot.pause()
        assert marked(app).split()[0] in ("y:", "n:")


async def test_theme_key_switches_colours_off_and_on() -> None:
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
