"""ASCII mode: every screen is ASCII, whatever widgets draw and players are called."""

from __future__ import annotations

import pytest

from client.tui.render.appearance import Appearance
from client.tui.render.ascii import to_ascii
from client.tui.screens.table import TableScreen
from tests.tui.lobby_samples import lobby_update
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of
from tests.tui.test_snapshots import SCREENS, TABLES


@pytest.mark.parametrize("name", SCREENS)
async def test_every_screen_is_ascii(name: str) -> None:
    names = ("zoë", "Łukasz")
    rooms = [
        snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options, names=names)
        for key, t in TABLES.items()
    ]
    app = OfflineApp(*rooms, appearance=Appearance("mono", ascii_only=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(lobby_update())
        await pilot.pause()
        text = picture_of(app)
        assert text.isascii(), [line for line in text.splitlines() if not line.isascii()]


def test_to_ascii_keeps_the_width() -> None:
    text = "┌─┐ … ● é 日"
    assert to_ascii(text) == "+-+ . * ? ??"


async def test_ascii_has_no_colours_in_any_theme() -> None:
    app = OfflineApp(snapshot_of("conga"), appearance=Appearance("light", ascii_only=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        styles = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
        colours = {colour for style in styles if style for colour in (style.color, style.bgcolor) if colour}
        assert all(colour.is_default for colour in colours)
