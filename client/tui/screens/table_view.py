"""What a table shows: the board, who sits there, the moves, what bots think, what people say; and sending a move."""

from __future__ import annotations

import time

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from client.presentation.launch_plan import Wish
from client.presentation.offers import gone_text, offer_text, pending_text
from client.presentation.texts import absent_text, printable, situation, title, together
from client.sdk.events import SessionEvent
from client.sdk.room_view import RoomView
from client.tui.models.bot_values import values
from client.tui.models.table_state import Play
from client.tui.screens.base import ParlourScreen
from client.tui.widgets.board_view import BoardView
from client.tui.widgets.chat import Chat
from client.tui.widgets.footer import Foot
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
TICK = 0.1  # seconds between looks at the clocks
PLAYING = "arrows enter: move   or type it   ?: all keys   t: talk   r: resign   q: leave"
LOOKING = "left right: step   home end: first, newest   ?: all keys   t: talk   q: leave"
READING = "left right: step   home end: first, last   space: play   ?: keys   q: leave"
FIRST_HINT = "new here? click, or arrows and enter, or type {move}"


class TableView(ParlourScreen):
    def __init__(self, room: str, sought: Wish | None = None) -> None:
        """`sought`: what we look for an opponent for, as long as we wait for one here."""
        super().__init__()
        self.room, self._sought = room, sought
        self.play: Play | None = None
        self._notice = self._title = ""

    def parts(self) -> ComposeResult:
        looks = self.house.looks
        yield Static(id="title", markup=False)
        with Horizontal(id="middle"):
            yield BoardView(looks, id="board")
            with Vertical(id="side"):
                yield SeatLine(looks, id="seat-1")
                yield MoveList(id="moves")
                yield SeatLine(looks, id="seat-0")
                yield NoteView(id="note")
                yield ValueGraph(looks, id="graph")
                yield Chat(id="chat")
        yield Foot()

    def begin(self) -> None:
        self.query_one(BoardView).focus()
        self.set_interval(TICK, self._tick)
        self.look()

    # -- what is shown

    @property
    def table(self) -> RoomView | None:
        return self.house.table(self.room)

    def hear(self, happening: SessionEvent) -> None:
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
        self.look()

    def _wait_is_over(self, table: RoomView, sought: Wish) -> None:
        """There is an opponent; or the connection was lost, and the wait with it: then once more."""
        self._sought = None
        if table.status == "ended":

            def again(ok: Ok) -> None:
                self._go_to(ok.room)
                self._sought = sought
                self.look()

            self.house.order(sought.command(self.house.next_id()), again)

    def _go_to(self, room: str) -> None:
        """A rematch: the same screen, the next room."""
        flipped = self.play is not None and self.play.flipped
        self.room, self.play, self._notice = room, None, ""
        if (table := self.table) is not None:
            self.play = Play(table)
            self.play.flipped = flipped

    def look(self) -> None:
        """Show everything as it is now."""
        table = self.table
        if table is None or table.game is None:
            self._say_line()
            return
        if self.play is None:
            self.play = Play(table)
        self.play.fresh(table)
        self._send_premove()
        self._paint_board()
        self.query_one(MoveList).show(table.moves, table.setup.sides, self.play.ply)
        self.query_one(NoteView).show(table, self.play.ply)
        self.query_one(ValueGraph).show(values(table.moves[: self.play.ply]), table.setup.sides[0])
        self.query_one(Chat).show(table.chat)
        self._tick()

    def _paint_board(self) -> None:
        play = self.play
        if play is not None and play.table.game is not None:
            self.query_one(BoardView).show(play.table.setup.game, play.board(), play.marks(), play.flipped)
        self._say_line()

    def _tick(self) -> None:
        table, play = self.table, self.play
        if table is None or play is None:
            return
        self._entitle(table)
        now, points = time.monotonic(), play.table.standing(play.ply)  # what is looked at, as it was then
        for side in (0, 1):
            place = side if not play.flipped else 1 - side
            self.query_one(f"#seat-{place}", SeatLine).show(table, side, now, points)
        self._say_line()

    def _entitle(self, table: RoomView) -> None:
        lag = self.house.lag()
        text = f" {title(table)}{f'   {lag}' if lag else ''}"
        if text != self._title:
            self._title = text
            self.query_one("#title", Static).update(text)

    def _say_line(self) -> None:
        ended = self.play is not None and self.play.table.status == "ended"
        playing = self.play is None or self.play.playing
        self.query_one(Foot).say(self._line(), READING if ended else PLAYING if playing else LOOKING)

    def _line(self) -> str:
        """The most important thing to say now."""
        table, play = self.table, self.play
        if play is not None and play.typed:
            return f"{'move' if play.playing else 'go to move'}: {play.typed}_   enter: go   esc: clear"
        if self.house.connection:
            return self.house.connection
        if table is None or play is None:
            return self._notice or f"waiting for room {printable(self.room)}…"
        if table.game is None:
            return f"{table.setup.game} is not known here: {table.position}"
        offer, gone = offer_text(table), gone_text(table, time.monotonic())
        if offer or self._notice:
            return together(offer and f"{offer}: y accepts, n declines", gone, self._notice)
        if not play.browsing.live:
            where = "the last move" if table.status == "ended" else "back to the game"
            return together(f"move {play.ply} of {table.ply}; end: {where}", gone)
        if play.premove:
            line = f"{play.premove} will be played when it is your turn; esc: take it back"
        else:
            line = absent_text(table, None if self.house.plays_alone else self.house.bots) or situation(table)
        return together(line, together(pending_text(table), gone) or self._hint(table, table.game))

    def _hint(self, table: RoomView, game: Game) -> str:
        """What else could be done."""
        if table.status == "ended" and table.seat is not None:
            return "m: rematch"
        if table.status == "ended" and table.next:
            return "m: on to the rematch"
        if table.my_move and not table.moves[1:] and self.house.newcomer:
            return FIRST_HINT.format(move=game.legal(table.state)[0])
        return ""

    def notice(self, text: str) -> None:
        self._notice = text
        self._say_line()

    def trouble(self) -> None:
        self._say_line()

    def repaint(self) -> None:
        board = self.query_one(BoardView)
        board.looks = self.house.looks
        board.repaint()
        self.look()

    # -- moves

    def _chosen(self, text: str) -> None:
        """A whole move: sent, kept for later, or refused on the spot."""
        play, table = self.play, self.table
        if play is None or table is None or table.game is None or table.seat is None:
            return
        try:
            table.game.read(table.state, text)
            if not play.want(text):
                self._say_line()
                return
            move = table.game.format(table.state, table.game.parse(table.state, text))
        except GameError as error:
            self.notice(str(error))
            return
        self.house.newcomer = False
        self.house.order(Move(id=self.house.next_id(), room=self.room, ply=table.ply, move=move))

    def _send_premove(self) -> None:
        if self.play is None or self.house.connection:
            return
        text, wrong = self.play.due_premove()
        if wrong:
            self._notice = wrong
        if text:
            self._chosen(text)
