"""One line per player: presence, name, rating, side, points and clock."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from client.presentation.texts import rating_of, rating_text, seat_name, time_text
from client.sdk.room_view import RoomView
from client.tui.render.appearance import Appearance
from client.tui.widgets.move_list import initials
from client.tui.widgets.plain import PlainText


class SeatLine(PlainText):
    """Shows one player. The line is highlighted on the player's turn."""

    def __init__(self, appearance: Appearance, *, id: str) -> None:
        super().__init__(id=id)
        self._appearance = appearance
        self._shown: tuple[str, bool] = ("", False)

    def show(self, table: RoomView, side: int, now: float, points: tuple[int, int] | None) -> None:
        seat = table.seats[side]
        mark = self._appearance.presence_mark(seat is not None and seat.online)
        turn = table.status == "running" and table.turn == side
        clock = time_text(table.time_left(side, now))
        width = self.size.width - len(mark) - len(clock) - 2
        text = f"{mark} {seat_text(table, side, points, width)} {clock}"
        if (text, turn) != self._shown:
            self._shown = (text, turn)
            self.update(text)
            self.set_class(turn, "-turn")


def seat_text(table: RoomView, side: int, points: tuple[int, int] | None, width: int) -> str:
    """Return the player in `width` cells. If there is too little space, abbreviate the side, then cut the name."""
    seat = table.seats[side]
    name = seat_name(seat)
    you = " (you)" if side == table.seat and name != "you" else " (bot)" if seat is not None and seat.bot else ""
    rating = f" {rating}" if (rating := rating_now(table, side)) else ""
    count = "" if points is None else f": {points[side]}"
    sides, short = table.setup.sides, initials(table.setup.sides)
    rest, brief = (f"{you}{rating}, {each[side]}{count}" for each in (sides, short))
    if cell_len(name + rest) > width:
        rest = brief
    if cell_len(name + rest) > width:
        name = set_cell_size(name, max(0, width - cell_len(rest) - 1)) + "…"
    return set_cell_size(name + rest, max(0, width))


def rating_now(table: RoomView, side: int) -> str:
    seat = table.seats[side]
    if table.ratings is not None:
        return rating_text(table.ratings[side].after, table.ratings[side].provisional)
    return "" if seat is None else rating_of(seat)
