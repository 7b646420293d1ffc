"""The table screen with its keys: moves by arrows, mouse or typing, looking back, chat."""

from __future__ import annotations

from functools import partial

from textual import events
from textual.timer import Timer
from textual.widgets import Input

from client.presentation.launch_plan import GameRequest
from client.presentation.review_texts import NO_MORE_MISTAKES, REVIEW_FIRST, next_mistake
from client.presentation.texts import options_text
from client.tui.dialogs.help import Help
from client.tui.screens.base import Action
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table_actions import TableActions
from client.tui.screens.table_keys import ACTIONS, TABLE_HELP_TITLE, TABLE_KEYS, table_help
from client.tui.widgets.board_view import BoardView
from client.tui.widgets.chat import Chat
from client.tui.widgets.move_list import MoveList
from protocol.commands import Review, Say

AUTOPLAY_INTERVAL_S = 0.8
ARROW_STEPS = {"left": -1, "up": -1, "right": 1, "down": 1}


class TableScreen(TableActions):
    """One game, to play or to watch."""

    not_reviewed = REVIEW_FIRST

    def __init__(self, room: str, pairing: GameRequest | None = None) -> None:
        super().__init__(room, pairing)
        self._autoplay: Timer | None = None

    # -- keys

    def on_key(self, event: events.Key) -> None:
        self.query_one(BoardView).finish_motion()
        if self.question is not None:
            event.stop()
            event.prevent_default()
            self.answer(event.key)
            return
        if isinstance(self.focused, Input):
            if event.key == "escape":
                self._set_chatting(False)
            elif event.is_printable:  # typed before the input got the focus
                self.focused.insert_text_at_cursor(event.character or "")
            return
        action = ACTIONS.get(event.key)
        character = (event.character or "") if event.is_printable else ""
        if character and self.model is not None and (self.model.typed or self.model.starts_move(character)):
            self._type(character)
        elif action is not None:
            event.stop()
            event.prevent_default()
            if action == "arrow":
                self._arrow(event.key)
            else:
                self._act(action)
        elif character:
            self._type(character)
        elif event.key == "backspace" and self.model is not None:
            self.model.typed = self.model.typed[:-1]
            self._update_board()

    def _act(self, action: str) -> None:
        getattr(self, f"do_{action}")()

    def _arrow(self, key: str) -> None:
        if self.model is None:
            return
        self._notice = ""
        if self.model.playing:
            self.model.move_cursor(key)
            self._update_board()
        else:
            self._step(ARROW_STEPS[key])

    def do_enter(self) -> None:
        model = self.model
        if model is None:
            return
        text, model.typed = model.typed, ""
        if len(text) == 1 and text in ACTIONS and not model.is_move(text):  # a key with which moves start, too
            self._act(ACTIONS[text])
        elif text and model.playing:
            self._play(text)
        elif text.isdecimal():
            model.go_to(int(text))
            self.refresh_view()
        elif text:
            self.show_notice(f"{text!r} is not the number of a move. Type one, such as 3.")
        elif model.cursor is not None and model.touched and model.playing:
            self._point(model.cursor)
        elif model.suggested and model.playing:
            self._play(model.suggested)
        elif model.cursor is not None and model.playing:  # from an earlier turn: show it before anything is played
            model.hover(model.cursor)
            self._update_board()
        elif model.playing:
            self.show_notice("Choose a move first: use the arrows, the mouse, or type it.")

    def do_escape(self) -> None:
        self._stop_autoplay()
        self._notice = ""
        if self.model is not None:
            self.model.cancel_latest()
            self._update_board()

    def actions(self) -> list[Action]:
        return [Action(entry.name, entry.key, partial(self._act, entry.action)) for entry in TABLE_KEYS if entry.name]

    # -- moves

    def on_board_view_pointed(self, event: BoardView.Pointed) -> None:
        if self.model is not None and self.model.playing:
            self._point(event.cell)

    def on_board_view_hovered(self, event: BoardView.Hovered) -> None:
        if self.model is not None and self.model.playing:
            self.model.hover(event.cell)
            self._update_board()

    def _point(self, cell: str) -> None:
        assert self.model is not None
        self._notice = self.model.refusal_at(cell)
        text = self.model.point(cell)
        if text:
            self._play(text)
        self._update_board()

    # -- looking back

    def _step(self, plies: int) -> None:
        if self.model is not None:
            self._notice = ""
            self.model.step(plies)
            self.refresh_view(animated=plies == 1)

    def do_back(self) -> None:
        self._step(-1)

    def do_forward(self) -> None:
        self._step(1)

    def do_review(self) -> None:
        """Ask the reviewer of the server for a review of the finished game."""
        table = self.table
        if table is None or table.status != "ended":
            self.show_notice(REVIEW_FIRST)
        elif self.annotations:
            self.do_mistake()
        else:
            self.client.send(Review(id=self.client.next_id(), room=self.room))

    def do_mistake(self) -> None:
        """Go to the next mistake of a reviewed game."""
        if self.model is None or not self.annotations:
            self.show_notice(self.not_reviewed)
        elif (ply := next_mistake(self.annotations, self.model.ply)) is None:
            self.show_notice(NO_MORE_MISTAKES)
        else:
            self._step(ply - self.model.ply)

    def do_first(self) -> None:
        if self.model is not None:
            self._step(-self.model.ply)

    def do_live(self) -> None:
        if self.model is not None:
            self.model.browser.return_to_live()
            self.refresh_view()

    def on_move_list_chosen(self, event: MoveList.Chosen) -> None:
        if self.model is not None:
            self.model.go_to(event.ply)
            self.refresh_view()

    def do_autoplay(self) -> None:
        """Replay a finished game from the current ply, or from the start if the last ply is shown."""
        model = self.model
        if model is None or model.table.status != "ended" or self._autoplay is not None:
            self._stop_autoplay()
            return
        if model.ply == model.table.ply:
            model.go_to(0)
        self._autoplay = self.set_interval(AUTOPLAY_INTERVAL_S, self._autoplay_step)
        self.refresh_view()

    def _autoplay_step(self) -> None:
        self._step(1)
        if self.model is None or self.model.ply >= self.model.table.ply:
            self._stop_autoplay()

    def _stop_autoplay(self) -> None:
        if self._autoplay is not None:
            self._autoplay.stop()
            self._autoplay = None

    # -- everything else

    def do_flip(self) -> None:
        if self.model is not None:
            self.model.turned = not self.model.turned
            self.refresh_view()

    def do_theme(self) -> None:
        self.client.cycle_theme()

    def do_rules(self) -> None:
        setup = None if self.table is None else self.table.setup
        options = () if setup is None else options_text(setup.options)
        self.app.push_screen(RulesScreen("" if setup is None else setup.game, ", ".join(options)))

    def do_help(self) -> None:
        game = None if self.table is None else self.table.game
        moves = () if game is None else game.legal(game.start())
        self.app.push_screen(Help(TABLE_HELP_TITLE, table_help(moves[0] if moves else "a move")))

    def do_chat(self) -> None:
        if self.table is not None:
            self._set_chatting(True)

    def _set_chatting(self, on: bool) -> None:
        self.query_one(Chat).set_chatting(on)
        if not on:
            self.query_one(BoardView).focus()
        self.refresh_view()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.client.send(Say(id=self.client.next_id(), room=self.room, text=event.value.strip()))
        self._set_chatting(False)
