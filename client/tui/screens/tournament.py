"""The tournament screen: progress, standing, results, and the boards of running games."""

from __future__ import annotations

import time

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from client.presentation.tournament_texts import header_texts
from client.sdk.events import SessionEvent
from client.tui.dialogs.help import Help
from client.tui.render.bars import Keys, Status
from client.tui.screens.base import Action
from client.tui.screens.following import FollowingScreen
from client.tui.screens.rules import RulesScreen
from client.tui.widgets.bars import Bar, Footer, Header, SectionTitle
from client.tui.widgets.board_tile import BoardTile
from client.tui.widgets.plain import PlainText
from client.tui.widgets.tournament_page import TournamentPage, TournamentProgress
from protocol.commands import WatchTournament
from protocol.replies import TournamentUpdate
from protocol.types import TournamentGame, TournamentReport

UPDATE_INTERVAL_S = 0.2
MAX_BOARDS = 2
BOARDS_SIZE = (100, 30)  # of a terminal with a board
TWO_BOARDS_ROWS = 38
KEYS = (
    Keys("↑↓", "choose"),
    Keys("enter", "watch"),
    Keys("c", "crosstable"),
    Keys("p", "colours"),
    Keys("F1", "rules"),
    Keys("?", "all keys"),
    Keys("q", "leave"),
)
HELP_TITLE = "Keys of a tournament"
HELP = (
    ("up, down", "choose a running game"),
    ("enter", "watch it; q returns to the tournament"),
    ("c", "show all numbers and the crosstable; again: back"),
    ("p", "change the colours"),
    ("F1", "show the rules of the game"),
    ("ctrl+p", "find any of these by its name"),
    ("?", "show this page"),
    ("q, esc", "leave; the tournament continues"),
    ("ctrl+c", "leave at once; a tournament that runs here stops, and can be resumed"),
)


