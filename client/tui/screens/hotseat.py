"""The table of two people at one terminal. The board stays; the status line says who is to move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from client.sdk.result_text import seat_name
from client.sdk.room_view import RoomView
from client.sdk.sides import shown_sides
from client.tui.models.client import Client
from client.tui.models.table_state import HotseatState
from client.tui.render.strip import PlayerLine
from client.tui.screens.table import TableScreen
from client.tui.screens.table_actions import Question
from engine.game import Game
from protocol.commands import AnswerDraw, Command, OfferDraw, Takeback
from protocol.replies import Ok


class HotseatClient(Client, Protocol):
    """The application: both players are at this terminal."""

    def send_as(
        self,
        seat: int,
        command: Command,
        then: Callable[[Ok], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Send a command of the player in a seat."""

    def next_game(self, room: str) -> None:
        """Start another game."""


class HotseatScreen(TableScreen):
    """One game of two people who take turns at the keyboard. Both agree to draws and takebacks at once."""

    state_class = HotseatState
    has_reviewer = False

    @property
    def both(self) -> HotseatClient:
        return cast(HotseatClient, self.app)

    def change_room(self, room: str) -> None:
        """Show the next game."""
        self._change_room(room)
        self.refresh_view()

    def player_line(self, table: RoomView, side: int, now: float) -> PlayerLine:
        return super().player_line(table, side, now)._replace(note="", word="to move")

    def _situation(self, table: RoomView, game: Game) -> str:
        if table.status == "waiting":
            return super()._situation(table, game)
        return f"{player_and_side(table, table.turn)} to move. {self._first_hint(table, game)}".strip()

    @property
    def _may_rematch(self) -> bool:
        return self.table is not None and self.table.status == "ended"

    # -- actions

    def do_resign(self) -> None:
        table = self.table
        if table is not None and table.status == "running":
            super().do_resign()
            if self.question is not None:
                self._put(self.question._replace(text=f"Does {player_and_side(table, table.turn)} give up this game?"))

    def do_draw(self) -> None:
        table = self.table
        if table is None or not self._may_act():
            return
        seat, room = table.turn, self.room

        def agree(ok: Ok) -> None:
            self.both.send_as(1 - seat, AnswerDraw(id=self.client.next_id(), room=room, accept=True))

        def offer() -> None:
            self.both.send_as(seat, OfferDraw(id=self.client.next_id(), room=room), agree)

        self._put(Question("DRAW?", "Do both players agree to a draw?", "yes, a draw", offer))

    def do_takeback(self) -> None:
        table = self.table
        if table is None or not self._may_act():
            return
        if not table.moves:
            self.show_notice("There is no move to take back.")
            return
        seat, room = table.moves[-1].side, self.room
        ply = table.last_turn(seat)

        def agree(ok: Ok) -> None:
            self.both.send_as(1 - seat, Takeback(id=self.client.next_id(), room=room, ply=ply))

        def ask() -> None:
            self.both.send_as(seat, Takeback(id=self.client.next_id(), room=room, ply=ply), agree)

        text = f"Do both agree to take back the last move of {player_and_side(table, seat)}?"
        self._put(Question("TAKE BACK?", text, "yes", ask))

    def do_rematch(self) -> None:
        if self._may_rematch:
            self.both.next_game(self.room)


def player_and_side(table: RoomView, side: int) -> str:
    """Return the name of a player, with the side unless that is the name: `alice (blue)`, `red`."""
    name, colour = seat_name(table.seats[side]), shown_sides(table)[side]
    return name if name == colour else f"{name} ({colour})"
