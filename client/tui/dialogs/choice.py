"""A question with several answers, in front of everything else."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from client.tui.dialogs.base import Dialog


class Choice(Dialog[int | None]):
    """The number of the answer, from 0; None for no answer at all."""

    BINDINGS = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, question: str, answers: Sequence[str]) -> None:
        super().__init__()
        self._question, self._answers = question, answers

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._question, markup=False)
            yield OptionList(*self._answers, id="answers", compact=True, markup=False)
            yield Static("up, down, enter: choose   esc: leave", classes="keys", markup=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)
