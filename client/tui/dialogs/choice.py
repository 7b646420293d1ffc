"""A prompt with several answers."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from client.tui.dialogs.base import Dialog


class Choice(Dialog[int | None]):
    """Returns the index of the chosen answer, or None if the prompt is cancelled."""

    BINDINGS = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, question: str, answers: Sequence[str]) -> None:
        super().__init__()
        self._question, self._answers = question, answers

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._question, markup=False)
            yield OptionList(*self._answers, id="answers", compact=True, markup=False)
            yield Static("up down: select   enter: choose   esc: quit", classes="keys", markup=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)
