"""What a table shows: the board, who sits there, the moves, what bots think, what people say; and sending a move."""

from __future__ import annotations

import time

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from client.presentation.launch_plan import GameRequest
from client.presentation.texts import (
    absent_text,
    gone_text,
    offer_text,
    pending_text,
    printable,
    situation,
    title,
    together,
)
from client.sdk.events import SessionEvent
from client.sdk.room_view import RoomView
from client.tui.models.bot_values import values
from client.tui.models.table_state import TableState
from client.tui.screens.base import BaseScreen
from client.tui.widgets.board_view import BoardView
from client.tui.widgets.chat import Chat
from client.tui.widgets.footer import Footer
from client.tui.widgets.move_list import MoveList
from client.tui.widgets.note_view import NoteView
from client.tui.widgets.seat_line import SeatLine
from client.tui.widgets.value_graph import ValueGraph
from engine.errors import GameError
from engine.game import Game
from protocol.commands import Move
from protocol.events import Declined, DrawOffered, Ended, Moved, RematchOffered, TakebackOffered, TakenBack
from protocol.replies import Ok

NEWS = (Moved, TakenBack, DrawOffered, TakebackOffered, RematchOffered, Ended)  # more than a notice is
TICK = 0.1  # seconds between appearance at the clocks
PLAYING = "arrows enter: move   or type it   ?: all keys   t: talk   r: resign   q: leave"
LOOKING = "left right: step   home end: first, newest   ?: all keys   t: talk   q: leave"
READING = "left right: step   home end: first, last   space: play   ?: keys   q: leave"
FIRST_HINT = "new here? click, or arrows and enter, or type {move}"


