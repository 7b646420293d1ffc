"""A table: the board, who sits there, the moves, what bots think, what people say. For players and watchers."""

from __future__ import annotations

import time

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input, Static

from client.happenings import Happening
from client.table import Table
from client.tui.advice import advise
from client.tui.board_view import BoardView
from client.tui.chat import Chat
from client.tui.confirm import Confirm
from client.tui.help import Help
from client.tui.keys import ACTIONS, TYPED, table_help
from client.tui.move_list import MoveList
from client.tui.note_view import NoteView
from client.tui.parlour_screen import ParlourScreen
from client.tui.play import Play
from client.tui.seat_line import SeatLine
from client.tui.value_graph import ValueGraph
from client.tui.values import values
from client.tui.words import offer_text, printable, situation, title
from engine.errors import GameError
from protocol import messages as m

TICK = 0.1  # seconds between looks at the clocks
PACE = 0.8  # seconds between moves that play by themselves
PLAYING = "arrows enter: move   or type it   ?: all keys   t: talk   r: resign   q: leave"
LOOKING = "left right: step   home end: first, newest   ?: all keys   t: talk   q: leave"
READING = "left right: step   home end: first, last   space: play   ?: keys   q: leave"
FIRST_HINT = "new here? click, or arrows and enter, or type {move}"


