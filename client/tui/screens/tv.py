"""The TV: live games side by side. It follows new games by itself, or shows given rooms."""

from __future__ import annotations

from functools import partial
from math import ceil
from time import monotonic

from textual import events
from textual.app import ComposeResult
from textual.containers import Grid

from client.presentation.texts import counted
from client.sdk.events import SessionEvent
from client.tui.dialogs.help import Help
from client.tui.models.lobby_rooms import LobbyRooms
from client.tui.models.tv_places import TvPlaces, grid_shape
from client.tui.render.bars import Keys, Status
from client.tui.screens.base import Action
from client.tui.screens.following import FollowingScreen
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table_keys import TV_HELP, TV_HELP_TITLE
from client.tui.widgets.bars import Bar, Footer, Header
from client.tui.widgets.board_tile import BoardTile
from client.tui.widgets.plain import PlainText
from engine.registry import GAMES
from protocol.commands import Lobby
from protocol.replies import LobbyUpdate

UPDATE_INTERVAL_S = 0.2
MAX_BOARDS = 9
MAX_MOVING_BOARDS = 4  # with more boards, moves are not animated
LARGE_SIZE = (120, 40)  # from this size on, there are nine boards
GAP_ROWS = 1
NO_GAMES = "No game is being played. The next one appears here by itself."
STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
KEYS = (
    Keys("←↑↓→", "choose"),
    Keys("enter", "watch"),
    Keys("1 4 9", "boards"),
    Keys("space", "hold"),
    Keys("pgdn", "other games"),
    Keys("g", "game"),
    Keys("p", "colours"),
    Keys("?", "all keys"),
)
TV_ONLY = ("g",)


