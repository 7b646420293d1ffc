"""The report on a tournament: progress, standings with bars, crosstable, results, next games."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from client.tui.render.appearance import Appearance
from client.tui.render.strip import tone
from client.tui.render.tournament import Line, now_line, page_lines, progress_line
from protocol.types import TournamentGame, TournamentReport


class TournamentPage(Widget):
    """Shows a report. `chosen`: a running game that is named below it, where there is no space for a board."""

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.appearance = appearance
        self.details = False
        self._report: TournamentReport | None = None
        self._chosen: tuple[TournamentGame, int | None] | None = None
        self._lines: list[Line] | None = None

    def show(self, report: TournamentReport, chosen: tuple[TournamentGame, int | None] | None) -> None:
        """Show a report. `chosen`: a running game and its ply."""
        if (report, chosen) != (self._report, self._chosen):
            self._report, self._chosen = report, chosen
            self.repaint()

    def repaint(self) -> None:
        """Draw again, with the current appearance."""
        self._lines = None
        self.refresh()

    def on_resize(self) -> None:
        self._lines = None

    def render_line(self, y: int) -> Strip:
        if self._lines is None:
            self._lines = self._paint()
        line = self._lines[y] if y < len(self._lines) else []
        return Strip(line).adjust_cell_length(self.size.width, tone(self.appearance, "text"))

    def _paint(self) -> list[Line]:
        if self._report is None:
            return []
        width, height = self.size.width, self.size.height
        low: list[Line] = [] if self._chosen is None else [[], now_line(*self._chosen, width, self.appearance)]
        lines = page_lines(self._report, width, height - len(low), self.appearance, details=self.details)
        return [*lines, *low]


class TournamentProgress(Widget):
    """How much of a tournament has been played: a text, a bar, and how long it will still take."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance
        self._shown: tuple[TournamentReport, float] | None = None

    def show(self, report: TournamentReport, age_s: float) -> None:
        """Show a report that is some seconds old."""
        self._shown = report, age_s
        self.refresh()

    def render_line(self, y: int) -> Strip:
        plain = tone(self.appearance, "text")
        line = [] if self._shown is None else progress_line(*self._shown, self.size.width, self.appearance)
        return Strip(line).adjust_cell_length(self.size.width, plain)
