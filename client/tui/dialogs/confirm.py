"""A question with two answers, in front of everything else."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from client.tui.dialogs.base import Dialog

ANSWERS = {"y": True, "n": False, "escape": None}


class Confirm(Dialog[bool | None]):
    """None: no answer, which is seldom a yes. Enter is none either: it may belong to a text that somebody types.

    `otherwise`: who gets a letter that is no answer; the question is taken back with it. `asked`: the key that asked,
    which changes nothing when it is pressed again.
    """

    AUTO_FOCUS = ""

    def __init__(self, question: str, asked: str = "", otherwise: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self._question, self._asked, self._otherwise = question, asked, otherwise

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._question, markup=False)
            yield Static("")
            with Horizontal(classes="answers"):
                yield Button("y: yes", id="yes", compact=True)
                yield Button("n: no", id="no", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self._answer(event.button.id == "yes")

    def on_key(self, event: events.Key) -> None:
        key = event.key.lower()  # with caps lock, too
        if key in ANSWERS and self.is_current:
            self._answer(ANSWERS[key])
        elif event.is_printable and self._otherwise is not None and key != self._asked:
            self._answer(None)
            self._otherwise(event.character or "")

    def _answer(self, yes: bool | None) -> None:
        if self.is_current:  # not answered yet: keys may come faster than screens go
            self.dismiss(yes)