class TvScreen(FollowingScreen):
    """Shows the boards of several rooms. Collects changes and draws them at intervals.

    Without `rooms` it shows live games, all or those of `game`. An ended game stays for some seconds, then the next
    live one comes.
    """

    def __init__(self, rooms: tuple[str, ...] = (), game: str = "") -> None:
        super().__init__()
        self.given, self.game = tuple(dict.fromkeys(rooms)), game
        self.places = TvPlaces()
        self.chosen = 0
        self._boards = 0  # the number of boards that the user wants; 0: as many as the terminal has space for
        self._lobby = LobbyRooms()
        self._refused: dict[str, str] = {}
        self._changed: set[str] = set()
        self._tiles: list[BoardTile] = []
        self._grid_shape = (0, 0)

    @property
    def _leaving(self) -> str:
        return "quit" if self.client.is_first_screen else "back"

    @property
    def is_tv(self) -> bool:
        """Whether the TV follows live games, rather than given rooms."""
        return not self.given

    def compose_content(self) -> ComposeResult:
        yield Header(self.client.appearance, ["Parlour", "TV"])
        self._tiles = [BoardTile(self.client.appearance) for _ in range(MAX_BOARDS)]
        yield PlainText(id="none")
        with Grid(id="boards"):
            yield from self._tiles
        keys = [key for key in KEYS if self.is_tv or key.key not in TV_ONLY]
        yield Footer(self.client.appearance, [*keys, Keys("q", self._leaving)])

    def set_up(self) -> None:
        if self.is_tv:
            self.client.send(Lobby(id=self.client.next_id(), on=True))
        self.set_interval(UPDATE_INTERVAL_S, self.flush)
        self.flush()

    def receive(self, event: SessionEvent) -> None:
        if isinstance(event, LobbyUpdate):
            self._lobby.update(event)
        room = getattr(event, "room", None)
        if isinstance(room, str) and room in self.places.rooms:
            self._changed.add(room)

    # -- what is shown

    def live(self) -> list[str]:
        """Return the games for the TV, the most interesting first."""
        return list(self.given) if self.given else self._lobby.live(self.game)

    @property
    def size_now(self) -> int:
        """The number of places."""
        large = self.size.width >= LARGE_SIZE[0] and self.size.height >= LARGE_SIZE[1]
        most = MAX_BOARDS if large else 4
        return min(self._boards or most, most)

    def flush(self) -> None:
        """Fill the places, and draw the boards that have changed since the last call."""
        if self.is_covered:
            return
        now = monotonic()
        self.places.arrange(self.live(), self.size_now, now)
        self.follow_only(self.places.rooms, self._refuse)
        self._note_ended(now)
        animated = self.client.animates and len(self.places.rooms) <= MAX_MOVING_BOARDS
        for tile, room in zip(self._tiles, self.places.rooms, strict=False):
            if room in self._changed or tile.room != room:
                tile.show(room, self.client.table(room), self._refused.get(room, ""), animated=animated)
            tile.tick(self._tail(room, now))
        self._changed.clear()
        self._arrange()
        self._update_header()

    def _note_ended(self, now: float) -> None:
        for room in self.places.rooms:
            table = self.client.table(room)
            if table is not None and table.status == "ended":
                self.places.end(room, now)

    def _refuse(self, room: str, reason: str) -> None:
        """Handle a room that cannot be watched: say why if the user asked for it, otherwise show another one."""
        if self.given:
            self._refused[room] = reason
            self._changed.add(room)
            self.places.end(room, monotonic())
        else:
            self._lobby.remove(room)
            self.places.remove(room)

    def _tail(self, room: str, now: float) -> str:
        left = self.places.seconds_left(room, now)
        if left is None or self.places.held or not self.places.has_next:
            return ""
        return f"next in {ceil(left)} s"

    def _arrange(self) -> None:
        """Arrange the boards in a grid, all of the same size."""
        games = len(self.places.rooms)
        self.chosen = min(self.chosen, max(0, games - 1))
        grid, none = self.query_one("#boards"), self.query_one("#none", PlainText)
        grid.display, none.display = games > 0, games == 0
        if not games:
            none.update(NO_GAMES)
        for place, tile in enumerate(self._tiles):
            tile.display = place < games
            tile.choose(place == self.chosen and games > 1)
        columns, rows = grid_shape(games)
        shape = columns, max(1, (grid.content_size.height + GAP_ROWS) // rows - GAP_ROWS)
        if shape != self._grid_shape:
            self._grid_shape = shape
            grid.styles.grid_size_columns = columns
            grid.styles.grid_rows = str(shape[1])

    def _update_header(self) -> None:
        shown, live = len(self.places.rooms), len(self.live())
        what = "game" if self.given else "live game"
        title = GAMES[self.game].title if self.game in GAMES else self.game
        count = counted(live, what) if shown >= live else f"{shown} of {counted(live, what)}"
        follows = "follows live games by itself" if self.is_tv else ""
        parts = ["Parlour", "TV" if self.is_tv else "Watching", count, *filter(None, [title])]
        self.query_one(Header).show(parts, "held: space resumes" if self.places.held else follows)

    def show_notice(self, text: str) -> None:
        self.query_one(Footer).show(Status(self.client.connection or text))

    def connection_changed(self) -> None:
        self.show_notice("")

    def repaint(self) -> None:
        for tile in self._tiles:
            tile.appearance = self.client.appearance
            tile.repaint()
        for bar in self.query(Bar):
            bar.appearance = self.client.appearance
            bar.refresh()
        self._changed.update(self.places.rooms)
        self.flush()

    # -- keys

    def on_key(self, event: events.Key) -> None:
        match event.key:
            case "q" | "escape":
                self._leave()
            case "f1":
                self._show_rules()
            case "question_mark":
                self._show_help()
            case "p":
                self.client.cycle_theme()
            case "enter":
                self._open_chosen()
            case "left" | "right" | "up" | "down":
                self._move(*STEPS[event.key])
            case "tab" | "shift+tab":
                self._choose(self.chosen + (1 if event.key == "tab" else -1))
            case "1" | "4" | "9":
                self._set_boards(int(event.key))
            case "space":
                self._hold()
            case "pagedown" | "pageup":
                self._turn_page(1 if event.key == "pagedown" else -1)
            case "g" if self.is_tv:
                self._next_game()
            case _:
                return
        event.stop()
        event.prevent_default()

    def actions(self) -> list[Action]:
        boards = [Action(f"Show {counted(n, 'board')}", str(n), partial(self._set_boards, n)) for n in (1, 4, 9)]
        games = [Action("Show only one game, the next one, or all", "g", self._next_game)] if self.is_tv else []
        return [
            Action("Open the chosen game", "enter", self._open_chosen),
            *boards,
            Action("Keep these games, or follow live games again", "space", self._hold),
            Action("Other games: next", "pgdn", partial(self._turn_page, 1)),
            Action("Other games: previous", "pgup", partial(self._turn_page, -1)),
            *games,
            Action("Change the colours", "p", self.client.cycle_theme),
            Action("Show the rules", "F1", self._show_rules),
            Action("Show all keys", "?", self._show_help),
            Action(self._leaving.capitalize(), "q", self._leave),
        ]

    def _open_chosen(self) -> None:
        if self.places.rooms:
            self.client.open_table(self.places.rooms[self.chosen])

    def _show_rules(self) -> None:
        self.app.push_screen(RulesScreen(self.game))

    def _show_help(self) -> None:
        self.app.push_screen(Help(TV_HELP_TITLE, TV_HELP))

    def _hold(self) -> None:
        self.places.held = not self.places.held
        self.flush()

    def _move(self, right: int, down: int) -> None:
        """Move the choice in the grid. It stops at the edges."""
        columns = self._grid_shape[0]
        if 0 <= self.chosen % columns + right < columns and 0 <= self.chosen + down * columns < len(self.places.rooms):
            self._choose(self.chosen + right + down * columns)

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.places.rooms):
            self.chosen = place
            self._arrange()

    def _set_boards(self, boards: int) -> None:
        self._boards = boards
        small = self.size_now < boards
        self.show_notice("Nine boards need a terminal of 120 x 40 characters." if small else "")
        if boards == 1 and self.places.rooms:  # keep the chosen game
            self.places.rooms.insert(0, self.places.rooms.pop(self.chosen))
        self.flush()

    def _turn_page(self, step: int) -> None:
        rooms = list(self.given) or sorted(self.live())
        if len(rooms) <= self.size_now:
            self.show_notice("All games are on the screen.")
        self.places.turn_page(rooms, self.size_now, step)
        self.flush()

    def _next_game(self) -> None:
        """Show only another game, or all games."""
        names = ["", *GAMES]
        self.game = names[(names.index(self.game) + 1) % len(names)] if self.game in names else ""
        self.places.keep(self.live())
        self.show_notice("")
        self.flush()

    def on_board_tile_opened(self, event: BoardTile.Opened) -> None:
        self.client.open_table(event.room)

    def _leave(self) -> None:
        self.follow_only(())
        self.client.leave_screen()
