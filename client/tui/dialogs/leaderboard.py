"""The best players of a game, in front of the lobby."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import DataTable, Static

from client.presentation.texts import day, options_text, printable, rating_text
from client.tui.dialogs.base import Dialog
from client.tui.models.client import Client
from engine.registry import GAMES
from protocol.commands import Leaderboard as LeaderboardCommand
from protocol.types import Leader, Options

COLUMNS = (("", 4), ("name", 28), ("rating", 7), ("games", 6), ("last game", 10))


KEYS = "left right: another game   esc: back   1620? is not certain yet"


class Leaderboard(Dialog[None]):
    BINDINGS = [
        Binding("escape,q,ctrl+l", "dismiss", show=False),
        Binding("left", "turn(-1)", show=False, priority=True),
        Binding("right", "turn(1)", show=False, priority=True),
    ]

    def __init__(self, game: str, options: Options | None = None) -> None:
        super().__init__()
        self._game, self._options = game, {name: value for name, value in (options or {}).items() if name != "start"}

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield Static(id="board-title", markup=False)
            yield DataTable[str](id="leaders", cursor_type="row", zebra_stripes=False)
            yield Static(
                "left right: another game   esc: back   1620? is not certain yet", classes="keys", markup=False
            )

    def on_mount(self) -> None:
        for title, width in COLUMNS:
            self.grid.add_column(title, width=width)
        self.grid.focus()
        self._ask()

    @property
    def grid(self) -> DataTable[str]:
        return self.query_one("#leaders", DataTable)

    def _ask(self) -> None:
        client = cast(Client, self.app)
        game = self._game
        self._say("…")
        self.grid.clear()
        command = LeaderboardCommand(id=client.next_id(), game=game, options=self._options, limit=100)
        client.send(command, lambda ok: self.show(game, ok.leaders or ()))

    def _say(self, state: str) -> None:
        name = GAMES[self._game].title if self._game in GAMES else printable(self._game)
        self.query_one("#board-title", Static).update(", ".join([name, *options_text(self._options)]) + f": {state}")

    def show(self, game: str, leaders: Sequence[Leader]) -> None:
        if game != self._game:  # somebody has rotated the page meanwhile
            return
        self._say("the best players" if leaders else "no rated game has been played yet")
        for place, leader in enumerate(leaders, 1):
            self.grid.add_row(
                "" if leader.provisional else f"{place}.",
                printable(leader.name),
                rating_text(leader.rating, leader.provisional),
                str(leader.games),
                day(leader.at),
            )

    def action_turn(self, by: int) -> None:
        games = list(GAMES)
        at = games.index(self._game) if self._game in games else 0
        self._game, self._options = games[(at + by) % len(games)], {}
        self._ask()
