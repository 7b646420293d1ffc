"""The lobby: rooms and bots, and the keys to join, watch and challenge."""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from client.presentation.launch_plan import BOT_AFTER_MS, GameRequest
from client.presentation.texts import counted, invited_text
from client.sdk.events import Connected, SessionEvent
from client.tui.dialogs.help import Help
from client.tui.dialogs.leaderboard import Leaderboard
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import LobbyRooms, LobbyRow
from client.tui.render.bars import Keys, Status
from client.tui.screens.base import Action, BaseScreen
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table_keys import LOBBY_HELP, LOBBY_HELP_TITLE
from client.tui.widgets.bars import Footer, Header
from client.tui.widgets.plain import PlainTable
from engine.registry import GAMES
from protocol.commands import History, Lobby
from protocol.replies import Invited, LobbyUpdate, Ok
from protocol.types import BotInfo

COLUMNS = (("", 6), ("game", 11), ("players", 23), ("clock", 10), ("", 8), ("watching", 8))
DEFAULT_GAME = next(iter(GAMES))
MAX_FINISHED_GAMES = 100
HOW_TO_JOIN = "select it and press enter"
KEYS = (
    Keys("↑↓", "choose"),
    Keys("enter", "open"),
    Keys("ctrl+n", "new game"),
    Keys("F1", "rules"),
    Keys("ctrl+f", "pair me"),
    Keys("ctrl+g", "tv"),
    Keys("ctrl+l", "ratings"),
    Keys("?", "all keys"),
    Keys("esc", "leave"),
)


