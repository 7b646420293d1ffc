"""A small board with its players and its state, as shown on the wall."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from client.presentation.texts import joined, players, situation, standing_text
from client.sdk.room_view import RoomView
from client.tui.models.move_picker import changes
from client.tui.render.appearance import Appearance
from client.tui.render.fit import fit_board
from client.tui.render.marks import Marks
from runtime.printable import printable

MINIMUM_TILE_SIZE = (24, 7)


class BoardTile(Widget, can_focus=True):
    """The board of one room. A click opens its table."""

    class Opened(Message):
        """The board was clicked."""

        def __init__(self, room: str) -> None:
            super().__init__()
            self.room = room

    def __init__(self, room: str, appearance: Appearance) -> None:
        super().__init__()
        self.room, self.appearance = room, appearance
        self._table: RoomView | None = None
        self._strips: list[Strip] | None = None

    def show(self, table: RoomView) -> None:
        self._table = table
        self._strips = None
        self.refresh()

    def minimum_size(self) -> tuple[int, int]:
        """Return the width and the height that show everything."""
        if self._table is None or self._table.game is None:
            return MINIMUM_TILE_SIZE
        board = self._table.game.draw(self._table.state)
        picture = fit_board(self._table.game, board, 0, 0, self.appearance, labels=False)
        return max(MINIMUM_TILE_SIZE[0], picture.columns), max(MINIMUM_TILE_SIZE[1], picture.rows + 2)

    def on_resize(self) -> None:
        self._strips = None

    def on_focus(self) -> None:
        self._strips = None

    def on_blur(self) -> None:
        self._strips = None

    def render_line(self, y: int) -> Strip:
        if self._strips is None:
            self._strips = self._paint()
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def _paint(self) -> list[Strip]:
        table, ground = self._table, self.rich_style
        if table is None:
            return [self._line(f"Loading room {self.room}…", ground)]
        head = ground + Style(bold=True, reverse=self.has_focus)
        strips = [self._line(players(table.seats), head)]
        if table.game is not None:
            strips += self._board(table, ground)
        else:
            strips.append(self._line(table.position, ground))
        return [*strips, self._line(self._last(table), ground)]

    @staticmethod
    def _last(table: RoomView) -> str:
        if table.status != "running":
            return situation(table)
        last = f"{table.ply} {table.moves[-1].move}" if table.moves else "no moves yet"
        return joined(last, standing_text(table))

    def _line(self, text: str, ink: Style) -> Strip:
        return Strip([Segment(printable(text), ink)]).adjust_cell_length(self.size.width, ink)

    def _board(self, table: RoomView, ground: Style) -> list[Strip]:
        assert table.game is not None
        board = table.game.draw(table.state)
        last = changes(table.game.draw(table.states[-2]), board) if table.ply else {}
        picture = fit_board(table.game, board, self.size.width, self.size.height - 2, self.appearance, labels=False)
        left = Segment(" " * max(0, (self.size.width - picture.columns) // 2), ground)
        return [
            Strip([left, *line]).adjust_cell_length(self.size.width, ground)
            for line in picture.lines(Marks(last=frozenset(last)))
        ]

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Opened(self.room))
