"""The lines at the edges of a screen: the header, the status line and the key bar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from client.tui.render.appearance import Appearance
from client.tui.render.pixels import text_style
from client.tui.render.tokens import Colour, mix

KEY_GAP_COLUMNS = 3
WIDE_COLUMNS = 100  # from this width on, there is more space between keys
ALWAYS_SHOWN = 2  # the last keys of a bar: help and leaving
ASCII_KEYS = {"←↑↓→": "arrows", "←→": "left right", "↑↓": "up down"}
SEPARATOR = "  ·  "
SENTENCE_END = re.compile(r"\.(?= [A-Z])|(?=   )")
TAB_MARGIN_COLUMNS = 2
TAB_GAP_COLUMNS = 2


class Keys(NamedTuple):
    """A key with its meaning, for the key bar."""

    key: str
    meaning: str


class Status(NamedTuple):
    """The status line. `chip`: a word in a filled block before the text. `tone`: accent, bad or good.

    `question`: the whole line is tinted, because the user must answer.
    """

    text: str = ""
    chip: str = ""
    tail: str = ""
    tone: str = "accent"
    question: bool = False


def header_line(parts: Sequence[str], right: str, width: int, appearance: Appearance) -> list[Segment]:
    """Return the first line of a screen: a title, further parts, and a text at the right."""
    plain, strong, muted = bar_styles(appearance)
    title, *rest = parts
    line = [Segment("  ", plain), Segment(title, strong)]
    for part in rest:
        line.append(Segment(f"{'  -  ' if appearance.ascii_only else SEPARATOR}{part}", muted))
    used = sum(segment.cell_length for segment in line)
    gap = width - used - cell_len(right) - 2
    if gap < 2:
        return clipped(line, width, plain)
    return [*line, Segment(" " * gap, plain), Segment(f"{right}  ", muted)]


def key_line(keys: Sequence[Keys], width: int, appearance: Appearance) -> list[Segment]:
    """Return the key bar. The first keys get their space before others; the last two always stay."""
    plain, strong, muted = bar_styles(appearance)
    shown = [
        Keys(ASCII_KEYS.get(key, key), meaning) if appearance.ascii_only else Keys(key, meaning)
        for key, meaning in keys
    ]
    gap = KEY_GAP_COLUMNS if width >= WIDE_COLUMNS else KEY_GAP_COLUMNS - 1
    fitting: list[Keys] = []
    for candidate in shown[:-ALWAYS_SHOWN]:
        if bar_width([*fitting, candidate, *shown[-ALWAYS_SHOWN:]], gap) <= width - 2:
            fitting.append(candidate)
    line = [Segment("  ", plain)]
    for key, meaning in [*fitting, *shown[-ALWAYS_SHOWN:]]:
        line += [Segment(key, strong), Segment(f" {meaning}{' ' * gap}", muted)]
    return clipped(line, width, plain)


def bar_width(keys: Sequence[Keys], gap: int) -> int:
    return sum(cell_len(key) + cell_len(meaning) + 1 + gap for key, meaning in keys)


def status_line(status: Status, width: int, appearance: Appearance) -> list[Segment]:
    """Return the status line. If there is too little space, the tail is left out, then the last sentences."""
    tokens = appearance.tokens
    if tokens is None:
        plain, muted, chip = Style(bold=status.question), Style(dim=True), Style(reverse=True, bold=True)
    else:
        ink: Colour = getattr(tokens, status.tone)
        ground = mix(ink, tokens.bg, 0.8) if status.question else tokens.bg
        plain, muted = text_style(tokens.text, ground, False), text_style(tokens.muted, ground, False)
        chip = text_style(tokens.on_accent, ink, True)
    line = [Segment("  ", plain)]
    if status.chip:
        line += [Segment(f" {status.chip} ", chip), Segment(" ", plain)]
    room = width - sum(segment.cell_length for segment in line) - 2
    line.append(Segment(fitted(status.text, room), plain))
    used = sum(segment.cell_length for segment in line)
    gap = width - used - cell_len(status.tail) - 2
    if status.tail and gap >= 3:
        line += [Segment(" " * gap, plain), Segment(f"{status.tail}  ", muted)]
    return clipped(line, width, plain)


def fitted(text: str, columns: int) -> str:
    """Return a text, without its last sentences if it is wider than `columns`. The first sentence always stays."""
    ends = [found.end() for found in SENTENCE_END.finditer(text)]
    while cell_len(text) > columns and ends:
        text = text[: ends.pop()].rstrip()
    return text


def title_line(title: str, width: int, appearance: Appearance) -> list[Segment]:
    """Return the title of a section, on a thin rule."""
    dash = "-" if appearance.ascii_only else "─"
    rule = dash * max(0, width - cell_len(title) - 1)
    if appearance.tokens is None:
        return [Segment(f"{title} {rule}", Style(dim=True))]
    tokens = appearance.tokens
    return [
        Segment(f"{title} ", text_style(tokens.muted, tokens.bg, False)),
        Segment(rule, text_style(tokens.line, tokens.bg, False)),
    ]


def tab_line(titles: Sequence[str], chosen: int, width: int, appearance: Appearance) -> list[Segment]:
    """Return titles side by side, with the chosen one in a filled block. Each has a space at either side."""
    tokens = appearance.tokens
    if tokens is None:
        plain, other, block = Style(), Style(dim=True), Style(reverse=True, bold=True)
    else:
        plain, other = (text_style(ink, tokens.bg, False) for ink in (tokens.text, tokens.muted))
        block = text_style(tokens.on_accent, tokens.accent, True)
    line = [Segment(" " * TAB_MARGIN_COLUMNS, plain)]
    for number, title in enumerate(titles):
        line += [Segment(f" {title} ", block if number == chosen else other), Segment(" " * TAB_GAP_COLUMNS, plain)]
    return clipped(line, width, plain)


def tab_at(titles: Sequence[str], x: int) -> int | None:
    """Return the number of the title at a column of a line of tabs."""
    left = TAB_MARGIN_COLUMNS
    for number, title in enumerate(titles):
        right = left + cell_len(title) + 2
        if left <= x < right:
            return number
        left = right + TAB_GAP_COLUMNS
    return None


def chosen_mark(appearance: Appearance) -> Segment:
    """Return the mark at the left edge of the chosen line."""
    tokens = appearance.tokens
    if tokens is None:
        return Segment(">", Style(bold=True))
    return Segment("▌", text_style(tokens.accent, tokens.bar, True))


def clipped(line: list[Segment], width: int, plain: Style) -> list[Segment]:
    """Return a line that is exactly `width` cells wide. A text that is too long ends with an ellipsis."""
    out: list[Segment] = []
    left = width
    for segment in line:
        if segment.cell_length > left:
            text = set_cell_size(segment.text, max(0, left - 1)) + "…" * (left > 0)
            return [*out, Segment(text, segment.style)]
        out.append(segment)
        left -= segment.cell_length
    return [*out, Segment(" " * left, plain)]


def bar_styles(appearance: Appearance) -> tuple[Style, Style, Style]:
    """Return the styles of a bar: its ground, strong text and muted text."""
    tokens = appearance.tokens
    if tokens is None:
        return Style(), Style(bold=True), Style(dim=True)
    return (
        text_style(tokens.text, tokens.bar, False),
        text_style(tokens.text, tokens.bar, True),
        text_style(tokens.muted, tokens.bar, False),
    )