class LobbyScreen(BaseScreen):
    """Lists rooms and bots. Typing filters the list."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms = LobbyRooms()
        self.rows: list[LobbyRow] = []

    def compose_content(self) -> ComposeResult:
        yield Header(self.client.appearance, ["Parlour", "Lobby"])
        hint = "Type to filter by game, player or status"
        yield Input(placeholder=hint, id="filter", compact=True, select_on_focus=False)
        yield PlainTable(COLUMNS, id="rooms")
        yield Footer(self.client.appearance, KEYS)

    def set_up(self) -> None:
        self.grid.can_focus = False  # the filter keeps the focus; on_key passes the arrows on
        self.query_one("#filter", Input).focus()
        self.client.send(Lobby(id=self.client.next_id(), on=True))
        self.show_notice(self.client.invitation and f"{self.client.invitation}: {HOW_TO_JOIN}")

    @property
    def grid(self) -> PlainTable:
        return self.query_one("#rooms", PlainTable)

    # -- what is shown

    def receive(self, event: SessionEvent) -> None:
        if isinstance(event, LobbyUpdate):
            self.rooms.update(event)
            self.update_rows()
        elif isinstance(event, Invited):
            self.show_notice(f"{invited_text(event)}: {HOW_TO_JOIN}")
        elif isinstance(event, Connected):
            self.show_notice("")

    def update_rows(self) -> None:
        """Update the list. Write only the cells that have changed."""
        rows = self.rooms.rows(self.query_one("#filter", Input).value)
        grid, selected = self.grid, self.selected()
        if [row.key for row in rows] == [row.key for row in self.rows]:
            for number, (old, new) in enumerate(zip(self.rows, rows, strict=True)):
                for column, (before, after) in enumerate(zip(old.cells, new.cells, strict=True)):
                    if before != after:
                        grid.set_text(number, column, after)
        else:
            grid.clear()
            for row in rows:
                grid.add_texts(row.cells)
            keys = [row.key for row in rows]
            if selected is not None and selected.key in keys:
                grid.move_cursor(row=keys.index(selected.key), animate=False)
        self.rows = rows
        self._update_title()

    def _update_title(self) -> None:
        rooms = sum(row.room is not None for row in self.rows)
        text = f"{counted(rooms, 'room')}, {counted(len(self.rows) - rooms, 'bot')}"
        if self.rooms.finished is not None:
            text = counted(rooms, "finished game")
        self.query_one(Header).show(["Parlour", "Lobby", text])

    def selected(self) -> LobbyRow | None:
        row = self.grid.cursor_row
        return self.rows[row] if 0 <= row < len(self.rows) else None

    def show_notice(self, text: str) -> None:
        self.query_one(Footer).show(Status(self.client.connection or text))

    def connection_changed(self) -> None:
        self.show_notice("")

    # -- keys

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value.endswith("?"):
            event.input.value = event.value[:-1]
            self.help()
            return
        self.update_rows()

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
                self.new_game(GameRequest(DEFAULT_GAME))
            case "ctrl+f":
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
                self.rules()
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

    def on_data_table_row_selected(self, event: PlainTable.RowSelected) -> None:
        self.enter()

    # -- actions

    def actions(self) -> list[Action]:
        return [
            Action("Join, watch or challenge the selected line", "enter", self.enter),
            Action("New game", "ctrl+n", lambda: self.new_game(GameRequest(DEFAULT_GAME))),
            Action("Pair me with an opponent", "ctrl+f", self.quick_pair),
            Action("Watch the selected game", "ctrl+o", lambda: self.enter(watch=True)),
            Action("Watch all running games", "ctrl+g", self.wall),
            Action("Show finished games, or the lobby again", "ctrl+r", self.finished_games),
            Action("Show the leaderboard", "ctrl+l", self.leaderboard),
            Action("Show the rules", "F1", self.rules),
            Action("Change the colours", "", self.client.cycle_theme),
            Action("Show all keys", "?", self.help),
            Action("Leave", "esc", self.client.leave_screen),
        ]

    def rules(self) -> None:
        self.app.push_screen(RulesScreen(self._selected_game()))

    def help(self) -> None:
        self.app.push_screen(Help(LOBBY_HELP_TITLE, LOBBY_HELP))

    def enter(self, *, watch: bool = False) -> None:
        """Join or watch the selected room, or challenge the selected bot."""
        row = self.selected()
        if row is None:
            self.show_notice("Nothing is selected; ctrl+n starts a new game")
        elif row.bot is not None:
            self.challenge(row.bot)
        elif row.room is not None:
            if row.room.status == "waiting" and not watch:
                self.client.join(row.room.room)
            else:
                self.client.watch_rooms((row.room.room,))

    def challenge(self, bot: BotInfo) -> None:
        game = next((game for game in bot.plays if game in GAMES), None)
        if game is None:
            self.show_notice("This client does not know the games of this bot")
        else:
            self.new_game(GameRequest(game, vs=bot.name))

    def new_game(self, request: GameRequest) -> None:
        def submitted(request: GameRequest | None) -> None:
            if request is not None:
                self.client.start_game(request)

        self.app.push_screen(NewGame(request, self.rooms), submitted)

    def quick_pair(self) -> None:
        """Look for an opponent for the game of the selected room, or for the default game."""
        row = self.selected()
        request = GameRequest(DEFAULT_GAME)
        if row is not None and row.room is not None:
            room = row.room
            request = GameRequest(room.game, room.options, room.clock, rated=room.rated)
        self.client.start_game(replace(request, pair=True, bot_after=BOT_AFTER_MS))

    def finished_games(self) -> None:
        """Switch between the lobby and the latest finished games."""

        def show(ok: Ok) -> None:
            self.rooms.finished = ok.rooms or ()
            self.update_rows()

        if self.rooms.finished is None:
            self.client.send(History(id=self.client.next_id(), limit=MAX_FINISHED_GAMES), show)
        else:
            self.rooms.finished = None
            self.update_rows()

    def leaderboard(self) -> None:
        """Show the leaderboard for the game and the options of the selected row."""
        row = self.selected()
        options = {} if row is None or row.room is None else row.room.options
        self.app.push_screen(Leaderboard(self._selected_game(), options))

    def _selected_game(self) -> str:
        """Return the game of the selected room, the first game of the selected bot, or the default game."""
        row = self.selected()
        if row is not None and row.room is not None:
            return row.room.game
        return row.bot.plays[0] if row is not None and row.bot is not None and row.bot.plays else DEFAULT_GAME

    def wall(self) -> None:
        self.client.watch_live()
