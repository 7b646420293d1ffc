"""The table screen for a recorded game: no server, no chat, and the texts of the record."""

from __future__ import annotations

from typing import Protocol

from client.presentation.recorded_room import ROOM
from client.sdk.room_view import RoomView
from client.tui.screens.table import TableScreen
from client.tui.widgets.chat import Chat
from client.tui.widgets.note_view import NoteView
from client.tui.widgets.plain import PlainText


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

    def __init__(self, texts: RecordTexts) -> None:
        super().__init__(ROOM)
        self._texts = texts

    def set_up(self) -> None:
        super().set_up()
        self.query_one(Chat).display = False
        self.do_first()

    def refresh_view(self) -> None:
        super().refresh_view()
        if self.model is not None:
            self.query_one(NoteView).update(self._texts.details(self.model.ply))

    def _update_title(self, table: RoomView) -> None:
        if not self._title:
            self._title = f" {self._texts.title()}"
            facts = self._texts.facts()
            self.query_one("#title", PlainText).update(self._title + (f", {facts}" if facts else ""))

    def _footer_text(self) -> str:
        model = self.model
        if model is None or model.typed or self._notice:
            return super()._footer_text()
        return f"{self._texts.move(model.ply)}   ply {model.ply} of {model.table.ply}   {self._texts.status(model.ply)}"

    def do_live(self) -> None:
        """Go to the last move. A record has no newer ones to wait for."""
        self._step(10**6)

    def do_talk(self) -> None:
        """Do nothing: a record has no chat."""
