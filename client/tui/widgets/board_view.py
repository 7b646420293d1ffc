"""A board of any game, as large as the space allows, with marks."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from client.tui.render.appearance import Appearance
from client.tui.render.board_picture import BoardPicture
from client.tui.render.fit import fit_board
from client.tui.render.marks import NO_MARKS, Marks
from engine.board import Board
from engine.game import Game


class BoardView(Widget, can_focus=True):
    """Draws a board and reports clicks and mouse movements by cell."""

    class Pointed(Message):
        """A cell was clicked."""

        def __init__(self, cell: str) -> None:
            super().__init__()
            self.cell = cell

    class Hovered(Message):
        """The mouse moved to another cell."""

        def __init__(self, cell: str) -> None:
            super().__init__()
            self.cell = cell

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.appearance = appearance
        self._game: Game | None = None
        self._board: Board | None = None
        self._marks = NO_MARKS
        self._flipped = False
        self._over: str | None = None
        self._strips: list[Strip] | None = None

    def show(self, game: Game, board: Board, marks: Marks, flipped: bool) -> None:
        if (game, board, marks, flipped) != (self._game, self._board, self._marks, self._flipped):
            self._game, self._board, self._marks, self._flipped = game, board, marks, flipped
            self.repaint()

    def repaint(self) -> None:
        self._strips = None
        self.refresh()

    def on_resize(self) -> None:
        self.repaint()

    def picture(self) -> BoardPicture | None:
        """Return the picture of the board in the current size."""
        if self._board is None or self._game is None:
            return None
        width, height = self.size
        return fit_board(self._game, self._board, width, height, self.appearance, flipped=self._flipped)

    def offset_of(self, picture: BoardPicture) -> tuple[int, int]:
        """Return the position of the picture, which is centred."""
        return max(0, (self.size.width - picture.columns) // 2), max(0, (self.size.height - picture.rows) // 2)

    def render_line(self, y: int) -> Strip:
        if self._strips is None:
            self._strips = self._paint()
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def _paint(self) -> list[Strip]:
        picture = self.picture()
        if picture is None:
            return []
        left, top = self.offset_of(picture)
        ground = self.rich_style
        strips = [Strip.blank(self.size.width, ground)] * top
        for line in picture.lines(self._marks):
            strips.append(Strip([Segment(" " * left, ground), *line]).adjust_cell_length(self.size.width, ground))
        return strips

    def cell_at(self, x: int, y: int) -> str | None:
        """Return the name of the cell at a position of the widget."""
        picture = self.picture()
        if picture is None:
            return None
        left, top = self.offset_of(picture)
        cell = picture.cell_at(x - left, y - top)
        return None if cell is None else cell.name

    def on_click(self, event: events.Click) -> None:
        name = self.cell_at(event.x, event.y)
        if name is not None:
            self.post_message(self.Pointed(name))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        name = self.cell_at(event.x, event.y)
        if name is not None and name != self._over:
            self.post_message(self.Hovered(name))
        self._over = name
