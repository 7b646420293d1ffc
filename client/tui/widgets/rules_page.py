"""The rules of a game: the text at the left, its figures drawn at the right. Both scroll together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from client.presentation.rules.chapter import Chapter, Example, Figure, Heading, Spans
from client.presentation.rules.wrapping import text_lines, with_goal, wrapped
from client.tui.models.move_picker import changes
from client.tui.render.appearance import Appearance
from client.tui.render.fit import fit_board
from client.tui.render.marks import Marks
from client.tui.render.pixels import text_style

MARGIN_COLUMNS = 3
GAP_COLUMNS = 4  # between text and figures
MAX_TEXT_COLUMNS = 72
FIGURE_SHARE = 0.42  # of the width
MIN_FIGURE_ROWS = 12  # enough for drawn discs

Line = list[Segment]


class RulesPage(ScrollView, can_focus=False):
    """Draws a chapter."""

    def __init__(self, appearance: Appearance, chapter: Chapter) -> None:
        super().__init__()
        self.appearance = appearance
        self._chapter = chapter
        self._strips: list[Strip] = []

    def show(self, chapter: Chapter) -> None:
        """Show another chapter, from its beginning."""
        self._chapter = chapter
        self.scroll_home(animate=False)
        self.repaint()

    def repaint(self) -> None:
        """Draw again, with the current appearance and size."""
        width, height = self.scrollable_content_region.size
        if width:
            self._strips = [self._strip(line, width) for line in Layout(self._chapter, width, height, self.appearance)]
            self.virtual_size = Size(width, len(self._strips))
        self.refresh()

    def on_resize(self) -> None:
        self.repaint()

    @property
    def has_more(self) -> bool:
        """Whether there are lines below those on the screen."""
        return self.scroll_offset.y < self.max_scroll_y

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        return self._strips[row] if row < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def _strip(self, line: Line, width: int) -> Strip:
        return Strip(line).adjust_cell_length(width, self.rich_style)


class Layout:
    """The lines of a chapter for a size. A figure starts beside its section, or below the previous figure."""

    def __init__(self, chapter: Chapter, width: int, height: int, appearance: Appearance) -> None:
        self._appearance = appearance
        self._styles = span_styles(appearance)
        self._figure_rows = max(MIN_FIGURE_ROWS, height // 2 - 3)
        figures = [block for block in chapter.blocks if isinstance(block, Figure)]
        narrowest = max((fit_board(each.game, each.board, 0, 0, appearance).columns for each in figures), default=0)
        self._figure_columns = max(narrowest, int(width * FIGURE_SHARE) - MARGIN_COLUMNS)
        self._text_columns = min(MAX_TEXT_COLUMNS, width - self._figure_columns - GAP_COLUMNS - 2 * MARGIN_COLUMNS)
        self._text: list[Line] = []
        self._figures: list[Line] = []
        self._arrange(chapter)

    def _arrange(self, chapter: Chapter) -> None:
        section = 0  # the row of its heading
        for block in with_goal(chapter):
            match block:
                case Heading(text):
                    section = len(self._text)
                    self._text += [[Segment(text, self._styles["heading"])]]
                case Figure():
                    if self._figures:  # the first figure is at the top, beside the goal
                        self._figures += [[] for _ in range(section - len(self._figures))]
                    self._figures += [*self._drawn(block), []]
                case Example():
                    self._text += [*self._example(block), []]
                case _:
                    self._text += [*map(self._styled, text_lines(block, self._text_columns)), []]

    def __iter__(self) -> Iterator[Line]:
        margin = Segment(" " * MARGIN_COLUMNS, self._styles[""])
        rows: Iterator[tuple[Line, Line]] = zip_longest(self._text, self._figures, fillvalue=[])
        for text, figure in rows:
            used = sum(segment.cell_length for segment in text)
            gap = self._text_columns + GAP_COLUMNS - used
            yield [margin, *text, Segment(" " * gap, self._styles[""]), *figure]

    def _styled(self, line: Spans) -> Line:
        return [Segment(text, self._styles[kind]) for kind, text in line]

    def _example(self, example: Example) -> list[Line]:
        """Return an example. A line that is too long is broken."""
        columns = self._text_columns
        return [
            self._styled((("code", text[at : at + columns]),))
            for text in example.text.split("\n")
            for at in range(0, len(text), columns)
        ]

    def _drawn(self, figure: Figure) -> list[Line]:
        """Return the caption and the board of a figure."""
        caption = wrapped(figure.caption, self._figure_columns)
        picture = fit_board(figure.game, figure.board, self._figure_columns, self._figure_rows, self._appearance)
        lines = [[Segment(text, self._styles["caption"]) for _, text in line] for line in caption]
        return [*lines, *picture.lines(marks_of(figure))]


def marks_of(figure: Figure) -> Marks:
    """Return the marks of a figure, as the table would show them."""
    preview = {} if figure.after is None else changes(figure.board, figure.after)
    end = None if figure.after is None or figure.move is None else figure.game.end_of(figure.state, figure.move)
    return Marks(
        picked=figure.picked,
        targets=frozenset(figure.legal),
        preview=preview,
        end=end,
        last=frozenset(figure.last),
        decisive=frozenset(figure.decisive),
    )


def span_styles(appearance: Appearance) -> dict[str, Style]:
    """Return the styles of the kinds of spans, of headings and of captions."""
    tokens = appearance.tokens
    if tokens is None:
        bold = Style(bold=True)
        return {
            "": Style(),
            "b": bold,
            "i": Style(italic=True),
            "code": bold,
            "heading": bold,
            "caption": Style(dim=True),
        }
    plain = text_style(tokens.text, tokens.bg, False)
    return {
        "": plain,
        "b": plain + Style(bold=True),
        "i": plain + Style(italic=True),
        "code": text_style(tokens.text, tokens.bar, False),
        "heading": text_style(tokens.accent, tokens.bg, True),
        "caption": text_style(tokens.muted, tokens.bg, False),
    }
