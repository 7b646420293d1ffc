"""How bots, or a review, judge the position: a sentence, and a bar or a graph of the values."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from client.presentation.judgement import balance_text, numbers_text, share_of
from client.presentation.review_texts import sentence, shares_of
from client.sdk.result_text import player_name
from client.sdk.room_view import RoomView
from client.tui.models.bot_values import fill_gaps, latest, values
from client.tui.render.appearance import Appearance
from client.tui.render.bars import title_line
from client.tui.render.pixel_kinds import kind_of, pieces_of
from client.tui.render.pixels import Pixels, to_characters, to_segments
from client.tui.render.strip import tone
from client.tui.render.tokens import BLACK, WHITE, Colour, Tokens
from engine.review import Annotation
from runtime.printable import printable

GRAPH_ROWS = 5  # with fewer rows, there is a bar instead of a graph


class BalanceView(Widget):
    """Shows which side bots prefer, or the values of a reviewed game. It is hidden if there are no values."""

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.appearance = appearance
        self.display = False
        self.numbers = False  # whether to show the numbers of the engine, too
        self._shares: list[float] = []  # of the first side, one per move
        self._at = 0  # the current one of them
        self._words = ""
        self._colours: tuple[Colour, Colour] | None = None

    def show(self, table: RoomView, ply: int) -> None:
        """Show the values up to a ply."""
        series = values(table.moves[:ply])
        value = latest(series)
        self.display = value is not None
        if value is None or table.game is None:
            return
        self._shares = [share_of(known) for known in fill_gaps(series) if known is not None]
        self._at = len(self._shares)
        names = player_name(table, 0), player_name(table, 1)
        self._words = printable(numbers_text(table, ply) if self.numbers else balance_text(value, names))
        self._repaint(table)

    def show_review(self, table: RoomView, ply: int, annotations: Sequence[Annotation]) -> None:
        """Show the values of a reviewed game, and the judgement of the move that led to the position."""
        self.display = bool(annotations) and table.game is not None
        if table.game is None or not annotations:
            return
        self._shares = shares_of(table.game, table.moves, annotations)
        self._at = ply
        self._words = (
            printable(sentence(annotations[ply - 1])) if ply else "A reviewed game: F2 goes to the next mistake."
        )
        self._repaint(table)

    def _repaint(self, table: RoomView) -> None:
        tokens = self.appearance.tokens
        self._colours = None if tokens is None else side_colours(table, tokens)
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 3

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        plain = tone(self.appearance, "text")
        if y == 0:
            return Strip(title_line("Balance", width, self.appearance))
        words = self._wrapped(width)
        if y <= len(words):
            return Strip([Segment(words[y - 1], plain)]).adjust_cell_length(width, plain)
        rows = self.size.height - 1 - len(words)
        lines = self._graph(width, rows) if rows >= GRAPH_ROWS else [self._bar(width)]
        row = y - 1 - len(words)
        return Strip(lines[row] if row < len(lines) else []).adjust_cell_length(width, plain)

    def _wrapped(self, width: int) -> list[str]:
        """Return the sentence in lines. The title and the bar keep one line each."""
        most = max(1, self.size.height - 2)
        more = " ..." if self.appearance.ascii_only else " …"
        return wrap(self._words, max(8, width), max_lines=most, placeholder=more)

    def _bar(self, width: int) -> list[Segment]:
        """Return the share of the first side as a bar."""
        share = self._shares[self._at - 1] if 0 < self._at <= len(self._shares) else 0.5
        first = round(width * share)
        tokens = self.appearance.tokens
        if tokens is None or self._colours is None:
            full, rest = ("#", ".") if self.appearance.ascii_only else ("█", "·")
            return [Segment(full * first + rest * (width - first))]
        pixels = Pixels(width, 2, tokens.bg)
        pixels.rectangle(0, 1, first, 1, self._colours[0])
        pixels.rectangle(first, 1, width - first, 1, self._colours[1])
        return to_segments(pixels, [])[0]

    def _graph(self, width: int, rows: int) -> list[list[Segment]]:
        """Return the values after each move: the first side's above the middle, the second side's below.

        Moves after the current one are drawn in the colour of lines.
        """
        tokens = self.appearance.tokens
        if self.appearance.ascii_only:
            return [self._bar(width)]
        pixels = Pixels(width, 2 * rows, BLACK if tokens is None else tokens.bg)
        pixels.rectangle(0, rows, width, 1, WHITE if tokens is None else tokens.line)
        colours = self._colours or (WHITE, WHITE)
        first = max(0, min(self._at, len(self._shares)) - width)
        shown = self._shares[first : first + width]
        step = max(1, min(6, width // max(1, len(shown))))
        for number, share in enumerate(shown):
            tall = max(1, round(abs(2 * share - 1) * (rows - 1)))
            top, ink = (rows - tall, colours[0]) if share > 0.5 else (rows + 1, colours[1])
            if first + number >= self._at and tokens is not None:
                ink = tokens.line
            pixels.rectangle(number * step, top, max(1, step - 1), tall, ink)
        return to_characters(pixels, Style()) if tokens is None else to_segments(pixels, [])


def side_colours(table: RoomView, tokens: Tokens) -> tuple[Colour, Colour]:
    """Return the colours of both sides in a bar."""
    assert table.game is not None
    kind = kind_of(table.game, table.game.draw(table.state))
    if kind == "pits":
        return tokens.accent, tokens.line
    pieces = pieces_of(kind, tokens)
    return (pieces.first, pieces.ground) if kind == "marbles" else (pieces.first, pieces.second)
