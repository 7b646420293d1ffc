"""The value of the game as its bots saw it, move by move."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widgets import Static

from client.tui.models.bot_values import graph, latest
from client.tui.render.appearance import Appearance


class ValueGraph(Static):
    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._appearance = appearance

    def show(self, series: Sequence[float | None], side: str) -> None:
        value = latest(series)
        self.display = value is not None
        if value is not None:
            height = max(1, self.size.height - 1)
            picture = graph(series, self.size.width, height, self._appearance.ascii_only)
            self.update("\n".join([f"value for {side}: {value:+.3g}", *picture]))
