"""The graph of the values that bots gave to the positions."""

from __future__ import annotations

from collections.abc import Sequence

from client.tui.models.bot_values import graph, latest
from client.tui.render.appearance import Appearance
from client.tui.widgets.plain import PlainText


class ValueGraph(PlainText):
    """Shows the latest value and a graph; hidden if there are no values."""

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._appearance = appearance

    def show(self, series: Sequence[float | None], side: str) -> None:
        value = latest(series)
        self.display = value is not None
        if value is not None:
            height = max(1, self.size.height - 1)
            picture = graph(series, self.size.width, height, self._appearance.ascii_only)
            self.update([f"Value for {side}: {value:+.3g}", *picture])
