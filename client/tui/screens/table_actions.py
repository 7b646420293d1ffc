"""The actions of a player besides moving: offers, answers, resigning, hints, leaving.

Actions that cannot be undone ask first, in the status line. Only ctrl+y says yes: no typed word can resign a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from client.presentation.judgement import advice_text
from client.presentation.moves import cell_label
from client.sdk.note import Note
from client.tui.models.hints import hint_refusal, think
from client.tui.render.bars import Keys, Status
from client.tui.screens.table_view import TableView
from client.tui.widgets.bars import Footer
from protocol.commands import Abort, AnswerDraw, Claim, Command, OfferDraw, Rematch, Resign, Takeback, Watch

MAX_ABORTABLE_PLIES = 1  # after more moves, a game can no longer be aborted
MAX_TYPED_CHARS = 16
THINKING = "Thinking… The first time takes longer."
YES_KEY = "y alone is not enough. ctrl+y means yes, any other key no."


class Question(NamedTuple):
    """A question in the status line, and what to do if the answer is yes."""

    chip: str
    text: str
    yes: str
    act: Callable[[], None]


class TableActions(TableView):
    """A table with the actions of a player. `TableScreen` calls `do_…` for each key."""

    question: Question | None = None
    _thinking_ply: int | None = None  # the ply for which the engine searches a move
    _best: tuple[int, str] = (-1, "")  # a ply, and what the engine expects after the best move there

    def _type(self, character: str) -> None:
        if self.model is not None and (self.model.playing or self.model.typed or character.isdigit()):
            self.model.typed = (self.model.typed + character)[:MAX_TYPED_CHARS]
            self._notice = ""
            self._update_board()

    def _ask(self, question: Question, *, running: bool = True) -> None:
        """Ask before a player's action. Refuse it for watchers and at the wrong time."""
        if self._may_act(running):
            self._put(question)

    def _may_act(self, running: bool = True) -> bool:
        table = self.table
        may = table is not None and table.seat is not None and (table.status == "running") == running
        if not may:
            self.show_notice(f"Only players can do this, and only {'during' if running else 'after'} a game.")
        return may

    def _put(self, question: Question | None) -> None:
        self.question, self._notice = question, ""
        self._update_footer()

    def answer(self, key: str) -> None:
        """Answer the open question with a key. The key `y` alone means neither yes nor no."""
        question = self.question
        if question is not None and key.lower() == "y":
            self._put(question._replace(text=YES_KEY))
            return
        self._put(None)
        if question is not None and key == "ctrl+y":
            question.act()

    def _update_footer(self) -> None:
        question = self.question
        if question is None:
            super()._update_footer()
            return
        keys = (Keys("ctrl+y", question.yes), Keys("any other key", "no"))
        self.query_one(Footer).show(Status(question.text, question.chip, tone="bad", question=True), keys)

    def _send(self, command: Command) -> Callable[[], None]:
        return lambda: self.client.send(command)

    def do_resign(self) -> None:
        resign = Resign(id=self.client.next_id(), room=self.room)
        self._ask(Question("RESIGN?", "Do you give up this game?", "yes, resign", self._send(resign)))

    def do_abort(self) -> None:
        table = self.table
        if table is not None and table.status == "running" and table.ply > MAX_ABORTABLE_PLIES:
            self.show_notice("A game can be aborted only before its second move. R resigns.")
            return
        abort = Abort(id=self.client.next_id(), room=self.room)
        self._ask(Question("ABORT?", "Do you end this game without a result?", "yes, abort", self._send(abort)))

    def do_draw(self) -> None:
        offer = OfferDraw(id=self.client.next_id(), room=self.room)
        self._ask(Question("DRAW?", "Do you offer a draw?", "yes, offer it", self._send(offer)))

    def do_takeback(self) -> None:
        ply = None if self.table is None else self.table.last_turn(self.table.seat)
        takeback = Takeback(id=self.client.next_id(), room=self.room, ply=ply)
        self._ask(Question("TAKE BACK?", "Ask to take back your last move?", "yes, ask", self._send(takeback)))

    def do_rematch(self) -> None:
        table = self.table
        if table is not None and table.seat is None and table.next:  # watchers follow to the rematch
            self.client.send(Watch(id=self.client.next_id(), room=table.next))
            self._change_room(table.next)
        elif self._may_act(running=False):
            self.client.send(Rematch(id=self.client.next_id(), room=self.room))

    def do_claim(self) -> None:
        claim = Claim(id=self.client.next_id(), room=self.room)
        self._ask(Question("CLAIM?", "Do you claim the game? Your opponent has left.", "yes, claim", self._send(claim)))

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
        """Show the square where the best move starts or, if `whole`, the move. The second time, show its numbers."""
        table = self.table
        if table is None or table.game is None or self.model is None:
            return
        if refusal := hint_refusal(table, self.client.is_bot):
            self.show_notice(refusal)
            return
        if whole and self._best[0] == table.ply:
            self.show_notice(self._best[1])
            return
        self.show_notice(THINKING)
        if self._thinking_ply == table.ply:
            return
        self._thinking_ply = table.ply
        game, state, ply, past = table.game, table.state, table.ply, list(table.states[:-1])

        def show(move: int | None, note: Note) -> None:
            self._thinking_ply = None
            model, now = self.model, self.table
            if move is None or model is None or now is None or now.ply != ply:
                return
            if whole:
                text = model.suggest(move)
                self._best = (ply, advice_text(text, note))
                self.show_notice(f"The best move found is {text}. Press enter to play it, w for the numbers.")
            else:
                model.hinted = game.path(state, move)[:1]
                self.show_notice(f"Hint: look at {cell_label(game, game.draw(state), model.hinted[0])}.")
            self.refresh_view()

        def work() -> None:
            self.app.call_from_thread(show, *think(game, state, past))

        self.run_worker(work, thread=True, exclusive=True, group="hint", exit_on_error=False)

    def do_leave(self) -> None:
        table = self.table
        if table is None or table.seat is None or table.status == "ended":
            self.client.leave_table(self.room)
            return
        text = "The game is not over. You can resume it later."
        if not self.client.keeps_games:
            text = "The game is not over, and it will be lost."
            text += (
                " Only the first open client keeps games."
                if self.client.bots_only
                else " You are a guest without a key."
            )
        if table.status == "waiting":
            text = "The room will be closed."
        elif self.client.keeps_games and not self.client.bots_only:
            text = "The game is not over. Come back soon, or it can be claimed."
        self._put(Question("LEAVE?", text, "yes, leave", lambda: self.client.leave_table(self.room)))
