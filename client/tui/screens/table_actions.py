"""What players of a table do beside moving: offers, answers, resigning, leaving. What cannot be undone asks first.

A letter that is no answer to such a question begins a text, as letters do: it was a word, then, and no key.
"""

from __future__ import annotations

from collections.abc import Callable

from client.tui.dialogs.confirm import Confirm
from client.tui.models.hints import advise
from client.tui.screens.table_view import TableView
from protocol.commands import Abort, AnswerDraw, Claim, Command, OfferDraw, Rematch, Resign, Takeback, Watch

ABORTABLE = 2  # moves, from which on a game counts
LONGEST = 16  # characters of a move that is typed


class TableManners(TableView):
    pressed = ""  # the key that we act on

    def _type(self, character: str) -> None:
        if self.play is not None and (self.play.playing or self.play.typed or character.isdigit()):
            self.play.typed = (self.play.typed + character)[:LONGEST]
            self._notice = ""
            self._say_line()

    def _ask(self, question: str, command: Command, *, running: bool = True) -> None:
        """A command for players, after a second thought."""
        table = self.table
        if table is None or table.seat is None or (table.status == "running") != running:
            self.notice(f"that is for players of a {'game that goes on' if running else 'finished game'}")
            return

        self._confirm(question, lambda: self.house.order(command))

    def _confirm(self, question: str, act: Callable[[], None]) -> None:
        self.app.push_screen(Confirm(question, self.pressed, self._type), lambda yes: act() if yes else None)

    def do_resign(self) -> None:
        self._ask("Resign this game?", Resign(id=self.house.next_id(), room=self.room))

    def do_abort(self) -> None:
        table = self.table
        if table is not None and table.status == "running" and table.ply >= ABORTABLE:
            self.notice("a game can be aborted before its second move, not later; r: resign")
            return
        self._ask("Abort this game? It will not count.", Abort(id=self.house.next_id(), room=self.room))

    def do_draw(self) -> None:
        self._ask("Offer a draw?", OfferDraw(id=self.house.next_id(), room=self.room))

    def do_takeback(self) -> None:
        ply = None if self.table is None else self.table.last_turn(self.table.seat)
        self._ask("Ask to take your last move back?", Takeback(id=self.house.next_id(), room=self.room, ply=ply))

    def do_rematch(self) -> None:
        table = self.table
        if table is not None and table.seat is None and table.next:  # watchers go along
            self.house.order(Watch(id=self.house.next_id(), room=table.next))
            self._go_to(table.next)
            return
        self._ask("Play again, with seats swapped?", Rematch(id=self.house.next_id(), room=self.room), running=False)

    def do_claim(self) -> None:
        self._ask("Claim the game from an opponent who is gone?", Claim(id=self.house.next_id(), room=self.room))

    def do_accept(self) -> None:
        self._answer(True)

    def do_decline(self) -> None:
        self._answer(False)

    def _answer(self, accept: bool) -> None:
        table = self.table
        if table is None or table.seat is None:
            return
        other, id = 1 - table.seat, self.house.next_id()
        if table.offers.draw == other:
            self.house.order(AnswerDraw(id=id, room=self.room, accept=accept))
        elif table.offers.takeback == other:
            self.house.order(Takeback(id=id, room=self.room, accept=accept, ply=table.last_turn(other)))
        elif table.offers.rematch == other:
            self.house.order(Rematch(id=id, room=self.room, accept=accept))

    def do_hint(self) -> None:
        advise(self, whole=False)

    def do_best(self) -> None:
        advise(self, whole=True)

    def do_leave(self) -> None:
        table = self.table
        if table is None or table.seat is None or table.status == "ended":
            self.house.leave_table(self.room)
            return
        question = "Leave now? The game is not over; parlour play offers to go on with it"
        question += "." if self.house.plays_alone else ", unless it is claimed: come back soon."
        if table.status == "waiting":
            question = "Leave the room? It will be closed."
        self._confirm(question, lambda: self.house.leave_table(self.room))
