"""What is said at a table, and a line to say something."""

from __future__ import annotations

from textwrap import wrap

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from client.presentation.texts import printable
from protocol.events import Said


class Chat(Vertical):
    def compose(self) -> ComposeResult:
        yield Static(id="said", markup=False)
        line = Input(placeholder="say something, enter sends it", id="say", compact=True, select_on_focus=False)
        line.display = False
        yield line

    def show(self, said: list[Said]) -> None:
        box = self.query_one("#said", Static)
        height, width = self.size.height - self.talking, max(10, self.size.width)
        lines: list[str] = []
        for line in said[-20:]:
            lines += wrap(f"{printable(line.name)}: {printable(line.text)}", width)
        box.update("\n".join(lines[-height:]) if height > 0 else "")

    @property
    def talking(self) -> bool:
        return self.query_one("#say", Input).display

    def talk(self, on: bool) -> None:
        line = self.query_one("#say", Input)
        line.display = on
        line.value = ""
        if on:
            self.screen.set_focus(line)  # now: what is typed next belongs there
