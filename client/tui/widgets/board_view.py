"""A board of any game between its two players, as large as the space allows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from client.tui.models.motion import FADE_MS, STILL, Motion, fade_at
from client.tui.render.appearance import Appearance
from client.tui.render.board_picture import BoardPicture
from client.tui.render.fit import fit_board
from client.tui.render.marks import NO_MARKS, Marks
from client.tui.render.strip import BIG_ROWS, PlayerLine, big_strip, strip
from engine.board import Board
from engine.game import Game
from runtime.printable import printable

PANEL_COLUMNS = 31  # the least width of the panel beside the board
PANEL_ROWS = 5  # the least height of the panel below a wide board
MARGIN_COLUMNS = 3
STRIP_ROWS = 2
BIG_CLOCK_SIZE = (110, 34)  # of a terminal with large clocks
FRAME_INTERVAL_S = 1 / 30  # of an animation


class BoardView(Widget, can_focus=True):
    """Draws a board and its players, and reports clicks and mouse movements by cell."""

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
        self._players: tuple[PlayerLine, PlayerLine] | None = None  # above and below the board
        self._over: str | None = None
        self._strips: list[Strip] | None = None
        self._space = Size(0, 0)  # for the picture
        self.clock: Callable[[], float] = time.monotonic
        self._motion, self._moved_at = STILL, 0.0
        self._fades_from: float | None = None  # when the marks of the end begin to appear
        self._frames: Timer | None = None

    def show(
        self,
        game: Game,
        board: Board,
        marks: Marks,
        flipped: bool,
        motion: Motion = STILL,
        *,
        fades: bool = False,
    ) -> None:
        """Show a position, after the motion that leads to it. `fades`: the marks of the end appear gradually."""
        if (game, board, marks, flipped) != (self._game, self._board, self._marks, self._flipped):
            new_game = game is not self._game
            decided = bool(marks.decisive) and not self._marks.decisive and not new_game
            if board != self._board or not decided:
                self._motion, self._moved_at = motion, self.clock()
            moves_until = self._moved_at + self._motion.duration_ms / 1000
            self._fades_from = max(self.clock(), moves_until) if fades and decided else None
            self._start_frames()
            self._game, self._board, self._marks, self._flipped = game, board, marks, flipped
            self.repaint()
            if new_game:
                self.refresh(layout=True)

    def show_players(self, above: PlayerLine, below: PlayerLine) -> None:
        """Show the players beside their sides."""
        if (above, below) != self._players:
            had_big = self.has_big_clocks
            self._players = above, below
            self.repaint()
            if had_big != self.has_big_clocks:
                self.refresh(layout=True)

    def finish_motion(self) -> None:
        """Show the position at once."""
        if self.is_moving:
            self._motion, self._fades_from = STILL, None
            self._next_frame()

    @property
    def is_moving(self) -> bool:
        """Whether an animation is under way."""
        now = self.clock()
        fading = self._fades_from is not None and now < self._fades_from + FADE_MS / 1000
        return fading or now < self._moved_at + self._motion.duration_ms / 1000

    def _start_frames(self) -> None:
        if self.is_moving and self._frames is None:
            self._frames = self.set_interval(FRAME_INTERVAL_S, self._next_frame)

    def _next_frame(self) -> None:
        self.repaint()
        if self._frames is not None and not self.is_moving:
            self._frames.stop()
            self._frames = None

    def _frame(self) -> tuple[Board | None, Marks]:
        """Return what to draw now: a board of the motion, or the position with its marks."""
        now = self.clock()
        moving = self._motion.board_at((now - self._moved_at) * 1000)
        if moving is not None:
            return moving, NO_MARKS
        if self._fades_from is None:
            return self._board, self._marks
        return self._board, replace(self._marks, shown=fade_at((now - self._fades_from) * 1000))

    def repaint(self) -> None:
        """Draw again, with the current appearance."""
        self._strips = None
        self.refresh()

    @property
    def is_wide(self) -> bool:
        """Whether the board is wide, so that the panel is below it."""
        return self._game is not None and self._game.kind == "pits"

    @property
    def has_big_clocks(self) -> bool:
        """Whether the clocks are drawn in large digits."""
        width, height = self.screen.size
        large = width >= BIG_CLOCK_SIZE[0] and height >= BIG_CLOCK_SIZE[1] and not self.appearance.ascii_only
        return large and self._players is not None and all(player.clock for player in self._players)

    @property
    def _strip_rows(self) -> int:
        """The lines of both players."""
        return sum(BIG_ROWS.values()) if self.has_big_clocks else STRIP_ROWS

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the width that the board needs beside the panel."""
        self._measure(container)
        picture = self.picture()
        return container.width // 2 if picture is None else picture.columns + 2 * MARGIN_COLUMNS

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height of the board with its players."""
        self._measure(container)
        picture = self.picture()
        return container.height if picture is None else picture.rows + self._strip_rows

    def _measure(self, container: Size) -> None:
        """Set the space for the picture: what the panel beside or below it leaves."""
        height = container.height - self._strip_rows
        if self.is_wide:
            self._space = Size(container.width - 2, height - PANEL_ROWS)
        else:
            self._space = Size(container.width - PANEL_COLUMNS - 2 * MARGIN_COLUMNS, height)

    def on_resize(self) -> None:
        self.repaint()

    def picture(self, board: Board | None = None) -> BoardPicture | None:
        """Return the picture of a board, or of the position, in the current size."""
        board = self._board if board is None else board
        if board is None or self._game is None:
            return None
        width, height = self._space
        return fit_board(self._game, board, width, height, self.appearance, flipped=self._flipped)

    def offset_of(self, picture: BoardPicture) -> tuple[int, int]:
        """Return the position of the picture: below the first player, centred if it is wide."""
        left = max(0, (self.size.width - picture.columns) // 2) if self.is_wide else MARGIN_COLUMNS
        return left, BIG_ROWS[False] if self.has_big_clocks else 1

    def render_line(self, y: int) -> Strip:
        if self._strips is None:
            self._strips = self._paint()
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def _paint(self) -> list[Strip]:
        board, marks = self._frame()
        picture = self.picture(board)
        if picture is None:
            return []
        left, _ = self.offset_of(picture)
        lines, ground = picture.lines(marks), self.rich_style
        if self._players is not None and self._game is not None:
            above, below = (self._strip(self._game, picture, readable(player)) for player in self._players)
            lines = [*above, *lines, *below]
        else:
            lines = [[], *lines, []]
        return [
            Strip([Segment(" " * left, ground), *line]).adjust_cell_length(self.size.width, ground) for line in lines
        ]

    def _strip(self, game: Game, picture: BoardPicture, player: PlayerLine) -> list[list[Segment]]:
        """Return the lines of a player, as wide as the board without its labels."""
        margin = Segment(" " * (picture.columns - picture.body_columns), self.rich_style)
        width, appearance = picture.body_columns, self.appearance
        big = self.has_big_clocks
        lines = big_strip(game, player, width, appearance) if big else [strip(game, player, width, appearance)]
        return [[margin, *line] for line in lines]

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


def readable(player: PlayerLine) -> PlayerLine:
    """Return the player with the control characters of the name escaped."""
    return player._replace(name=printable(player.name))
