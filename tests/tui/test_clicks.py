"""The mouse at a table: what it points at is shown, and clicked."""

from __future__ import annotations

from client.tui.screens.table import TableScreen
from client.tui.widgets.board_view import BoardView
from protocol.commands import Move
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of


def place_of(view: BoardView, name: str) -> tuple[int, int]:
    width, height = view.size
    return next((x + 2, y) for y in range(height) for x in range(width) if view.cell_at(x, y) == name)


async def test_a_piece_lies_under_the_mouse_and_another_is_dropped_upon_it() -> None:
    app = OfflineApp(snapshot_of("maxconnect4", ("4", "1"), seat=0))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        view = app.screen.query_one(BoardView)
        await pilot.hover(view, offset=place_of(view, "d1"))
        await pilot.pause()
        assert "[R]" in picture_of(app)  # here is the mouse
        assert ">R<" in picture_of(app)  # and there it would land
        await pilot.click(view, offset=place_of(view, "d1"))
        assert [order.move for order in app.sent if isinstance(order, Move)] == ["4"]
