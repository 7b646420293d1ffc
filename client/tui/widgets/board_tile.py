"""One game of the TV: its players, its board, and a line about its state."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from client.presentation.results import title_parts
from client.presentation.texts import time_text
from client.sdk.result_text import seat_name
from client.sdk.room_view import RoomView
from client.tui.models.lobby_rooms import title_of
from client.tui.models.motion import STILL, motion_to
from client.tui.render.appearance import Appearance
from client.tui.render.bars import bar_styles, chosen_mark
from client.tui.render.pixels import text_style
from client.tui.render.strip import PlayerLine, bullet_segments, cut, length, share, tone
from client.tui.widgets.small_board import small_board, text_lines
from engine.board import Board
from runtime.printable import printable

FRAME_INTERVAL_S = 1 / 20  # of an animation: small boards need fewer frames than a table
MARGIN_COLUMNS = 2  # at both sides; the mark of the chosen game is in it


class BoardTile(Widget):
    """The board of one room. A click opens its table."""

    class Opened(Message):
        """The board was clicked."""

        def __init__(self, room: str) -> None:
            super().__init__()
            self.room = room

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance
        self.room = ""
        self.chosen = False
        self._table: RoomView | None = None
        self._notice = ""  # shown instead of a board
        self._ply = 0  # of the position shown
        self.clock: Callable[[], float] = time.monotonic
        self._motion, self._moved_at = STILL, 0.0
        self._frames: Timer | None = None
        self._tail = ""  # what follows the result
        self._strips: list[Strip] | None = None
        self._foot: Strip | None = None

    def show(self, room: str, table: RoomView | None, notice: str = "", *, animated: bool = False) -> None:
        """Show the current state of a room. `notice`: a text to show instead, if there is no board.

        `animated`: show how the last move was made, if it is the only new one.
        """
        ply = 0 if table is None else table.ply
        is_next = table is not None and room == self.room and ply == self._ply + 1
        self.room, self._table, self._notice, self._ply = room, table, notice or f"Loading room {room}…", ply
        self._motion = motion_to(table, ply) if animated and is_next and table is not None else STILL
        self._moved_at = self.clock()
        if self.is_moving and self._frames is None:
            self._frames = self.set_interval(FRAME_INTERVAL_S, self._next_frame)
        self.repaint()

    @property
    def is_moving(self) -> bool:
        """Whether an animation is under way."""
        return self._moving_board() is not None

    def _moving_board(self) -> Board | None:
        return self._motion.board_at((self.clock() - self._moved_at) * 1000)

    def _next_frame(self) -> None:
        """Draw the board again; the lines of the players and of the state stay."""
        if self._frames is not None and not self.is_moving:
            self._frames.stop()
            self._frames = None
        self._strips = None
        self.refresh(Region(0, 1, self.size.width, self.size.height - 2))

    def repaint(self) -> None:
        """Draw again, with the current appearance."""
        self._strips = self._foot = None
        self.refresh()

    def choose(self, chosen: bool) -> None:
        """Mark the tile as the chosen one, or remove the mark."""
        if chosen != self.chosen:
            self.chosen = chosen
            self.refresh(Region(0, 0, self.size.width, 1))

    def tick(self, tail: str = "") -> None:
        """Update the last line: clocks run on. `tail`: what happens after the end of this game."""
        self._tail = tail
        foot = self._foot_strip()
        if foot != self._foot:
            self._foot = foot
            self.refresh(Region(0, self.size.height - 1, self.size.width, 1))

    def on_resize(self) -> None:
        self._strips = self._foot = None

    @property
    def _inner(self) -> int:
        return max(0, self.size.width - 2 * MARGIN_COLUMNS)

    def render_line(self, y: int) -> Strip:
        if y == 0:
            return self._head_strip()
        if y == self.size.height - 1:
            self._foot = self._foot_strip()
            return self._foot
        if self._strips is None:
            self._strips = [self._placed(line) for line in self._board(self.size.height - 2)]
        return self._strips[y - 1] if y <= len(self._strips) else self._placed([])

    def _board(self, height: int) -> list[list[Segment]]:
        if self._table is None:
            return text_lines([self._notice], self._inner, height, self.appearance)
        return small_board(self._table, self._inner, height, self.appearance, self._moving_board())

    def _placed(self, line: list[Segment], ground: Style | None = None) -> Strip:
        """Return a line between the margins."""
        style = ground or tone(self.appearance, "text")
        margin = Segment(" " * MARGIN_COLUMNS, style)
        return Strip([margin, *line]).adjust_cell_length(self.size.width, style)

    # -- the players

    def _head_strip(self) -> Strip:
        table, plain = self._table, tone(self.appearance, "text")
        if table is None:
            return self._placed([])
        ground = bar_styles(self.appearance)[0] if self.chosen else plain
        bullets = [self._bullet(table, side) for side in (0, 1)]
        space = self._inner - sum(map(length, bullets)) - 4  # a gap after each bullet and between the players
        first, second = share([printable(seat_name(seat)) for seat in table.seats], space)
        left, right = (
            self._player(table, side, bullets[side], name, ground) for side, name in enumerate((first, second))
        )
        gap = Segment(" " * (self._inner - length(left) - length(right)), ground)
        strip = self._placed([*left, gap, *right], ground)
        if not self.chosen:
            return strip
        return Strip(
            [
                Segment(" ", plain),
                chosen_mark(self.appearance),
                *strip.crop(MARGIN_COLUMNS, self.size.width - 1),
                Segment(" ", plain),
            ]
        )

    def _bullet(self, table: RoomView, side: int) -> list[Segment]:
        if table.game is None:
            return []
        below = side == (table.game.near or 0)
        return bullet_segments(table.game, PlayerLine(side, "", below=below), self.appearance)

    def _player(self, table: RoomView, side: int, bullet: list[Segment], name: str, ground: Style) -> list[Segment]:
        """Return the bullet and the name of a player. The name of the player to move is bold, the other's is muted."""
        turn = table.winner == side if table.status == "ended" else table.turn == side
        ink = tone(self.appearance, "text" if turn else "muted", bold=turn)
        segments = [*bullet, Segment(f" {name}", ink)]
        return [Segment(part.text, on_ground(part.style, ground, self.appearance)) for part in segments]

    # -- the state

    def _foot_strip(self) -> Strip:
        table = self._table
        if table is None:
            return self._placed([])
        if table.status == "ended":
            return self._placed(self._result(table))
        right = [*self._points(table), *self._clocks(table)]
        state = f"move {table.ply}" if table.status == "running" else table.status
        title = f"{self._title(table)}  {state}"
        if cell_len(title) + 2 + length(right) > self._inner:  # the state is the least important part
            title = self._title(table)
        left = [Segment(title, tone(self.appearance, "muted"))]
        gap = Segment(" " * max(1, self._inner - length(left) - length(right)), tone(self.appearance, "text"))
        return self._placed([*left, gap, *right])

    @staticmethod
    def _title(table: RoomView) -> str:
        return printable(title_of(table.setup.game))

    def _points(self, table: RoomView) -> list[Segment]:
        points = table.standing(table.ply)
        return [] if points is None else [Segment(f"{points[0]} to {points[1]}   ", tone(self.appearance, "muted"))]

    def _clocks(self, table: RoomView) -> list[Segment]:
        """Return both clocks. The running one is brighter."""
        if table.left is None:
            return [Segment("no clock", tone(self.appearance, "muted"))]
        now = time.monotonic()
        first, second = (
            Segment(
                time_text(table.time_left(side, now)),
                tone(self.appearance, "text" if table.turn == side else "muted", bold=table.turn == side),
            )
            for side in (0, 1)
        )
        return [first, Segment("  ", tone(self.appearance, "muted")), second]

    def _result(self, table: RoomView) -> list[Segment]:
        """Return the result, with the winner's score first, and the game.

        If space is short, the game goes, then the tail, and then the name is cut.
        """
        tokens = self.appearance.tokens
        name, verdict = title_parts(table)
        title = f" {cut(printable(name), self._inner - 2 - cell_len(verdict))}{verdict} "
        if tokens is None:
            chip = Style(reverse=True, bold=True)
        elif table.winner is None:
            chip = text_style(tokens.text, tokens.line, True)
        else:
            lost = table.seat is not None and table.winner != table.seat
            chip = text_style(tokens.on_accent, tokens.bad if lost else tokens.good, True)
        gap = self._inner - cell_len(title) - cell_len(self._tail)
        game = f"  {self._title(table)}"
        tail = f"{' ' * gap}{self._tail}" if gap > 0 else ""
        if cell_len(game) + 2 <= gap:
            tail = f"{game}{tail[cell_len(game) :]}"
        return [Segment(title, chip), Segment(tail, tone(self.appearance, "muted"))]

    def on_click(self, event: events.Click) -> None:
        if self.room:
            self.post_message(self.Opened(self.room))


def on_ground(style: Style | None, ground: Style, appearance: Appearance) -> Style:
    """Return a style with the background of its line. A bullet with its own background keeps it."""
    style = style or Style()
    tokens = appearance.tokens
    plain = tokens is None or style.bgcolor == tone(appearance, "text").bgcolor
    return style + Style(bgcolor=ground.bgcolor) if plain and ground.bgcolor is not None else style
