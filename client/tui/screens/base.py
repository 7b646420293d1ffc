"""The base class of all screens, and the first screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from textual import events
from textual.app import ComposeResult

from client.sdk.events import SessionEvent
from client.tui.models.client import Client
from client.tui.widgets.minimum_size import MINIMUM_SIZE, MinimumSizeScreen, is_too_small
from client.tui.widgets.plain import PlainText
from runtime.printable import printable

MEDIUM_COLUMNS = 100  # from this width on, lists have more columns
WIDE_SIZE = (110, 34)  # from this size on, the side panels are larger
TOO_SMALL = """This terminal is {} x {} characters.
Parlour needs at least {} x {}.

Please make the window larger. Your game
is safe, but clocks keep running. Only
Ctrl-C works now: it quits.

For any terminal: parlour play --plain,
parlour watch ROOM --plain"""


class Action(NamedTuple):
    """An action of a screen for the command palette: its name, its key, and what it does."""

    name: str
    key: str
    run: Callable[[], None]


class BaseScreen(MinimumSizeScreen[None]):
    """A screen that receives the events of the session."""

    ready = False  # whether the widgets exist

    def compose(self) -> ComposeResult:
        yield PlainText(id="small")
        yield from self.compose_content()

    def compose_content(self) -> ComposeResult:
        yield from ()

    def on_mount(self) -> None:
        self.ready = True
        self.set_up()

    def set_up(self) -> None:
        """Prepare the screen. Called once, when its widgets exist."""

    @property
    def is_covered(self) -> bool:
        """Whether another screen covers this one. Dialogs do not count: they cover only a part."""
        screens = [screen for screen in self.app.screen_stack if isinstance(screen, BaseScreen)]
        return screens[-1:] != [self]

    @property
    def client(self) -> Client:
        return cast(Client, self.app)

    def receive(self, event: SessionEvent) -> None:
        """Handle an event of the session."""

    def actions(self) -> Sequence[Action]:
        """Return what the user can do here, for the command palette."""
        return ()

    def shows(self, room: str) -> bool:
        """Return whether the screen needs the events of a room, even while it is covered."""
        return False

    def show_notice(self, text: str) -> None:
        """Show a short message."""
        self.app.notify(printable(text), markup=False)

    def connection_changed(self) -> None:
        """Handle a change of `client.connection`."""

    def repaint(self) -> None:
        """Draw everything again, with the current appearance."""

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        self.set_class(width >= WIDE_SIZE[0] and height >= WIDE_SIZE[1], "-wide")
        self.set_class(width >= MEDIUM_COLUMNS, "-medium")
        small = is_too_small(event.size)
        text = TOO_SMALL.format(width, height, *MINIMUM_SIZE) if small else ""
        self.query_one("#small", PlainText).update(text.splitlines())
        self.call_after_refresh(self.repaint)


class StartScreen(BaseScreen):
    """The first screen, shown until the session is open."""

    def compose_content(self) -> ComposeResult:
        yield PlainText("Starting…", id="start")

    def show_notice(self, text: str) -> None:
        self.query_one("#start", PlainText).update(text)