class TournamentScreen(FollowingScreen):
    """Shows the latest report on a tournament. `local`: the reports come from this process, not from the server."""

    def __init__(self, name: str, *, local: bool = False) -> None:
        super().__init__()
        self.tournament, self._local = name, local
        self.report: TournamentReport | None = None
        self._received = 0.0
        self._chosen = 0  # the number of the chosen game
        self._changed: set[str] = set()
        self._tiles: list[BoardTile] = []
        self._notice = ""

    def compose_content(self) -> ComposeResult:
        appearance = self.client.appearance
        yield Header(appearance, ["Tournament"])
        yield PlainText(id="none")
        yield TournamentProgress(appearance)
        self._tiles = [BoardTile(appearance) for _ in range(MAX_BOARDS)]
        with Horizontal(id="tournament"):
            yield TournamentPage(appearance, id="report")
            with Vertical(id="playing"):
                yield SectionTitle(appearance, "Now playing")
                yield from self._tiles
        yield Footer(appearance, KEYS)

    def set_up(self) -> None:
        if not self._local:
            self.client.send(WatchTournament(id=self.client.next_id(), name=self.tournament))
        self.query_one("#none", PlainText).update(
            ["Starting the tournament…"]
            if self._local
            else [f"No tournament named {self.tournament} has been reported to the server.", "Waiting until it starts."]
        )
        self.set_interval(UPDATE_INTERVAL_S, self.flush)
        self.flush()

    def receive(self, event: SessionEvent) -> None:
        if isinstance(event, TournamentUpdate) and event.name == self.tournament:
            self.show_report(event.report, event.age / 1000)
        room = getattr(event, "room", None)
        if isinstance(room, str) and room in self.followed:
            self._changed.add(room)

    def show_report(self, report: TournamentReport, age_s: float = 0.0) -> None:
        """Show a new report."""
        self.report, self._received = report, time.monotonic() - age_s
        self.flush()

    # -- what is shown

    @property
    def games(self) -> list[TournamentGame]:
        """The running games that can be watched."""
        return [] if self.report is None else [game for game in self.report.running if game.room]

    @property
    def chosen(self) -> TournamentGame | None:
        games = self.games
        return next((game for game in games if game.number == self._chosen), games[0] if games else None)

    @property
    def boards(self) -> int:
        """The number of boards for which there is space."""
        width, height = self.size
        if width < BOARDS_SIZE[0] or height < BOARDS_SIZE[1] or self.query_one(TournamentPage).details:
            return 0
        return MAX_BOARDS if height >= TWO_BOARDS_ROWS else 1

    def shown_games(self) -> list[TournamentGame]:
        """Return the games whose boards are shown: the chosen one, and the next ones."""
        games, chosen = self.games, self.chosen
        at = games.index(chosen) if chosen is not None else 0
        return (games[at:] + games[:at])[: self.boards]

    def flush(self) -> None:
        """Show what has changed since the last call."""
        if not self.is_current or not self.ready:
            return
        report, shown = self.report, self.shown_games()
        self.query_one("#none").display = report is None
        self.query_one("#tournament").display = report is not None
        self.query_one(TournamentProgress).display = report is not None
        self.query_one("#playing").display = bool(shown)
        self.follow_only([game.room for game in shown] or [game.room for game in [self.chosen] if game is not None])
        if report is not None:
            self.query_one(Header).show(header_texts(report))
            self.query_one(TournamentProgress).show(report, time.monotonic() - self._received)
            self.query_one(TournamentPage).show(report, None if shown else self._now())
        self._show_boards(shown)
        self.show_notice(self._notice)

    def _now(self) -> tuple[TournamentGame, int | None] | None:
        game = self.chosen
        table = None if game is None else self.client.table(game.room)
        return None if game is None else (game, None if table is None else table.ply)

    def _show_boards(self, shown: list[TournamentGame]) -> None:
        for place, tile in enumerate(self._tiles):
            tile.display = place < len(shown)
            if place < len(shown):
                room = shown[place].room
                if room in self._changed or tile.room != room:
                    tile.show(room, self.client.table(room))
                tile.tick()
        self._changed.clear()

    def show_notice(self, text: str) -> None:
        self._notice = text
        self.query_one(Footer).show(Status(self.client.connection or text))

    def connection_changed(self) -> None:
        self.show_notice("")

    def repaint(self) -> None:
        appearance = self.client.appearance
        for widget in (*self.query(Bar), *self._tiles, self.query_one(TournamentPage)):
            widget.appearance = appearance
            widget.repaint() if isinstance(widget, BoardTile | TournamentPage) else widget.refresh()
        self.query_one(TournamentProgress).appearance = appearance
        self.flush()

    # -- keys

    def actions(self) -> list[Action]:
        return [
            Action("Watch the chosen game", "enter", self._watch),
            Action("Crosstable, and all numbers", "c", self._toggle_details),
            Action("Change the colours", "p", self.client.cycle_theme),
            Action("Show the rules", "F1", self._show_rules),
            Action("Show all keys", "?", self._show_help),
            Action("Leave", "q", self.client.leave_screen),
        ]

    def on_key(self, event: events.Key) -> None:
        match event.key:
            case "up" | "down":
                self._choose(1 if event.key == "down" else -1)
            case "enter":
                self._watch()
            case "c":
                self._toggle_details()
            case "p":
                self.client.cycle_theme()
            case "f1":
                self._show_rules()
            case "question_mark":
                self._show_help()
            case "q" | "escape":
                self.client.leave_screen()
            case _:
                return
        event.stop()
        event.prevent_default()

    def _choose(self, step: int) -> None:
        """Choose another running game. The choice stops at the first and the last one."""
        games, chosen = self.games, self.chosen
        if chosen is not None:
            at = min(max(games.index(chosen) + step, 0), len(games) - 1)
            self._chosen = games[at].number
            self.flush()

    def _watch(self) -> None:
        if self.chosen is None:
            self.show_notice("No game is running.")
        else:
            self.client.watch_rooms((self.chosen.room,))

    def on_board_tile_opened(self, event: BoardTile.Opened) -> None:
        self.client.watch_rooms((event.room,))

    def _toggle_details(self) -> None:
        page = self.query_one(TournamentPage)
        page.details = not page.details
        page.repaint()
        self.flush()

    def _show_rules(self) -> None:
        self.app.push_screen(RulesScreen("" if self.report is None else self.report.game))

    def _show_help(self) -> None:
        self.app.push_screen(Help(HELP_TITLE, HELP))
