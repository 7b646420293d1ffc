"""A question with two answers, in front of everything else."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class Confirm(ModalScreen[bool | None]):
    """None: no answer, which is seldom a yes. Enter is none either: it may belong to a text that somebody types.

    `otherwise`: who gets a letter that is no answer; the question is taken back with it.
    """

    AUTO_FOCUS = ""
    BINDINGS = [
        Binding("y", "answer(True)", show=False),
        Binding("n", "answer(False)", show=False),
        Binding("escape", "dismiss(None)", show=False),
    ]

    def __init__(self, question: str, otherwise: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self._question, self._otherwise = question, otherwise

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._question, markup=False)
            yield Static("")
            with Horizontal(classes="answers"):
                yield Button("y: yes", id="yes", compact=True)
                yield Button("n: no", id="no", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def on_key(self, event: events.Key) -> None:
        if self._otherwise is not None and event.is_printable and event.key not in ("y", "n"):
            self.dismiss(None)
            self._otherwise(event.character or "")

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)
