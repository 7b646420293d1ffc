"""The wall: several running games side by side."""

from __future__ import annotations

from math import ceil, sqrt

from textual import events
from textual.app import ComposeResult
from textual.containers import Grid, VerticalScroll

from client.presentation.texts import counted
from client.sdk.events import SessionEvent
from client.tui.dialogs.help import Help
from client.tui.render.bars import Keys, Status
from client.tui.screens.base import BaseScreen
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table_keys import WALL_HELP, WALL_HELP_TITLE
from client.tui.widgets.bars import Bar, Footer, Header
from client.tui.widgets.board_tile import BoardTile
from protocol.commands import Leave, Watch

MAX_SQUARE_BOARDS = 9  # up to 3 x 3 boards form a square; more are drawn as small as possible
UPDATE_INTERVAL_S = 0.2
KEYS = (
    Keys("tab", "next board"),
    Keys("enter", "open"),
    Keys("p", "colours"),
    Keys("F1", "rules"),
    Keys("?", "all keys"),
    Keys("q", "back"),
)


class WallScreen(BaseScreen):
    """Shows the boards of several rooms. Collects changes and draws them at intervals."""

    def __init__(self, rooms: tuple[str, ...]) -> None:
        super().__init__()
        self.rooms = tuple(dict.fromkeys(rooms))
        self._changed: set[str] = set()
        self._tiles: dict[str, BoardTile] = {}
        self._grid_shape = (0, 0)

    def compose_content(self) -> ComposeResult:
        yield Header(self.client.appearance, ["Parlour", f"watching {counted(len(self.rooms), 'game')}"])
        self._tiles = {room: BoardTile(room, self.client.appearance) for room in self.rooms}
        with VerticalScroll(id="wall", can_focus=False), Grid(id="boards"):
            yield from self._tiles.values()
        yield Footer(self.client.appearance, KEYS)

    def set_up(self) -> None:
        for room in self.rooms:
            self.client.send(Watch(id=self.client.next_id(), room=room))
        self._changed.update(self.rooms)
        self.set_interval(UPDATE_INTERVAL_S, self._flush)

    def receive(self, event: SessionEvent) -> None:
        room = getattr(event, "room", None)
        if isinstance(room, str) and room in self._tiles:
            self._changed.add(room)

    def shows(self, room: str) -> bool:
        return room in self._tiles

    def _flush(self) -> None:
        """Draw the boards that have changed since the last call."""
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
        """Arrange the boards in a square if it fits, otherwise in more rows to scroll through."""
        space = self.query_one("#wall").size
        minimum = [tile.minimum_size() for tile in self._tiles.values()]
        width, height = (max(sizes) for sizes in zip(*minimum, strict=True))
        columns, tile_height = layout(len(minimum), (space.width, space.height), (width, height))
        if (columns, tile_height) != self._grid_shape:
            self._grid_shape = columns, tile_height
            grid = self.query_one("#boards")
            grid.styles.grid_size_columns = columns
            grid.styles.grid_rows = str(tile_height)

    def show_notice(self, text: str) -> None:
        self.query_one(Footer).show(Status(self.client.connection or text))

    def connection_changed(self) -> None:
        self.show_notice("")

    def repaint(self) -> None:
        for tile in self._tiles.values():
            tile.appearance = self.client.appearance
        for bar in self.query(Bar):
            bar.appearance = self.client.appearance
            bar.refresh()
        self._changed.update(self.rooms)

    def on_key(self, event: events.Key) -> None:
        match event.key:
            case "q" | "escape":
                self._leave()
            case "f1":
                self.app.push_screen(RulesScreen())
            case "question_mark":
                self.app.push_screen(Help(WALL_HELP_TITLE, WALL_HELP))
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


def layout(boards: int, space: tuple[int, int], minimum: tuple[int, int]) -> tuple[int, int]:
    """Return the number of columns and the height of a board. Sizes are (width, height); boards have a gap between."""
    square = ceil(sqrt(boards))
    columns = max(1, min(square if boards <= MAX_SQUARE_BOARDS else boards, (space[0] + 2) // (minimum[0] + 2)))
    rows = ceil(boards / columns)
    return columns, max(minimum[1], (space[1] + 1) // rows - 1)
