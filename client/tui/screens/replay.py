"""The table screen for a recorded game: no server, no chat, and the texts of the record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from client.presentation.recorded_room import ROOM
from client.presentation.review_texts import NOT_REVIEWED, annotations_of
from client.sdk.room_view import RoomView
from client.tui.dialogs.help import Help
from client.tui.render.bars import Keys, Status
from client.tui.screens.base import Action
from client.tui.screens.table import TableScreen
from client.tui.screens.table_keys import RECORD_ACTIONS, RECORD_HELP, RECORD_HELP_TITLE, RECORD_KEYS, TABLE_KEYS
from client.tui.widgets.bars import Header
from client.tui.widgets.chat import Chat
from engine.review import Annotation


class RecordTexts(Protocol):
    """The texts of a record. Ply 0 is the start."""

    fault: str  # what is wrong with the record; empty if it is right

    def title(self) -> str:
        """Return the game, the players and their sides."""

    def facts(self) -> str:
        """Return the options and the headers."""

    def move(self, ply: int) -> str:
        """Return the move of a ply."""

    def details(self, ply: int) -> list[str]:
        """Return the times and the note of a ply, one per line."""

    def status(self, ply: int) -> str:
        """Return the side to move, or the result after the last ply."""


class ReplayScreen(TableScreen):
    """A recorded game, from its start."""

    chat_title = "Notes"
    not_reviewed = NOT_REVIEWED

    def __init__(self, texts: RecordTexts) -> None:
        super().__init__(ROOM)
        self._texts = texts

    def set_up(self) -> None:
        super().set_up()
        self.do_first()

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """The review in the notes of the record."""
        return () if self.table is None else annotations_of(self.table.moves)

    def refresh_view(self, animated: bool = False) -> None:
        super().refresh_view(animated)
        if self.model is not None:
            self.query_one(Chat).show_lines(self._texts.details(self.model.ply))

    @property
    def _shows_result(self) -> bool:
        return False  # the status line says it, in the words of the record

    def _update_header(self, table: RoomView) -> None:
        self.query_one(Header).show([self._texts.title(), *filter(None, [self._texts.facts()])])

    def _status(self) -> Status:
        model = self.model
        if model is None or model.typed or self._notice:
            return super()._status()
        texts, ply = self._texts, model.ply
        text = ": ".join(filter(None, [texts.move(ply), texts.status(ply)]))
        return Status(text, tail=f"ply {ply} of {model.table.ply}")

    def do_live(self) -> None:
        """Go to the last move. A record has no newer ones to wait for."""
        self._step(10**6)

    def do_chat(self) -> None:
        """Do nothing: a record has no chat."""

    def do_review(self) -> None:
        """Do nothing: a record has no server."""

    def do_help(self) -> None:
        self.app.push_screen(Help(RECORD_HELP_TITLE, RECORD_HELP))

    def actions(self) -> list[Action]:
        names = {entry.name for entry in TABLE_KEYS if entry.action in RECORD_ACTIONS}
        return [action for action in super().actions() if action.name in names]

    def _keys(self) -> Sequence[Keys]:
        return RECORD_KEYS
