"""A live game in the lobby: its board between its players."""

from __future__ import annotations

import time

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from client.presentation.results import title_parts
from client.presentation.texts import clock_text, counted, rating_of, time_text
from client.sdk.result_text import seat_name
from client.sdk.room_view import RoomView
from client.tui.models.lobby_rooms import LobbyRow, title_of
from client.tui.render.appearance import Appearance
from client.tui.render.bars import title_line
from client.tui.render.strip import PlayerLine, strip, tone
from client.tui.widgets.small_board import small_board, start_board, text_lines
from protocol.types import RoomInfo
from runtime.printable import printable

LOOSE_ROWS = 18  # from this height on, there is space around the players
LOW_TIME_S = 10


class GamePreview(Widget):
    """The chosen room, bot or live game."""

    def __init__(self, appearance: Appearance, *, id: str) -> None:
        super().__init__(id=id)
        self.appearance = appearance
        self._row: LobbyRow | None = None
        self._table: RoomView | None = None
        self._strips: list[Strip] | None = None
        self._clocks: tuple[str, ...] = ()

    @property
    def room(self) -> str:
        return "" if self._row is None or self._row.room is None else self._row.room.room

    def show(self, row: LobbyRow | None, table: RoomView | None) -> None:
        """Show a row of the lobby. `table`: the state of its room, if the room is watched."""
        self._row, self._table = row, table
        self.repaint()

    def repaint(self) -> None:
        """Draw again, with the current appearance."""
        self._strips = None
        self.refresh()

    def tick(self) -> None:
        """Draw again if a clock shows another time."""
        if self._table is not None and self._table.left is not None:
            clocks = tuple(self._clock(self._table, side) for side in (0, 1))
            if clocks != self._clocks:
                self._clocks = clocks
                self.repaint()

    def on_resize(self) -> None:
        self._strips = None

    def render_line(self, y: int) -> Strip:
        plain = tone(self.appearance, "text")
        if self._strips is None:
            self._strips = [Strip(line).adjust_cell_length(self.size.width, plain) for line in self._paint()]
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, plain)

    def _paint(self) -> list[list[Segment]]:
        row = self._row
        if row is None:
            return []
        width, height = self.size
        if row.room is None:
            texts = ["enter starts a game", "with this bot"] if row.bot is not None else []
            return [title_line(printable(row.left), width, self.appearance), *self._centred(texts, height - 1)]
        title = title_line(printable(title_of(row.room.game)), width, self.appearance)
        space: list[list[Segment]] = [[]] if height >= LOOSE_ROWS else []
        facts = self._facts(row.room) if height >= LOOSE_ROWS else []
        rows = height - 1 - 2 * len(space) - len(facts)
        return [title, *space, *self._game(row.room, rows), *space, *facts]

    def _centred(self, texts: list[str], height: int) -> list[list[Segment]]:
        return text_lines(texts, self.size.width, height, self.appearance)

    def _game(self, info: RoomInfo, height: int) -> list[list[Segment]]:
        """Return the board between its players."""
        width, table = self.size.width, self._table
        if info.status == "waiting":
            return start_board(info, width, height, self.appearance)
        if table is None or table.game is None:
            return self._centred(["Loading…" if table is None else f"Unknown game: {info.game}"], height)
        below = table.game.near or 0
        above_line, below_line = (
            strip(table.game, self._player(table, side, side == below), width, self.appearance)
            for side in (1 - below, below)
        )
        board = small_board(table, width, height - 2, self.appearance)
        return [above_line, *board, below_line]

    def _player(self, table: RoomView, side: int, below: bool) -> PlayerLine:
        seat = table.seats[side]
        turn = table.status == "running" and table.turn == side
        left = table.time_left(side, time.monotonic())
        points = table.standing(table.ply)
        return PlayerLine(
            side=side,
            name=seat_name(seat),
            rating="" if seat is None else rating_of(seat),
            points="" if points is None else str(points[side]),
            turn=turn,
            word="to move",
            clock=self._clock(table, side),
            low=turn and left is not None and left < LOW_TIME_S,
            below=below,
        )

    @staticmethod
    def _clock(table: RoomView, side: int) -> str:
        return time_text(table.time_left(side, time.monotonic()))

    def _facts(self, info: RoomInfo) -> list[list[Segment]]:
        """Return the result, or the settings of the game and its progress."""
        table = self._table
        if table is not None and table.status == "ended":
            return [[Segment(printable("".join(title_parts(table))), tone(self.appearance, "text", bold=True))]]
        parts = [clock_text(info.clock) if info.clock.kind != "none" else "no clock"]
        parts.append("rated" if info.rated else "casual")
        if info.status == "running":
            parts.append(f"move {info.ply if table is None else table.ply}")
        text = ", ".join(parts)
        more = f", {counted(info.watchers, 'watcher')}" if info.watchers else ""
        text = text + more if len(text + more) <= self.size.width else text
        return [[Segment(text, tone(self.appearance, "muted"))]]
