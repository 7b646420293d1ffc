"""The actions of a player besides moving: offers, answers, resigning, hints, leaving.

Actions that cannot be undone ask for confirmation. A letter that does not answer the prompt starts a text instead, so
typing a word does not resign a game.
"""

from __future__ import annotations

from collections.abc import Callable

from client.sdk.note import Note
from client.tui.dialogs.confirm import Confirm
from client.tui.models.hints import hint_refusal, think
from client.tui.screens.table_view import TableView
from protocol.commands import Abort, AnswerDraw, Claim, Command, OfferDraw, Rematch, Resign, Takeback, Watch

MAX_ABORTABLE_PLIES = 1  # after more moves, a game can no longer be aborted
MAX_TYPED_LENGTH = 16


class TableActions(TableView):
    """A table with the actions of a player. `TableScreen` calls `do_…` for each key."""

    pressed = ""  # the key of the current action

    def _type(self, character: str) -> None:
        if self.model is not None and (self.model.playing or self.model.typed or character.isdigit()):
            self.model.typed = (self.model.typed + character)[:MAX_TYPED_LENGTH]
            self._notice = ""
            self._update_footer()

    def _ask(self, question: str, command: Command, *, running: bool = True) -> None:
        """Send a player's command after a confirmation. Refuse it for watchers and at the wrong time."""
        table = self.table
        if table is None or table.seat is None or (table.status == "running") != running:
            self.show_notice(f"Only players can do this, and only {'during' if running else 'after'} a game")
            return

        self._confirm(question, lambda: self.client.send(command))

    def _confirm(self, question: str, act: Callable[[], None]) -> None:
        self.app.push_screen(Confirm(question, self.pressed, self._type), lambda yes: act() if yes else None)

    def do_resign(self) -> None:
        self._ask("Resign this game?", Resign(id=self.client.next_id(), room=self.room))

    def do_abort(self) -> None:
        table = self.table
        if table is not None and table.status == "running" and table.ply > MAX_ABORTABLE_PLIES:
            self.show_notice("A game can be aborted only before its second move   r: resign")
            return
        self._ask("Abort this game? It will not count.", Abort(id=self.client.next_id(), room=self.room))

    def do_draw(self) -> None:
        self._ask("Offer a draw?", OfferDraw(id=self.client.next_id(), room=self.room))

    def do_takeback(self) -> None:
        ply = None if self.table is None else self.table.last_turn(self.table.seat)
        self._ask("Ask to take back your last move?", Takeback(id=self.client.next_id(), room=self.room, ply=ply))

    def do_rematch(self) -> None:
        table = self.table
        if table is not None and table.seat is None and table.next:  # watchers follow to the rematch
            self.client.send(Watch(id=self.client.next_id(), room=table.next))
            self._change_room(table.next)
            return
        rematch = Rematch(id=self.client.next_id(), room=self.room)
        self._ask("Offer a rematch with sides swapped?", rematch, running=False)

    def do_claim(self) -> None:
        self._ask("Claim the game because your opponent has left?", Claim(id=self.client.next_id(), room=self.room))

    def do_accept(self) -> None:
        self._answer(True)

    def do_decline(self) -> None:
        self._answer(False)

    def _answer(self, accept: bool) -> None:
        table = self.table
        if table is None or table.seat is None:
            return
        other, id = 1 - table.seat, self.client.next_id()
        if table.offers.draw == other:
            self.client.send(AnswerDraw(id=id, room=self.room, accept=accept))
        elif table.offers.takeback == other:
            self.client.send(Takeback(id=id, room=self.room, accept=accept, ply=table.last_turn(other)))
        elif table.offers.rematch == other:
            self.client.send(Rematch(id=id, room=self.room, accept=accept))

    def do_hint(self) -> None:
        self._advise(whole=False)

    def do_best(self) -> None:
        self._advise(whole=True)

    def _advise(self, *, whole: bool) -> None:
        """Show the square where the best move starts or, if `whole`, the move with its value and line."""
        table = self.table
        if table is None or table.game is None or self.model is None:
            return
        if refusal := hint_refusal(table, self.client.is_bot):
            self.show_notice(refusal)
            return
        self.show_notice("Thinking…")
        game, state, ply, past = table.game, table.state, table.ply, list(table.states[:-1])

        def show(move: int | None, note: Note) -> None:
            model, now = self.model, self.table
            if move is None or model is None or now is None or now.ply != ply:
                return
            text = model.hint(move)
            if whole:
                self.show_notice(f"Best move: {text}  ({note})")
            else:
                model.hinted = model.hinted[:1]
                self.show_notice(f"Hint: start with {model.hinted[0]}")
            self.refresh_view()

        def work() -> None:
            self.app.call_from_thread(show, *think(game, state, past))

        self.run_worker(work, thread=True, exclusive=True, group="hint", exit_on_error=False)

    def do_leave(self) -> None:
        table = self.table
        if table is None or table.seat is None or table.status == "ended":
            self.client.leave_table(self.room)
            return
        question = "Leave? The game is not over. Run parlour play to resume it."
        if table.status == "waiting":
            question = "Leave? The room will be closed."
        elif not self.client.bots_only:
            question += " Come back soon, or your opponent can claim the game."
        self._confirm(question, lambda: self.client.leave_table(self.room))
