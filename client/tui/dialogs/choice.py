"""A prompt with several answers."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical

from client.tui.dialogs.base import Dialog
from client.tui.widgets.plain import PlainOptions, PlainText


class Choice(Dialog[int | None]):
    """Returns the index of the chosen answer, or None if the prompt is cancelled."""

    BINDINGS = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, question: str, answers: Sequence[str], cancel: str = "cancel") -> None:
        """Ask a question. `cancel`: what the key esc does."""
        super().__init__()
        self._question, self._answers, self._cancel = question, answers, cancel

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield PlainText(self._question)
            yield PlainOptions(self._answers, id="answers")
            yield PlainText(f"up down: select   enter: choose   esc: {self._cancel}", classes="keys")

    def on_option_list_option_selected(self, event: PlainOptions.OptionSelected) -> None:
        self.dismiss(event.option_index)