class TableView(BaseScreen):
    def __init__(self, room: str, sought: GameRequest | None = None) -> None:
        """`sought`: what we look for an opponent for, as long as we wait for one here."""
        super().__init__()
        self.room, self._sought = room, sought
        self.model: TableState | None = None
        self._notice = self._title = ""

    def compose_content(self) -> ComposeResult:
        appearance = self.client.appearance
        yield Static(id="title", markup=False)
        with Horizontal(id="middle"):
            yield BoardView(appearance, id="board")
            with Vertical(id="side"):
                yield SeatLine(appearance, id="seat-1")
                yield MoveList(id="moves")
                yield SeatLine(appearance, id="seat-0")
                yield NoteView(id="note")
                yield ValueGraph(appearance, id="graph")
                yield Chat(id="chat")
        yield Footer()

    def set_up(self) -> None:
        self.query_one(BoardView).focus()
        self.set_interval(TICK, self._tick)
        self.refresh_view()

    # -- what is shown

    @property
    def table(self) -> RoomView | None:
        return self.client.table(self.room)

    def receive(self, happening: SessionEvent) -> None:
        if getattr(happening, "room", None) != self.room:
            return
        self._notice = "" if isinstance(happening, NEWS) else self._notice
        table = self.table
        if isinstance(happening, Declined) and table is not None and happening.seat != table.seat:
            self._notice = f"your {happening.offer} offer is declined"
        if table is not None and table.next and table.seat is not None:
            self._go_to(table.next)
        elif self._sought is not None and table is not None and table.status != "waiting":
            self._wait_is_over(table, self._sought)
        self.refresh_view()

    def _wait_is_over(self, table: RoomView, sought: GameRequest) -> None:
        """There is an opponent; or the connection was lost, and the wait with it: then once more."""
        self._sought = None
        if table.status == "ended":

            def again(ok: Ok) -> None:
                self._go_to(ok.room)
                self._sought = sought
                self.refresh_view()

            self.client.send(sought.command(self.client.next_id()), again)

    def _go_to(self, room: str) -> None:
        """A rematch: the same screen, the next room."""
        flipped = self.model is not None and self.model.flipped
        self.room, self.model, self._notice = room, None, ""
        if (table := self.table) is not None:
            self.model = TableState(table)
            self.model.flipped = flipped

    def refresh_view(self) -> None:
        """Show everything as it is now."""
        table = self.table
        if table is None or table.game is None:
            self._update_footer()
            return
        if self.model is None:
            self.model = TableState(table)
        self.model.fresh(table)
        self._send_premove()
        self._update_board()
        self.query_one(MoveList).show(table.moves, table.setup.sides, self.model.ply)
        self.query_one(NoteView).show(table, self.model.ply)
        self.query_one(ValueGraph).show(values(table.moves[: self.model.ply]), table.setup.sides[0])
        self.query_one(Chat).show(table.chat)
        self._tick()

    def _update_board(self) -> None:
        model = self.model
        if model is not None and model.table.game is not None:
            self.query_one(BoardView).show(model.table.setup.game, model.board(), model.marks(), model.flipped)
        self._update_footer()

    def _tick(self) -> None:
        table, model = self.table, self.model
        if table is None or model is None:
            return
        self._update_title(table)
        now, points = time.monotonic(), model.table.standing(model.ply)  # what is looked at, as it was then
        for side in (0, 1):
            place = side if not model.flipped else 1 - side
            self.query_one(f"#seat-{place}", SeatLine).show(table, side, now, points)
        self._update_footer()

    def _update_title(self, table: RoomView) -> None:
        lag = self.client.lag()
        text = f" {title(table)}{f'   {lag}' if lag else ''}"
        if text != self._title:
            self._title = text
            self.query_one("#title", Static).update(text)

    def _update_footer(self) -> None:
        ended = self.model is not None and self.model.table.status == "ended"
        playing = self.model is None or self.model.playing
        self.query_one(Footer).show(self._line(), READING if ended else PLAYING if playing else LOOKING)

    def _line(self) -> str:
        """The most important thing to say now."""
        table, model = self.table, self.model
        if model is not None and model.typed:
            return f"{'move' if model.playing else 'go to move'}: {model.typed}_   enter: go   esc: clear"
        if self.client.connection:
            return self.client.connection
        if table is None or model is None:
            return self._notice or f"waiting for room {printable(self.room)}…"
        if table.game is None:
            return f"{table.setup.game} is not known here: {table.position}"
        offer, gone = offer_text(table), gone_text(table, time.monotonic())
        if offer or self._notice:
            return together(offer and f"{offer}: y accepts, n declines", gone, self._notice)
        if not model.browser.live:
            where = "the last move" if table.status == "ended" else "back to the game"
            return together(f"move {model.ply} of {table.ply}; end: {where}", gone)
        if model.premove:
            line = f"{model.premove} will be played when it is your turn; esc: take it back"
        else:
            line = absent_text(table, None if self.client.bots_only else self.client.bots) or situation(table)
        return together(line, together(pending_text(table), gone) or self._hint(table, table.game))

    def _hint(self, table: RoomView, game: Game) -> str:
        """What else could be done."""
        if table.status == "ended" and table.seat is not None:
            return "m: rematch"
        if table.status == "ended" and table.next:
            return "m: on to the rematch"
        if table.my_move and not table.moves[1:] and self.client.newcomer:
            return FIRST_HINT.format(move=game.legal(table.state)[0])
        return ""

    def show_notice(self, text: str) -> None:
        self._notice = text
        self._update_footer()

    def connection_changed(self) -> None:
        self._update_footer()

    def repaint(self) -> None:
        board = self.query_one(BoardView)
        board.appearance = self.client.appearance
        board.repaint()
        self.refresh_view()

    # -- moves

    def _chosen(self, text: str) -> None:
        """A whole move: sent, kept for later, or refused on the spot."""
        model, table = self.model, self.table
        if model is None or table is None or table.game is None or table.seat is None:
            return
        try:
            table.game.read(table.state, text)
            if not model.want(text):
                self._update_footer()
                return
            move = table.game.format(table.state, table.game.parse(table.state, text))
        except GameError as error:
            self.show_notice(str(error))
            return
        self.client.end_introduction()
        self.client.send(Move(id=self.client.next_id(), room=self.room, ply=table.ply, move=move))

    def _send_premove(self) -> None:
        if self.model is None or self.client.connection:
            return
        text, wrong = self.model.due_premove()
        if wrong:
            self._notice = wrong
        if text:
            self._chosen(text)
