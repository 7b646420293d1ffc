"""What all screens share: they hear what happens, and say kindly when the terminal is too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from client.happenings import Happening

if TYPE_CHECKING:
    from client.tui.app import Parlour

LEAST = (80, 24)
WIDE = (110, 34)  # from here on there is room for more beside the board
SMALL = """This terminal has {} x {} characters.
Please make it at least {} x {}.

Until then nothing is lost, clocks run
on, and no key does anything but Ctrl-C,
which leaves.

parlour play and parlour watch --plain
go line by line, in any terminal."""


class ParlourScreen(Screen[None]):
    ready = False  # its parts are there
    _focused: Widget | None = None  # before the terminal was too small

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

    def hear(self, happening: Happening) -> None:
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
        was_small, small = self.small, width < LEAST[0] or height < LEAST[1]
        if small and not was_small:
            self._focused = self.focused
        self.set_class(small, "-small")
        self.set_class(width >= WIDE[0] and height >= WIDE[1], "-wide")
        self.query_one("#small", Static).update(SMALL.format(width, height, *LEAST) if small else "")
        self.call_after_refresh(self.repaint)
        if was_small and not small:
            self.call_after_refresh(self._focus_again)

    @property
    def small(self) -> bool:
        return self.has_class("-small")

    def _focus_again(self) -> None:
        """What is hidden loses the focus."""
        if self._focused is not None:
            self.set_focus(self._focused)
        else:
            self.focus_next()

    async def on_event(self, event: events.Event) -> None:
        """Keys are for what can be seen."""
        if not (self.small and isinstance(event, events.Key)):
            await super().on_event(event)


class Foyer(ParlourScreen):
    """The first screen, before there is a connection."""

    def parts(self) -> ComposeResult:
        yield Static("one moment…", id="foyer", markup=False)

    def notice(self, text: str) -> None:
        self.query_one("#foyer", Static).update(text)
