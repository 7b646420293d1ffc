"""What all screens share: they hear what happens, and say kindly when the terminal is too small."""

from __future__ import annotations

from typing import cast

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from client.sdk.events import SessionEvent
from client.tui.models.client import Client
from client.tui.widgets.minimum_size import LEAST, MinimumSizeScreen, is_too_small

WIDE = (110, 34)  # from here on there is room for more beside the board
SMALL = """This terminal has {} x {} characters.
Please make it at least {} x {}.

Until then nothing is lost, clocks run
on, and no key does anything but Ctrl-C,
which leaves.

parlour play and parlour watch --plain
go line by line, in any terminal."""


class BaseScreen(MinimumSizeScreen[None]):
    ready = False  # its parts are there

    def compose(self) -> ComposeResult:
        yield Static(id="small", markup=False)
        yield from self.compose_content()

    def compose_content(self) -> ComposeResult:
        yield from ()

    def on_mount(self) -> None:
        self.ready = True
        self.set_up()

    def set_up(self) -> None:
        """The screen is there for the first time."""

    @property
    def client(self) -> Client:
        return cast(Client, self.app)

    def receive(self, happening: SessionEvent) -> None:
        """Something has happened."""

    def shows(self, room: str) -> bool:
        """Whether it has to hear of this room."""
        return False

    def show_notice(self, text: str) -> None:
        """Something to be read once."""
        self.app.notify(text, markup=False)

    def connection_changed(self) -> None:
        """How the connection is has changed."""

    def repaint(self) -> None:
        """Colours or characters have changed."""

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        self.set_class(width >= WIDE[0] and height >= WIDE[1], "-wide")
        small = is_too_small(event.size)
        self.query_one("#small", Static).update(SMALL.format(width, height, *LEAST) if small else "")
        self.call_after_refresh(self.repaint)


class StartScreen(BaseScreen):
    """The first screen, before there is a connection."""

    def compose_content(self) -> ComposeResult:
        yield Static("one moment…", id="start", markup=False)

    def show_notice(self, text: str) -> None:
        self.query_one("#start", Static).update(text)
