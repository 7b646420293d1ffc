"""The chat of a room and its input line."""

from __future__ import annotations

from textwrap import wrap

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from client.tui.widgets.plain import PlainText
from protocol.events import Said
from runtime.printable import printable

MAX_MESSAGES = 20


class Chat(Vertical):
    """Shows the latest messages, and an input line while the user is talking."""

    def compose(self) -> ComposeResult:
        yield PlainText(id="said")
        line = Input(placeholder="Message (enter sends it)", id="say", compact=True, select_on_focus=False)
        line.display = False
        yield line

    def show(self, messages: list[Said]) -> None:
        box = self.query_one("#said", PlainText)
        height, width = self.size.height - self.talking, max(10, self.size.width)
        lines: list[str] = []
        for message in messages[-MAX_MESSAGES:]:
            lines += wrap(f"{printable(message.name)}: {printable(message.text)}", width)
        box.update(lines[-height:] if height > 0 else "")

    @property
    def talking(self) -> bool:
        return self.query_one("#say", Input).display

    def set_talking(self, on: bool) -> None:
        """Show or hide the input line, empty."""
        line = self.query_one("#say", Input)
        line.display = on
        line.value = ""
        if on:
            self.screen.set_focus(line)  # at once, so that it receives the next key