class TableScreen(ParlourScreen):
    def __init__(self, room: str) -> None:
        super().__init__()
        self.room = room
        self.play: Play | None = None
        self._notice = ""
        self._autoplay: Timer | None = None
        self._greeted = False

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
        yield Static(id="prompt", markup=False)
        yield Static(id="keys", markup=False)

    def begin(self) -> None:
        self.query_one(BoardView).focus()
        self.set_interval(TICK, self._tick)
        self.look()

    # -- what is shown

    @property
    def table(self) -> Table | None:
        return self.house.table(self.room)

    def hear(self, happening: Happening) -> None:
        if getattr(happening, "room", None) != self.room:
            return
        self._notice = "" if isinstance(happening, m.Moved) else self._notice
        table = self.table
        if isinstance(happening, m.Declined) and table is not None and happening.seat != table.seat:
            self._notice = f"your {happening.offer} offer is declined"
        if table is not None and table.next and table.seat is not None:
            self._go_to(table.next)
        self.look()

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
        lag = self.house.lag()
        self.query_one("#title", Static).update(f" {title(table)}{f'   {lag}' if lag else ''}")
        self._paint_board()
        self.query_one(MoveList).show(table.moves, table.setup.sides, self.play.ply)
        self.query_one(NoteView).show(table, self.play.ply)
        self.query_one(ValueGraph).show(values(table.moves[: self.play.ply]), table.setup.sides[0])
        self.query_one(Chat).show(table.chat)
        self._tick()
        self._say_line()

    def _paint_board(self) -> None:
        play = self.play
        if play is not None and play.table.game is not None:
            self.query_one(BoardView).show(play.table.setup.game, play.board(), play.marks(), play.flipped)
        self._say_line()

    def _tick(self) -> None:
        table, play = self.table, self.play
        if table is None or play is None:
            return
        now = time.monotonic()
        for side in (0, 1):
            place = side if not play.flipped else 1 - side
            self.query_one(f"#seat-{place}", SeatLine).show(table, side, now)

    def _say_line(self) -> None:
        self.query_one("#prompt", Static).update(" " + self._line())
        ended = self.play is not None and self.play.table.status == "ended"
        playing = self.play is None or self.play.playing
        self.query_one("#keys", Static).update(READING if ended else PLAYING if playing else LOOKING)

    def _line(self) -> str:
        """The most important thing to say now."""
        table, play = self.table, self.play
        if self.house.connection:
            return self.house.connection
        if table is None or play is None:
            return self._notice or f"waiting for room {printable(self.room)}…"
        if table.game is None:
            return f"{table.setup.game} is not known here: {table.position}"
        if play.typed:
            return f"{'move' if play.playing else 'go to move'}: {play.typed}_   enter: go   esc: clear"
        if self._notice:
            return self._notice
        if offer := offer_text(table):
            return f"{offer}: y accepts, n declines"
        if not play.browsing.live:
            where = "the last move" if table.status == "ended" else "back to the game"
            return f"move {play.ply} of {table.ply}; end: {where}"
        if play.premove:
            return f"{play.premove} will be played when it is your turn; esc: take it back"
        line = situation(table)
        if table.status == "ended" and table.seat is not None:
            line += "   m: rematch   q: leave   arrows: look at the game"
        elif table.status == "ended" and table.next:
            line += "   m: on to the rematch"
        elif table.my_move and not self._greeted and not table.moves[1:]:
            line += "   " + FIRST_HINT.format(move=table.game.legal(table.state)[0])
        return line

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

    # -- keys

    def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input):
            if event.key == "escape":
                self._talk(False)
            return
        action = ACTIONS.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            if action == "arrow":
                self._arrow(event.key)
            else:
                getattr(self, f"do_{action}")()
        elif event.character is not None and event.character in TYPED:
            self._type(event.character)
        elif event.key == "backspace" and self.play is not None:
            self.play.typed = self.play.typed[:-1]
            self._say_line()

    def _type(self, character: str) -> None:
        if self.play is not None and (self.play.playing or character.isdigit()):
            self.play.typed = (self.play.typed + character)[:8]
            self._notice = ""
            self._say_line()

    def _arrow(self, key: str) -> None:
        if self.play is None:
            return
        self._notice = ""
        if self.play.playing:
            self.play.arrow(key)
            self._paint_board()
        else:
            self._look_by({"left": -1, "up": -1, "right": 1, "down": 1}[key])

    def do_enter(self) -> None:
        play = self.play
        if play is None:
            return
        text, play.typed = play.typed, ""
        if text and not play.playing:
            play.look_at(int(text))
            self.look()
        elif text:
            self._chosen(text)
        elif play.cursor is not None and play.playing:
            self._point(play.cursor)
        elif play.playing:
            self._arrow("up")

    def do_escape(self) -> None:
        self._stop_autoplay()
        self._notice = ""
        if self.play is not None:
            self.play.let_go()
            self._paint_board()

    # -- moves

    def on_board_view_pointed(self, event: BoardView.Pointed) -> None:
        if self.play is not None and self.play.playing:
            self._point(event.cell)

    def on_board_view_hovered(self, event: BoardView.Hovered) -> None:
        if self.play is not None and self.play.playing:
            self.play.cursor = event.cell
            self._paint_board()

    def _point(self, cell: str) -> None:
        assert self.play is not None
        self._notice = ""
        text = self.play.point(cell)
        if text:
            self._chosen(text)
        self._paint_board()

    def _chosen(self, text: str) -> None:
        """A whole move: sent, kept for later, or refused on the spot."""
        play, table = self.play, self.table
        if play is None or table is None or table.game is None or table.seat is None:
            return
        if not play.want(text):
            self._say_line()
            return
        try:
            move = table.game.format(table.state, table.game.parse(table.state, text))
        except GameError as error:
            self.notice(str(error))
            return
        self._greeted = True
        self.house.order(m.Move(id=self.house.next_id(), room=self.room, ply=table.ply, move=move))

    def _send_premove(self) -> None:
        if self.play is None or self.house.connection:
            return
        text, wrong = self.play.due_premove()
        if wrong:
            self._notice = wrong
        if text:
            self._chosen(text)

    # -- looking back

    def _look_by(self, plies: int) -> None:
        if self.play is not None:
            self._notice = ""
            self.play.look(plies)
            self.look()

    def do_back(self) -> None:
        self._look_by(-1)

    def do_forward(self) -> None:
        self._look_by(1)

    def do_first(self) -> None:
        self._look_by(-(10**6))

    def do_live(self) -> None:
        if self.play is not None:
            self.play.browsing.return_to_live()
            self.look()

    def on_move_list_chosen(self, event: MoveList.Chosen) -> None:
        if self.play is not None:
            self.play.look_at(event.ply)
            self.look()

    def do_autoplay(self) -> None:
        """A finished game plays itself, from the start if its end is in sight."""
        play = self.play
        if play is None or play.table.status != "ended" or self._autoplay is not None:
            self._stop_autoplay()
            return
        if play.ply == play.table.ply:
            play.look_at(0)
        self._autoplay = self.set_interval(PACE, self._play_on)
        self.look()

    def _play_on(self) -> None:
        self._look_by(1)
        if self.play is None or self.play.ply >= self.play.table.ply:
            self._stop_autoplay()

    def _stop_autoplay(self) -> None:
        if self._autoplay is not None:
            self._autoplay.stop()
            self._autoplay = None

    # -- everything else

    def do_flip(self) -> None:
        if self.play is not None:
            self.play.flipped = not self.play.flipped
            self.look()

    def do_theme(self) -> None:
        self.house.other_theme()

    def do_help(self) -> None:
        self.app.push_screen(Help("The keys of a table", table_help()))

    def do_talk(self) -> None:
        if self.table is not None:
            self._talk(True)

    def _talk(self, on: bool) -> None:
        self.query_one(Chat).talk(on)
        if not on:
            self.query_one(BoardView).focus()
        self.look()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.house.order(m.Say(id=self.house.next_id(), room=self.room, text=event.value.strip()))
        self._talk(False)

    def _ask(self, question: str, command: m.Command, *, running: bool = True) -> None:
        """A command for players, after a second thought."""
        table = self.table
        if table is None or table.seat is None or (table.status == "running") != running:
            self.notice("that is for players of a game that goes on" if running else "that is for a finished game")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.house.order(command)

        self.app.push_screen(Confirm(question), answered)

    def do_resign(self) -> None:
        self._ask("Resign this game?", m.Resign(id=self.house.next_id(), room=self.room))

    def do_draw(self) -> None:
        self._ask("Offer a draw?", m.OfferDraw(id=self.house.next_id(), room=self.room))

    def do_takeback(self) -> None:
        self._ask("Ask to take your last move back?", m.Takeback(id=self.house.next_id(), room=self.room))

    def do_rematch(self) -> None:
        table = self.table
        if table is not None and table.seat is None and table.next:  # watchers go along
            self.house.order(m.Watch(id=self.house.next_id(), room=table.next))
            self._go_to(table.next)
            return
        self._ask("Play again, with seats swapped?", m.Rematch(id=self.house.next_id(), room=self.room), running=False)

    def do_claim(self) -> None:
        self._ask("Claim the game from an opponent who is gone?", m.Claim(id=self.house.next_id(), room=self.room))

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
            self.house.order(m.AnswerDraw(id=id, room=self.room, accept=accept))
        elif table.offers.takeback == other:
            self.house.order(m.Takeback(id=id, room=self.room, accept=accept))
        elif table.offers.rematch == other:
            self.house.order(m.Rematch(id=id, room=self.room, accept=accept))

    def do_hint(self) -> None:
        advise(self, whole=False)

    def do_best(self) -> None:
        advise(self, whole=True)

    def do_leave(self) -> None:
        table = self.table
        if table is None or table.seat is None or table.status == "ended":
            self.house.leave_table(self.room)
            return
        question = "Leave now? The game is not over; parlour play offers to go on with it."
        if table.status == "waiting":
            question = "Leave the room? It will be closed."

        def answered(yes: bool | None) -> None:
            if yes:
                self.house.leave_table(self.room)

        self.app.push_screen(Confirm(question), answered)
