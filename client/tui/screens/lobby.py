"""The lobby: rooms and bots as they come and go, and what one can do with them."""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.coordinate import Coordinate
from textual.widgets import DataTable, Input, Static

from client.presentation.launch_plan import BOT_AFTER_MS, GameRequest
from client.presentation.texts import counted
from client.sdk.events import Connected, SessionEvent
from client.tui.dialogs.help import Help
from client.tui.dialogs.leaderboard import Leaderboard
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import Line, LobbyRooms
from client.tui.screens.base import BaseScreen
from client.tui.screens.table_keys import LOBBY_HELP
from client.tui.widgets.footer import Footer
from engine.registry import GAMES
from protocol.commands import History, Lobby
from protocol.replies import Invited, LobbyUpdate, Ok

COLUMNS = (("", 6), ("game", 11), ("players", 27), ("clock", 10), ("", 8), ("eyes", 4))
FIRST_GAME = next(iter(GAMES))
KEYS = "enter: sit down, watch, challenge   ctrl+n: new game   ?: all keys   esc: out"


class LobbyScreen(BaseScreen):
    def __init__(self) -> None:
        super().__init__()
        self.rooms = LobbyRooms()
        self.lines: list[Line] = []

    def compose_content(self) -> ComposeResult:
        yield Static(" Parlour: the lobby", id="title", markup=False)
        hint = "type to filter: a game, a name, waiting…"
        yield Input(placeholder=hint, id="filter", compact=True, select_on_focus=False)
        yield DataTable[str](id="rooms", cursor_type="row", zebra_stripes=False)
        yield Footer(KEYS)

    def set_up(self) -> None:
        grid = self.grid
        grid.can_focus = False  # the arrows work from the line of text
        for number, (title, width) in enumerate(COLUMNS):
            grid.add_column(title, width=width, key=str(number))
        self.query_one("#filter", Input).focus()
        self.client.send(Lobby(id=self.client.next_id(), on=True))
        self.show_notice("")

    @property
    def grid(self) -> DataTable[str]:
        return self.query_one("#rooms", DataTable)

    # -- what is shown

    def receive(self, happening: SessionEvent) -> None:
        if isinstance(happening, LobbyUpdate):
            self.rooms.update(happening)
            self.fill()
        elif isinstance(happening, Invited):
            self.show_notice(f"{happening.by} invites you to {happening.room.game}: choose the room and press enter")
        elif isinstance(happening, Connected):
            self.show_notice("")

    def fill(self) -> None:
        """The table as it is to be; only what is different is written."""
        lines = self.rooms.lines(self.query_one("#filter", Input).value)
        grid, chosen = self.grid, self.chosen()
        if [line.key for line in lines] == [line.key for line in self.lines]:
            for row, (old, new) in enumerate(zip(self.lines, lines, strict=True)):
                for column, (before, after) in enumerate(zip(old.cells, new.cells, strict=True)):
                    if before != after:
                        grid.update_cell_at(Coordinate(row, column), after)
        else:
            grid.clear()
            for line in lines:
                grid.add_row(*line.cells, key=line.key)
            keys = [line.key for line in lines]
            if chosen is not None and chosen.key in keys:
                grid.move_cursor(row=keys.index(chosen.key), animate=False)
        self.lines = lines
        self._summary()

    def _summary(self) -> None:
        rooms = sum(line.room is not None for line in self.lines)
        bots = len(self.lines) - rooms
        text = f"the lobby, {counted(rooms, 'room')}, {counted(bots, 'bot')}"
        if self.rooms.finished is not None:
            text = counted(rooms, "finished game")
        self.query_one("#title", Static).update(f" Parlour: {text}")

    def chosen(self) -> Line | None:
        row = self.grid.cursor_row
        return self.lines[row] if 0 <= row < len(self.lines) else None

    def show_notice(self, text: str) -> None:
        self.query_one(Footer).show(self.client.connection or text)

    def connection_changed(self) -> None:
        self.show_notice("")

    # -- keys

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value.endswith("?"):
            event.input.value = event.value[:-1]
            self.app.push_screen(Help("The keys of the lobby", LOBBY_HELP))
            return
        self.fill()

    def on_key(self, event: events.Key) -> None:
        grid = self.grid
        match event.key:
            case "up":
                grid.action_cursor_up()
            case "down":
                grid.action_cursor_down()
            case "pageup":
                grid.action_page_up()
            case "pagedown":
                grid.action_page_down()
            case "ctrl+n":
                self.new_game(GameRequest(FIRST_GAME))
            case "ctrl+p":
                self.quick_pair()
            case "ctrl+o":
                self.enter(watch=True)
            case "ctrl+l":
                self.leaderboard()
            case "ctrl+g":
                self.wall()
            case "ctrl+r":
                self.finished_games()
            case "f1":
                self.app.push_screen(Help("The keys of the lobby", LOBBY_HELP))
            case "escape":
                self._escape()
            case _:
                return
        event.stop()
        event.prevent_default()

    def _escape(self) -> None:
        field = self.query_one("#filter", Input)
        if field.value:
            field.value = ""
        elif self.rooms.finished is not None:
            self.finished_games()
        else:
            self.client.leave_screen()

    def on_input_submitted(self) -> None:
        self.enter()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        self.enter()

    # -- what one can do

    def enter(self, *, watch: bool = False) -> None:
        line = self.chosen()
        if line is None:
            self.show_notice("there is nothing to choose; ctrl+n makes a new game")
        elif line.bot is not None:
            self.new_game(GameRequest(line.bot.plays[0], vs=line.bot.name))
        elif line.room is not None:
            if line.room.status == "waiting" and not watch:
                self.client.join(line.room.room)
            else:
                self.client.watch_rooms((line.room.room,))

    def new_game(self, request: GameRequest) -> None:
        def made(chosen: GameRequest | None) -> None:
            if chosen is not None:
                self.client.start_game(chosen)

        self.app.push_screen(NewGame(request, self.rooms), made)

    def quick_pair(self) -> None:
        """Whoever wants the same game as the line that is chosen; the first there is if it is none."""
        line = self.chosen()
        room = None if line is None else line.room
        request = (
            GameRequest(FIRST_GAME)
            if room is None
            else GameRequest(room.game, room.options, room.clock, rated=room.rated)
        )
        self.client.start_game(replace(request, pair=True, bot_after=BOT_AFTER_MS))

    def finished_games(self) -> None:
        """The latest games that are over, to be looked through; once more: back to those that are not."""

        def known(ok: Ok) -> None:
            self.rooms.finished = ok.rooms or ()
            self.fill()

        if self.rooms.finished is None:
            self.client.send(History(id=self.client.next_id(), limit=100), known)
        else:
            self.rooms.finished = None
            self.fill()

    def leaderboard(self) -> None:
        """Of the game and the options of the line that is chosen."""
        line = self.chosen()
        room, bot = (None, None) if line is None else (line.room, line.bot)
        game = room.game if room is not None else bot.plays[0] if bot is not None else FIRST_GAME
        self.app.push_screen(Leaderboard(game, {} if room is None else room.options))

    def wall(self) -> None:
        running = self.rooms.running()
        if running:
            self.client.watch_rooms(running)
        else:
            self.show_notice("no game is running")
