"""Widgets that show text from others literally.

Textual takes `[…]` in a text for markup, which can style it, run actions or raise an error. These widgets show every
text as it is, with its control characters escaped. Other modules of this package take their widgets from here, and
only `Input` from Textual: a test checks this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text
from textual.content import Content
from textual.coordinate import Coordinate
from textual.visual import VisualType
from textual.widgets import Button, DataTable, OptionList, Select, Static

from runtime.printable import printable

Lines = str | Sequence[str]  # a text of one line, or of several


def literal(text: Lines) -> Content:
    """Return a text to show as it is. A line break inside a line is escaped."""
    return Content("\n".join(map(printable, [text] if isinstance(text, str) else text)))


class PlainText(Static):
    """A text of one line or of several."""

    def __init__(self, text: Lines = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(literal(text), id=id, classes=classes, markup=False)

    def update(self, content: Lines | VisualType = "", *, layout: bool = True) -> None:
        """Show another text."""
        assert isinstance(content, str | list | tuple)
        super().update(literal(content), layout=layout)

    @property
    def text(self) -> str:
        return str(self.content)


class PlainTable(DataTable[Text]):
    """A table of texts in which a row is selected."""

    def __init__(self, columns: Iterable[tuple[str, int]], *, id: str) -> None:
        """Make an empty table. `columns`: the titles and widths."""
        super().__init__(id=id, cursor_type="row", zebra_stripes=False)
        for title, width in columns:
            self.add_column(cell(title), width=width)

    def add_texts(self, texts: Iterable[str]) -> None:
        """Add a row."""
        self.add_row(*map(cell, texts))

    def set_text(self, row: int, column: int, text: str) -> None:
        """Change one cell."""
        self.update_cell_at(Coordinate(row, column), cell(text))

    def texts(self, row: int) -> list[str]:
        return [text.plain for text in self.get_row_at(row)]


def cell(text: str) -> Text:
    return Text(printable(text), no_wrap=True, end="")


class PlainOptions(OptionList):
    """A list of answers."""

    def __init__(self, texts: Iterable[str], *, id: str) -> None:
        super().__init__(*map(literal, texts), id=id, compact=True, markup=False)


class PlainSelect(Select[str]):
    """A choice of values, each with a text."""

    def __init__(self, choices: Iterable[tuple[str, str]], value: str, *, id: str) -> None:
        super().__init__(as_options(choices), value=value, allow_blank=False, id=id, compact=True)

    def set_choices(self, choices: Iterable[tuple[str, str]]) -> None:
        """Replace the choices. The first one is selected."""
        self.set_options(as_options(choices))


def as_options(choices: Iterable[tuple[str, str]]) -> list[tuple[Text, str]]:
    return [(cell(text), value) for text, value in choices]


class PlainButton(Button):
    """A button."""

    def __init__(self, text: str, *, id: str) -> None:
        super().__init__(literal(text), id=id, compact=True)
