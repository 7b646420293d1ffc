"""The display of a table: the board, the players, the moves, bot values, chat and footer; and sending moves."""

from __future__ import annotations

import time

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from client.presentation.launch_plan import GameRequest
from client.presentation.texts import (
    absent_text,
    gone_text,
    joined,
    offer_text,
    pending_text,
    seat_name,
    situation,
    title,
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
from client.tui.widgets.plain import PlainText
from client.tui.widgets.seat_line import SeatLine
from client.tui.widgets.value_graph import ValueGraph
from engine.errors import GameError
from engine.game import Game
from protocol.commands import Move
from protocol.events import Declined, DrawOffered, Ended, Moved, RematchOffered, TakebackOffered, TakenBack
from protocol.replies import Ok

CLEARING_EVENTS = (Moved, TakenBack, DrawOffered, TakebackOffered, RematchOffered, Ended)  # these replace a notice
CLOCK_INTERVAL_S = 0.1
PLAYING_KEYS = "arrows enter: move (or type it)   t: chat   r: resign   q: leave   ?: all keys"
BROWSING_KEYS = "left right: step   home end: first, latest   t: chat   q: leave   ?: all keys"
ENDED_KEYS = "left right: step   home end: first, last   space: replay   q: leave   ?: all keys"
FIRST_HINT = "To move: click, use arrows and enter, or type {move}"


class TableView(BaseScreen):
    """A table without keys."""

    def __init__(self, room: str, pairing: GameRequest | None = None) -> None:
        """Show a room. `pairing`: the quick pairing request for which the room waits."""
        super().__init__()
        self.room, self._pairing = room, pairing
        self.model: TableState | None = None
        self._notice = self._title = ""

    def compose_content(self) -> ComposeResult:
        appearance = self.client.appearance
        yield PlainText(id="title")
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
        self.set_interval(CLOCK_INTERVAL_S, self._tick)
        self.refresh_view()

    # -- what is shown

    @property
    def table(self) -> RoomView | None:
        return self.client.table(self.room)

    def receive(self, event: SessionEvent) -> None:
        if getattr(event, "room", None) != self.room:
            return
        self._notice = "" if isinstance(event, CLEARING_EVENTS) else self._notice
        table = self.table
        if isinstance(event, Declined) and table is not None and event.seat != table.seat:
            self._notice = f"{seat_name(table.seats[event.seat])} declines the {event.offer} offer"
        if table is not None and table.next and table.seat is not None:
            self._change_room(table.next)
        elif self._pairing is not None and table is not None and table.status != "waiting":
            self._end_pairing(table, self._pairing)
        self.refresh_view()

    def _end_pairing(self, table: RoomView, pairing: GameRequest) -> None:
        """Stop waiting: an opponent has come. If a lost connection closed the room instead, look for one again."""
        self._pairing = None
        if table.status == "ended":

            def wait_again(ok: Ok) -> None:
                self._change_room(ok.room)
                self._pairing = pairing
                self.refresh_view()

            self.client.send(pairing.command(self.client.next_id()), wait_again)

    def _change_room(self, room: str) -> None:
        """Show another room on this screen, such as the rematch."""
        flipped = self.model is not None and self.model.flipped
        self.room, self.model, self._notice = room, None, ""
        if (table := self.table) is not None:
            self.model = TableState(table)
            self.model.flipped = flipped

    def refresh_view(self) -> None:
        """Update all widgets."""
        table = self.table
        if table is None or table.game is None:
            self._update_footer()
            return
        if self.model is None:
            self.model = TableState(table)
        self.model.update(table)
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
            self.query_one(BoardView).show(model.table.game, model.board(), model.marks(), model.flipped)
        self._update_footer()

    def _tick(self) -> None:
        table, model = self.table, self.model
        if table is None or model is None:
            return
        self._update_title(table)
        now, points = time.monotonic(), model.table.standing(model.ply)  # the points at the ply shown
        for side in (0, 1):
            place = side if not model.flipped else 1 - side
            self.query_one(f"#seat-{place}", SeatLine).show(table, side, now, points)
        self._update_footer()

    def _update_title(self, table: RoomView) -> None:
        lag = self.client.lag()
        text = f" {title(table)}{f'   {lag}' if lag else ''}"
        if text != self._title:
            self._title = text
            self.query_one("#title", PlainText).update(text)

    def _update_footer(self) -> None:
        ended = self.model is not None and self.model.table.status == "ended"
        playing = self.model is None or self.model.playing
        keys = ENDED_KEYS if ended else PLAYING_KEYS if playing else BROWSING_KEYS
        self.query_one(Footer).show(self._footer_text(), keys)

    def _footer_text(self) -> str:
        """Return the most important message."""
        table, model = self.table, self.model
        if model is not None and model.typed:
            what, enter = ("Move", "play") if model.playing else ("Go to move", "go")
            return f"{what}: {model.typed}_   enter: {enter}   esc: clear"
        if self.client.connection:
            return self.client.connection
        if table is None:
            return self._notice or f"Loading room {self.room}…"
        if table.game is None or model is None:
            return self._notice or f"This client does not know the game {table.setup.game}: {table.position}"
        offer, gone = offer_text(table), gone_text(table, time.monotonic())
        if offer or self._notice:
            return joined(offer and f"{offer}: y accepts, n declines", gone, self._notice)
        if not model.browser.live:
            where = "last move" if table.status == "ended" else "back to the game"
            return joined(f"Move {model.ply} of {table.ply}   end: {where}", gone)
        if model.premove:
            text = f"Premove {model.premove} will be played on your turn   esc: cancel"
        else:
            text = absent_text(table, None if self.client.bots_only else self.client.bots) or situation(table)
        return joined(text, joined(pending_text(table), gone) or self._suggestion(table, table.game))

    def _suggestion(self, table: RoomView, game: Game) -> str:
        """Return what the user could do next."""
        if table.status == "ended" and table.seat is not None:
            return "m: rematch"
        if table.status == "ended" and table.next:
            return "m: watch the rematch"
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

    def _play(self, text: str) -> None:
        """Send a move, keep it as a premove, or show why it is not legal."""
        model, table = self.model, self.table
        if model is None or table is None or table.game is None or table.seat is None:
            return
        try:
            table.game.read(table.state, text)
            if not model.choose(text):
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
        text, refusal = self.model.due_premove()
        if refusal:
            self._notice = refusal
        if text:
            self._play(text)
