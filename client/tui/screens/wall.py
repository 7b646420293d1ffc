"""A wall of boards that go on by themselves."""

from __future__ import annotations

from math import ceil, sqrt

from textual import events
from textual.app import ComposeResult
from textual.containers import Grid, VerticalScroll
from textual.widgets import Static

from client.presentation.texts import counted
from client.sdk.events import SessionEvent
from client.tui.dialogs.help import Help
from client.tui.screens.base import BaseScreen
from client.tui.screens.table_keys import WALL_HELP
from client.tui.widgets.board_tile import BoardTile
from client.tui.widgets.footer import Footer
from protocol.commands import Leave, Watch

MANY = 9  # more than 3 x 3 are as small as can be
TICK = 0.2  # seconds between appearance at what has changed: eyes need no more
KEYS = "tab: choose   enter, click: open   p: colours   ?: all keys   q: back"


class WallScreen(BaseScreen):
    def __init__(self, rooms: tuple[str, ...]) -> None:
        super().__init__()
        self.rooms = tuple(dict.fromkeys(rooms))
        self._changed: set[str] = set()
        self._tiles: dict[str, BoardTile] = {}
        self._grid_shape = (0, 0)

    def compose_content(self) -> ComposeResult:
        yield Static(f" Parlour: a wall of {counted(len(self.rooms), 'game')}", id="title", markup=False)
        self._tiles = {room: BoardTile(room, self.client.appearance) for room in self.rooms}
        with VerticalScroll(id="wall", can_focus=False), Grid(id="boards"):
            yield from self._tiles.values()
        yield Footer(KEYS)

    def set_up(self) -> None:
        for room in self.rooms:
            self.client.send(Watch(id=self.client.next_id(), room=room))
        self._changed.update(self.rooms)
        self.set_interval(TICK, self._flush)

    def receive(self, happening: SessionEvent) -> None:
        room = getattr(happening, "room", None)
        if isinstance(room, str) and room in self._tiles:
            self._changed.add(room)

    def shows(self, room: str) -> bool:
        return room in self._tiles

    def _flush(self) -> None:
        """Show what has changed since the last time, all at once."""
        if not self.is_current:
            return
        for room in self._changed:
            table = self.client.table(room)
            if table is not None:
                self._tiles[room].show(table)
        if self._changed:
            self._arrange()
        self._changed.clear()

    def _arrange(self) -> None:
        """The boards side by side: a square of them if it fits, more rows to scroll through if not."""
        space = self.query_one("#wall").size
        least = [tile.least() for tile in self._tiles.values()]
        width, height = (max(sizes) for sizes in zip(*least, strict=True))
        columns, tall = layout(len(least), (space.width, space.height), (width, height))
        if (columns, tall) != self._grid_shape:
            self._grid_shape = columns, tall
            grid = self.query_one("#boards")
            grid.styles.grid_size_columns = columns
            grid.styles.grid_rows = str(tall)

    def show_notice(self, text: str) -> None:
        self.query_one(Footer).show(self.client.connection or text)

    def connection_changed(self) -> None:
        self.show_notice("")

    def repaint(self) -> None:
        for tile in self._tiles.values():
            tile.appearance = self.client.appearance
        self._changed.update(self.rooms)

    def on_key(self, event: events.Key) -> None:
        match event.key:
            case "q" | "escape":
                self._leave()
            case "question_mark" | "f1":
                self.app.push_screen(Help("The keys of a wall", WALL_HELP))
            case "p":
                self.client.cycle_theme()
            case "enter" if isinstance(self.focused, BoardTile):
                self.client.open_table(self.focused.room)
            case "right" | "down":
                self.focus_next(BoardTile)
            case "left" | "up":
                self.focus_previous(BoardTile)
            case _:
                return
        event.stop()
        event.prevent_default()

    def on_board_tile_opened(self, event: BoardTile.Opened) -> None:
        self.client.open_table(event.room)

    def _leave(self) -> None:
        for room in self.rooms:
            self.client.send(Leave(id=self.client.next_id(), room=room))
        self.client.leave_screen()


def layout(boards: int, space: tuple[int, int], least: tuple[int, int]) -> tuple[int, int]:
    """How many boards stand side by side, and how tall each may be; between them is a blank."""
    square = ceil(sqrt(boards))
    columns = max(1, min(square if boards <= MANY else boards, (space[0] + 2) // (least[0] + 2)))
    rows = ceil(boards / columns)
    return columns, max(least[1], (space[1] + 1) // rows - 1)
