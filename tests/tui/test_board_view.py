"""The board and the mouse."""

from __future__ import annotations

from client.tui.screens.table import TableScreen
from client.tui.widgets.board_view import BoardView
from protocol.commands import Move
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of


def position_of(view: BoardView, name: str) -> tuple[int, int]:
    width, height = view.size
    return next((x + 2, y) for y in range(height) for x in range(width) if view.cell_at(x, y) == name)


async def test_clicking_an_occupied_cell_drops_a_piece_into_its_column() -> None:
    app = OfflineApp(snapshot_of("maxconnect4", ("4", "1"), seat=0))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        view = app.screen.query_one(BoardView)
        await pilot.hover(view, offset=position_of(view, "d1"))
        await pilot.pause()
        assert "[●]" in picture_of(app)  # the mouse
        assert " + " in picture_of(app)  # where the piece would land
        await pilot.click(view, offset=position_of(view, "d1"))
        assert [command.move for command in app.sent if isinstance(command, Move)] == ["4"]
