"""A wall of boards that go on by themselves."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import ItemGrid, VerticalScroll
from textual.widgets import Static

from client.happenings import Happening
from client.tui.parlour_screen import ParlourScreen
from client.tui.tile import Tile
from protocol import messages as m

TICK = 0.2  # seconds between looks at what has changed: eyes need no more
WIDTH = 26  # of a board
KEYS = "tab, shift+tab: choose   enter, click: open   p: colours   q: back"


class WallScreen(ParlourScreen):
    def __init__(self, rooms: tuple[str, ...]) -> None:
        super().__init__()
        self.rooms = tuple(dict.fromkeys(rooms))
        self._changed: set[str] = set()
        self._tiles: dict[str, Tile] = {}

    def parts(self) -> ComposeResult:
        yield Static(f" Parlour: a wall of {len(self.rooms)} games", id="title", markup=False)
        self._tiles = {room: Tile(room, self.house.looks) for room in self.rooms}
        with VerticalScroll(id="wall", can_focus=False), ItemGrid(min_column_width=WIDTH, regular=False):
            yield from self._tiles.values()
        yield Static(id="prompt", markup=False)
        yield Static(KEYS, id="keys", markup=False)

    def begin(self) -> None:
        for room in self.rooms:
            self.house.order(m.Watch(id=self.house.next_id(), room=room))
        self._changed.update(self.rooms)
        self.set_interval(TICK, self._flush)

    def hear(self, happening: Happening) -> None:
        room = getattr(happening, "room", None)
        if isinstance(room, str) and room in self._tiles:
            self._changed.add(room)

    def _flush(self) -> None:
        """Show what has changed since the last time, all at once."""
        if not self.is_current:
            return
        for room in self._changed:
            table = self.house.table(room)
            if table is not None:
                self._tiles[room].show(table)
        self._changed.clear()

    def notice(self, text: str) -> None:
        self.query_one("#prompt", Static).update(f" {self.house.connection or text}")

    def trouble(self) -> None:
        self.notice("")

    def repaint(self) -> None:
        for tile in self._tiles.values():
            tile.looks = self.house.looks
        self._changed.update(self.rooms)

    def on_key(self, event: events.Key) -> None:
        match event.key:
            case "q" | "escape":
                self._leave()
            case "p":
                self.house.other_theme()
            case "enter" if isinstance(self.focused, Tile):
                self.house.open_table(self.focused.room)
            case "right" | "down":
                self.focus_next(Tile)
            case "left" | "up":
                self.focus_previous(Tile)
            case _:
                return
        event.stop()
        event.prevent_default()

    def on_tile_opened(self, event: Tile.Opened) -> None:
        self.house.open_table(event.room)

    def _leave(self) -> None:
        for room in self.rooms:
            self.house.order(m.Leave(id=self.house.next_id(), room=room))
        self.house.leave_screen()
