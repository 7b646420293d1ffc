"""The graph of the values that bots gave to the positions."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widgets import Static

from client.tui.models.bot_values import graph, latest
from client.tui.render.appearance import Appearance


class ValueGraph(Static):
    """Shows the latest value and a graph; hidden if there are no values."""

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._appearance = appearance

    def show(self, series: Sequence[float | None], side: str) -> None:
        value = latest(series)
        self.display = value is not None
        if value is not None:
            height = max(1, self.size.height - 1)
            picture = graph(series, self.size.width, height, self._appearance.ascii_only)
            self.update("\n".join([f"Value for {side}: {value:+.3g}", *picture]))
