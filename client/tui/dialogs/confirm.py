"""A yes-or-no prompt."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from client.tui.dialogs.base import Dialog
from client.tui.widgets.plain import Lines, PlainButton, PlainText

ANSWERS = {"y": True, "n": False, "escape": None}


class Confirm(Dialog[bool | None]):
    """Returns True or False, or None if the prompt is cancelled."""

    AUTO_FOCUS = ""

    def __init__(self, question: Lines, cancel: str = "cancel") -> None:
        """Ask a question. `cancel`: what the key esc does."""
        super().__init__()
        self._question, self._cancel = question, cancel

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield PlainText(self._question)
            yield PlainText()
            with Horizontal(classes="answers"):
                yield PlainButton("y: yes", id="yes")
                yield PlainButton("n: no", id="no")
            yield PlainText(f"esc: {self._cancel}", classes="keys")

    def on_button_pressed(self, event: PlainButton.Pressed) -> None:
        self._answer(event.button.id == "yes")

    def on_key(self, event: events.Key) -> None:
        key = event.key.lower()  # caps lock may be on
        if key in ANSWERS and self.is_current:
            self._answer(ANSWERS[key])

    def _answer(self, yes: bool | None) -> None:
        if self.is_current:  # keys can arrive faster than screens close: answer only once
            self.dismiss(yes)
