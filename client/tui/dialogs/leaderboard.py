"""The leaderboard of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical

from client.presentation.texts import day, options_text, rating_text
from client.tui.dialogs.base import Dialog
from client.tui.models.client import Client
from client.tui.widgets.plain import PlainTable, PlainText
from engine.registry import GAMES
from protocol.commands import Leaderboard as LeaderboardCommand
from protocol.types import Leader, Options

COLUMNS = (("", 4), ("name", 28), ("rating", 7), ("games", 6), ("last game", 10))
KEYS = "left right: other games   esc: back   1620?: provisional rating"
MAX_LEADERS = 100


class Leaderboard(Dialog[None]):
    """Shows the best players of one game and its options. Left and right switch to other games."""

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
            yield PlainText(id="board-title")
            yield PlainTable(COLUMNS, id="leaders")
            yield PlainText(KEYS, classes="keys")

    def on_mount(self) -> None:
        self.grid.focus()
        self._load()

    @property
    def grid(self) -> PlainTable:
        return self.query_one("#leaders", PlainTable)

    def _load(self) -> None:
        client = cast(Client, self.app)
        game = self._game
        self._set_title("loading…")
        self.grid.clear()
        command = LeaderboardCommand(id=client.next_id(), game=game, options=self._options, limit=MAX_LEADERS)
        client.send(command, lambda ok: self.show(game, ok.leaders or ()))

    def _set_title(self, state: str) -> None:
        name = GAMES[self._game].title if self._game in GAMES else self._game
        self.query_one("#board-title", PlainText).update(", ".join([name, *options_text(self._options)]) + f": {state}")

    def show(self, game: str, leaders: Sequence[Leader]) -> None:
        """Show the leaders of a game, unless another game was selected in the meantime."""
        if game != self._game:
            return
        self._set_title("leaderboard" if leaders else "no rated games yet")
        for place, leader in enumerate(leaders, 1):
            rank = "" if leader.provisional else f"{place}."
            rating = rating_text(leader.rating, leader.provisional)
            self.grid.add_texts((rank, leader.name, rating, str(leader.games), day(leader.at)))

    def action_turn(self, by: int) -> None:
        games = list(GAMES)
        at = games.index(self._game) if self._game in games else 0
        self._game, self._options = games[(at + by) % len(games)], {}
        self._load()
