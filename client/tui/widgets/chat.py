"""The chat of a room and its input line."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from client.tui.render.appearance import Appearance
from client.tui.widgets.bars import SectionTitle
from client.tui.widgets.plain import PlainText
from protocol.events import Said
from runtime.printable import printable

MAX_MESSAGES = 20


class Chat(Vertical):
    """Shows the latest messages, and an input line while the user is chatting."""

    def __init__(self, appearance: Appearance, title: str = "Chat", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._appearance, self._title = appearance, title

    def compose(self) -> ComposeResult:
        yield SectionTitle(self._appearance, self._title)
        yield PlainText(id="said")
        line = Input(placeholder="Say something: enter sends it", id="say", compact=True, select_on_focus=False)
        line.display = False
        yield line

    def show(self, messages: list[Said]) -> None:
        self.show_lines([f"{message.name}  {message.text}" for message in messages[-MAX_MESSAGES:]])

    def show_lines(self, texts: Sequence[str]) -> None:
        """Show the latest of these texts."""
        height, width = self.size.height - 1 - self.chatting, max(10, self.size.width)
        lines = [line for text in texts for line in wrap(printable(text), width)]
        self.query_one("#said", PlainText).update(lines[-height:] if height > 0 else "")

    @property
    def chatting(self) -> bool:
        return self.query_one("#say", Input).display

    def set_chatting(self, on: bool) -> None:
        """Show or hide the input line, empty."""
        line = self.query_one("#say", Input)
        line.display = on
        line.value = ""
        if on:
            self.screen.set_focus(line)  # at once, so that it receives the next key
