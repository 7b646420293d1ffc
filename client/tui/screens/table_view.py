"""The display of a table: the board between its players, the moves, the balance, the chat; and sending moves."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from client.presentation.launch_plan import GameRequest
from client.presentation.results import result_card
from client.presentation.review_texts import marks_of
from client.presentation.server_reviews import annotations_from, progress_text
from client.presentation.texts import (
    absent_text,
    clock_text,
    gone_text,
    joined,
    offer_text,
    options_text,
    pending_text,
    rating_of,
    rating_text,
    time_text,
)
from client.sdk.events import SessionEvent
from client.sdk.result_text import seat_name
from client.sdk.room_view import RoomView
from client.sdk.sides import shown_sides
from client.tui.models.hints import hints_allowed
from client.tui.models.motion import STILL
from client.tui.models.table_state import TableState
from client.tui.render.bars import Keys, Status
from client.tui.render.strip import PlayerLine
from client.tui.screens.base import BaseScreen
from client.tui.screens.table_keys import (
    BROWSING_KEYS,
    ENDED_KEYS,
    HINT_KEY,
    OFFER_KEYS,
    PLAYING_KEYS,
    RESULT_KEYS,
    REVIEW_KEY,
    TAKEBACK_KEY,
    WATCHED_KEYS,
)
from client.tui.widgets.balance import BalanceView
from client.tui.widgets.bars import Footer, Header
from client.tui.widgets.board_view import BoardView
from client.tui.widgets.chat import Chat
from client.tui.widgets.move_list import MoveList
from client.tui.widgets.result_card import ResultView
from engine.errors import GameError
from engine.game import Game
from engine.review import Annotation
from protocol.commands import Move
from protocol.events import Declined, DrawOffered, Ended, Moved, RematchOffered, TakebackOffered, TakenBack
from protocol.replies import Ok, ReviewUpdate
from runtime.printable import printable

CLEARING_EVENTS = (Moved, TakenBack, DrawOffered, TakebackOffered, RematchOffered, Ended)  # these replace a notice
CLOCK_INTERVAL_S = 0.1
LOW_TIME_S = 10
FIRST_HINT = "Use the arrows and enter, click, or type a move such as {move}."
PICKED_TAIL = "esc cancels"
PREVIEW_TAIL = "enter plays it · esc cancels"


class TableView(BaseScreen):
    """A table without keys."""

    chat_title = "Chat"
    has_reviewer = True  # a private server without bots has none
    state_class = TableState

    def __init__(self, room: str, pairing: GameRequest | None = None) -> None:
        """Show a room. `pairing`: the quick pairing request for which the room waits."""
        super().__init__()
        self.room, self._pairing = room, pairing
        self.model: TableState | None = None
        self._notice = ""
        self._reviewed: tuple[Annotation, ...] = ()

    def compose_content(self) -> ComposeResult:
        appearance = self.client.appearance
        yield Header(appearance)
        with Container(id="middle"):
            yield BoardView(appearance, id="board")
            with Container(id="panel"):
                yield ResultView(appearance, id="card")
                yield MoveList(appearance, id="moves")
                with Vertical(id="side"):
                    yield BalanceView(appearance, id="balance")
                    yield Chat(appearance, self.chat_title, id="chat")
        yield Footer(appearance)

    def set_up(self) -> None:
        self.query_one(BoardView).focus()
        self.set_interval(CLOCK_INTERVAL_S, self._tick)
        self.refresh_view()

    # -- what is shown

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """The review of the game, one annotation per move; () if there is none."""
        return self._reviewed

    @property
    def table(self) -> RoomView | None:
        return self.client.table(self.room)

    def shows(self, room: str) -> bool:
        return room == self.room

    def receive(self, event: SessionEvent) -> None:
        if getattr(event, "room", None) != self.room:
            return
        self._notice = "" if isinstance(event, CLEARING_EVENTS) else self._notice
        table = self.table
        if isinstance(event, ReviewUpdate) and table is not None:
            self._receive_review(event, table)
        if isinstance(event, Declined) and table is not None and event.seat != table.seat:
            self._notice = f"{seat_name(table.seats[event.seat])} declines the {event.offer} offer"
        if table is not None and table.next and table.seat is not None:
            self._change_room(table.next)
        elif self._pairing is not None and table is not None and table.status != "waiting":
            self._end_pairing(table, self._pairing)
        arrived = isinstance(event, Moved) and table is not None and event.ply == table.ply
        self.refresh_view(animated=arrived and self.model is not None and self.model.browser.live)

    def _receive_review(self, update: ReviewUpdate, table: RoomView) -> None:
        """Show how far the review is, or the review itself."""
        if len(update.moves) == table.ply:
            self._reviewed = annotations_from(update)
        self._notice = printable(progress_text(update, shown_sides(table)))

    def _end_pairing(self, table: RoomView, pairing: GameRequest) -> None:
        """Stop waiting: an opponent has joined. If a lost connection closed the room instead, look for one again."""
        self._pairing = None
        if table.status == "ended":

            def wait_again(ok: Ok) -> None:
                self._change_room(ok.room)
                self._pairing = pairing
                self.refresh_view()

            self.client.send(pairing.command(self.client.next_id()), wait_again)

    def _change_room(self, room: str) -> None:
        """Show another room on this screen, such as the rematch."""
        turned = self.model is not None and self.model.turned
        self.room, self.model, self._notice, self._reviewed = room, None, "", ()
        if (table := self.table) is not None:
            self.model = self.state_class(table)
            self.model.turned = turned

    def refresh_view(self, animated: bool = False) -> None:
        """Update all widgets. `animated`: show the move that led to the position step by step."""
        table = self.table
        if table is None or table.game is None:
            self._update_footer()
            return
        if self.model is None:
            self.model = self.state_class(table)
        self.model.update(table)
        self._send_premove()
        self._update_board(animated)
        sides = shown_sides(table)
        self.query_one(ResultView).show(result_card(table, sides) if self._shows_result else None, self._result_keys())
        annotations = self.annotations
        self.query_one(MoveList).show(table.moves, sides, self.model.ply, marks_of(annotations))
        if annotations:
            self.query_one(BalanceView).show_review(table, self.model.ply, annotations)
        else:
            self.query_one(BalanceView).show(table, self.model.ply)
        self.query_one(Chat).show(table.chat)
        middle = self.query_one("#middle")
        middle.set_class(self.query_one(BoardView).is_wide, "-wide-board")
        middle.set_class(self._shows_result, "-ended")
        self._tick()

    def _result_keys(self) -> tuple[Keys, ...]:
        keys = RESULT_KEYS if self._may_rematch else RESULT_KEYS[1:]
        return tuple(key for key in keys if self._applies(key))

    @property
    def _shows_result(self) -> bool:
        return self.model is not None and self.model.table.status == "ended" and self.model.browser.live

    def _update_board(self, animated: bool = False) -> None:
        model = self.model
        if model is not None and model.table.game is not None:
            animates = self.client.animates
            motion = model.motion() if animated and animates else STILL
            view = self.query_one(BoardView)
            view.show(model.table.game, model.board(), model.marks(), model.flipped, motion, fades=animates)
        self._update_footer()

    def _tick(self) -> None:
        table, model = self.table, self.model
        if table is None or model is None:
            return
        self._update_header(table)
        now = time.monotonic()
        above, below = (self.player_line(table, side, now) for side in (1 - model.below, model.below))
        self.query_one(BoardView).show_players(above._replace(below=False), below)
        self._update_footer()

    def player_line(self, table: RoomView, side: int, now: float) -> PlayerLine:
        """Return what the strip of a player shows."""
        assert self.model is not None
        return player_line(table, side, self.model, now)

    def _update_header(self, table: RoomView) -> None:
        self.query_one(Header).show(header_parts(table), joined(self.client.lag(), f"room {table.room}"))

    def _update_footer(self) -> None:
        status = self._status()
        self.query_one(Footer).show(status, OFFER_KEYS if status.question else self._keys())

    def _keys(self) -> Sequence[Keys]:
        """Return the keys that apply now."""
        model = self.model
        if model is None or model.playing:
            return [key for key in PLAYING_KEYS if self._applies(key)]
        if model.table.status != "ended":
            return BROWSING_KEYS
        return [key for key in (ENDED_KEYS if self._may_rematch else WATCHED_KEYS) if self._applies(key)]

    def _applies(self, key: Keys) -> bool:
        """Return whether a key has an effect in this game, such as hints only in casual games with bots."""
        table = self.table
        if key == HINT_KEY:
            return table is not None and hints_allowed(table, self.client.is_bot)
        if key == REVIEW_KEY:
            return self.has_reviewer
        if key == TAKEBACK_KEY:
            return table is not None and table.last_turn(table.seat) is not None
        return True

    @property
    def _may_rematch(self) -> bool:
        """Whether there can be a rematch: players offer it, and watchers follow to it."""
        return self.table is not None and (self.table.seat is not None or bool(self.table.next))

    def _status(self) -> Status:
        """Return the most important message."""
        table, model = self.table, self.model
        if model is not None and model.typed:
            chip, enter = ("MOVE", "enter plays it") if model.playing else ("GO TO", "enter goes there")
            if table is not None and (offer := offer_text(table)):  # typing does not hide it
                return Status(f"{model.typed}_   {offer}: esc clears the text, then y or n", chip, question=True)
            return Status(joined(f"{model.typed}_", self._typed_preview(model)), chip, f"{enter} · esc clears it")
        if self.client.connection:
            return Status(self.client.connection, "RECONNECTING", tone="bad")
        if table is None:
            return Status(self._notice or f"Loading room {self.room}…")
        if table.game is None or model is None:
            return Status(self._notice or f"This client does not know the game {table.setup.game}: {table.position}")
        gone = gone_text(table, time.monotonic())
        if offer := offer_text(table):
            return Status(joined(f"{offer}.", gone, self._notice), offer_chip(table), question=True)
        if self._notice:
            return Status(joined(self._notice, gone))
        if not model.browser.live:
            where = "end goes to the last move" if table.status == "ended" else "end returns to the game"
            return Status(joined(f"Move {model.ply} of {table.ply}.", gone), "LOOKING BACK", where)
        if model.premove:
            return Status(f"{model.premove} is played on your turn.", "NEXT MOVE", "esc cancels it")
        if preview := model.preview():
            return Status(preview, "PREVIEW", PREVIEW_TAIL)
        if picked := model.picked_text():
            return Status(picked, "PICKED", PICKED_TAIL)
        if table.status == "ended":
            follow = "The players have a rematch: m follows them." if table.next and table.seat is None else ""
            return Status(pending_text(table) or follow)
        absent = absent_text(table, None if self.client.bots_only else self.client.bots)
        return Status(joined(pending_text(table), gone or absent or self._situation(table, table.game)))

    def _situation(self, table: RoomView, game: Game) -> str:
        """Return whose turn it is, or which opponent the room waits for."""
        if table.status == "waiting":
            awaited = [seat for seat in (0, 1) if table.seats[seat] is None]
            names = [table.setup.players[seat] for seat in awaited] if table.setup.players else [table.setup.invite]
            return f"Waiting for {' and '.join(names) or 'an opponent'}. Room {table.room}."
        if table.my_move:
            return f"Your move. {self._first_hint(table, game)}".strip()
        thinker = seat_name(table.seats[table.turn])
        return f"{thinker} is thinking." + ("" if table.seat is None else " You may choose your next move already.")

    @staticmethod
    def _typed_preview(model: TableState) -> str:
        """Return what the typed move would do, without the repeated text of the move."""
        return model.preview().removeprefix(f"{model.typed}: ").removeprefix(f"{model.typed}.").strip()

    def _first_hint(self, table: RoomView, game: Game) -> str:
        """Return how to move, until the player to move has done so in this game."""
        return FIRST_HINT.format(move=game.legal(table.state)[0]) if table.last_turn(table.turn) is None else ""

    def show_notice(self, text: str) -> None:
        self._notice = text
        self._update_footer()

    def connection_changed(self) -> None:
        self._update_footer()

    def repaint(self) -> None:
        for widget in self.query("Bar, BoardView, ResultView, MoveList, BalanceView"):
            widget.appearance = self.client.appearance  # type: ignore[attr-defined]
        self.query_one(BoardView).repaint()
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
        except GameError:
            self.show_notice(model.illegal_text(text))
            return
        self.client.send(Move(id=self.client.next_id(), room=self.room, ply=table.ply, move=move))

    def _send_premove(self) -> None:
        if self.model is None or self.client.connection:
            return
        text, refusal = self.model.due_premove()
        if refusal:
            self._notice = refusal
        if text:
            self._play(text)


def header_parts(table: RoomView) -> list[str]:
    """Return the game, its options, the clock, and whether the game is rated."""
    setup = table.setup
    name = setup.game if table.game is None else table.game.title
    options = ", ".join(options_text(setup.options))
    clock = "no clock" if setup.clock.kind == "none" else clock_text(setup.clock)
    return [name, *filter(None, [options]), clock, "rated" if setup.rated else "casual"]


def offer_chip(table: RoomView) -> str:
    other = 1 - (table.seat or 0)
    return "DRAW?" if table.offers.draw == other else "TAKE BACK?" if table.offers.takeback == other else "REMATCH?"


def player_line(table: RoomView, side: int, model: TableState, now: float) -> PlayerLine:
    """Return what the strip of a player shows."""
    seat, points = table.seats[side], model.table.standing(model.ply)
    turn = table.status == "running" and table.turn == side
    left = table.time_left(side, now)
    rating = "" if seat is None else rating_of(seat)
    if table.ratings is not None:
        rating = rating_text(table.ratings[side].after, table.ratings[side].provisional)
    you = side == table.seat
    away = seat is not None and not seat.online and table.status != "ended"
    note = (
        ("you" if seat_name(seat) != "you" else "")
        if you
        else "away"
        if away
        else "bot"
        if seat is not None and seat.bot
        else ""
    )
    return PlayerLine(
        side=side,
        name=seat_name(seat),
        rating=rating,
        note=note,
        points="" if points is None else f"{points[side]} {'point' if points[side] == 1 else 'points'}",
        turn=turn,
        word="your move" if you else "thinking",
        clock=time_text(left),
        low=turn and left is not None and left < LOW_TIME_S,
    )
