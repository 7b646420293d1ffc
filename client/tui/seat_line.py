"""Who sits on a side: the name, whether they are here, and their clock."""

from __future__ import annotations

from rich.cells import set_cell_size
from textual.widgets import Static

from client.table import Table
from client.tui.looks import Looks
from client.tui.words import name_of, rating_of, rating_text, time_text


class SeatLine(Static):
    def __init__(self, looks: Looks, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._looks = looks
        self._shown: tuple[str, bool] = ("", False)

    def show(self, table: Table, side: int, now: float) -> None:
        seat = table.seats[side]
        name = f"{name_of(seat)}{' (you)' if side == table.seat and name_of(seat) != 'you' else ''}"
        mark = self._looks.online(seat is not None and seat.online)
        turn = table.status == "running" and table.turn == side
        clock = time_text(table.time_left(side, now))
        left = f"{mark} {' '.join(filter(None, (name, self._rating(table, side))))}, {table.setup.sides[side]}"
        width = max(0, self.size.width - len(clock) - 1)
        text = f"{set_cell_size(left, width)} {clock}" if self.size.width else left
        if (text, turn) != self._shown:
            self._shown = (text, turn)
            self.update(text)
            self.set_class(turn, "-turn")

    @staticmethod
    def _rating(table: Table, side: int) -> str:
        seat = table.seats[side]
        if table.ratings is not None:
            return rating_text(table.ratings[side].after, table.ratings[side].provisional)
        return "" if seat is None else rating_of(seat)
