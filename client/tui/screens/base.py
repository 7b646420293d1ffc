"""What all screens share: they hear what happens, and say kindly when the terminal is too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from client.sdk.events import SessionEvent
from client.tui.screens.minimum_size import LEAST, Fitting, too_small

if TYPE_CHECKING:
    from client.tui.app.app import Parlour

WIDE = (110, 34)  # from here on there is room for more beside the board
SMALL = """This terminal has {} x {} characters.
Please make it at least {} x {}.

Until then nothing is lost, clocks run
on, and no key does anything but Ctrl-C,
which leaves.

parlour play and parlour watch --plain
go line by line, in any terminal."""


class ParlourScreen(Fitting[None]):
    ready = False  # its parts are there

    def compose(self) -> ComposeResult:
        yield Static(id="small", markup=False)
        yield from self.parts()

    def parts(self) -> ComposeResult:
        yield from ()

    def on_mount(self) -> None:
        self.ready = True
        self.begin()

    def begin(self) -> None:
        """The screen is there for the first time."""

    @property
    def house(self) -> Parlour:
        return cast("Parlour", self.app)

    def hear(self, happening: SessionEvent) -> None:
        """Something has happened."""

    def shows(self, room: str) -> bool:
        """Whether it has to hear of this room."""
        return False

    def notice(self, text: str) -> None:
        """Something to be read once."""
        self.app.notify(text, markup=False)

    def trouble(self) -> None:
        """How the connection is has changed."""

    def repaint(self) -> None:
        """Colours or characters have changed."""

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        self.set_class(width >= WIDE[0] and height >= WIDE[1], "-wide")
        small = too_small(event.size)
        self.query_one("#small", Static).update(SMALL.format(width, height, *LEAST) if small else "")
        self.call_after_refresh(self.repaint)


class Foyer(ParlourScreen):
    """The first screen, before there is a connection."""

    def parts(self) -> ComposeResult:
        yield Static("one moment…", id="foyer", markup=False)

    def notice(self, text: str) -> None:
        self.query_one("#foyer", Static).update(text)
