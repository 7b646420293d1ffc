"""One player as a line: bullet, name, rating, points, whose turn it is, and the clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from client.tui.render.appearance import Appearance
from client.tui.render.digits import big_clock
from client.tui.render.fit import glyphs_of
from client.tui.render.pixel_kinds import kind_of, pieces_of
from client.tui.render.pixels import text_style
from client.tui.render.tokens import Colour
from engine.game import Game

BIG_ROWS = {False: 3, True: 4}  # of a strip with large digits, above and below the board
BIG_PIXELS_ABOVE = 1  # the digits


class PlayerLine(NamedTuple):
    """What a strip shows of a player. `turn`: it is this player's turn. `low`: little time is left."""

    side: int
    name: str
    rating: str = ""
    note: str = ""  # you, bot, away
    points: str = ""
    turn: bool = False
    word: str = ""  # your move, thinking
    clock: str = ""
    low: bool = False
    below: bool = True  # this is the strip below the board


def strip(game: Game, player: PlayerLine, width: int, appearance: Appearance) -> list[Segment]:
    """Return the strip of a player in `width` cells. If there is too little space, the name is cut last."""
    right = clock_segments(player, appearance)
    room = width - length(right)
    bullet = bullet_segments(game, player, appearance)
    left = room - length(bullet) - 1
    parts = [player.rating, player.note, player.points]
    while parts and cell_len(" ".join(filter(None, [player.name, *parts]))) > left:
        parts.pop(0)
    name = player.name
    if cell_len(" ".join(filter(None, [name, *parts]))) > left:
        name = set_cell_size(name, max(0, left - 1)) + "…"
    tail = f" {' '.join(filter(None, parts))}" if any(parts) else ""
    line = [*bullet, Segment(" ", ground(appearance))]
    line.append(Segment(name, tone(appearance, "text" if player.turn else "muted", bold=player.turn)))
    line.append(Segment(tail, tone(appearance, "muted")))
    gap = room - length(line)
    if player.turn and player.word and gap >= cell_len(player.word) + 3:
        line.append(Segment(" " * (gap - cell_len(player.word) - 2), ground(appearance)))
        line.append(Segment(player.word, tone(appearance, "accent", bold=player.below)))
        gap = 2
    return [*line, Segment(" " * gap, ground(appearance)), *right]


def big_strip(game: Game, player: PlayerLine, width: int, appearance: Appearance) -> list[list[Segment]]:
    """Return the strip of a player with the clock in large digits: `BIG_ROWS` lines. The name is beside the board."""
    rows = BIG_ROWS[player.below]
    clock = big_clock(player.clock, BIG_PIXELS_ABOVE, rows, player.turn, player.low, appearance)
    room = width - length(clock[0])
    name = strip(game, player._replace(clock=""), room, appearance)
    blank = [Segment(" " * room, ground(appearance))]
    name_row = 0 if player.below else rows - 1
    return [[*(name if row == name_row else blank), *line] for row, line in enumerate(clock)]


def clock_segments(player: PlayerLine, appearance: Appearance) -> list[Segment]:
    """Return the clock. The running clock is the one filled block of the screen."""
    if not player.clock:
        return []
    text, tokens = f" {player.clock} ", appearance.tokens
    if tokens is None:
        return [Segment(text, Style(reverse=player.turn, bold=player.turn))]
    if not player.turn:
        return [Segment(text, tone(appearance, "muted"))]
    return [Segment(text, text_style(tokens.on_accent, tokens.bad if player.low else tokens.accent, True))]


def bullet_segments(game: Game, player: PlayerLine, appearance: Appearance) -> list[Segment]:
    """Return the mark of a side: a piece in its colour, or an arrow to its row of pits."""
    board = game.draw(game.start())
    kind, tokens = kind_of(game, board), appearance.tokens
    if kind == "pits":
        arrow = ("v" if player.below else "^") if appearance.ascii_only else ("▼" if player.below else "▲")
        return [Segment(arrow, tone(appearance, "muted"))]
    if tokens is None:
        return [Segment(glyphs_of(game, board, appearance).sides[player.side], Style(bold=True))]
    pieces = pieces_of(kind, tokens)
    if not appearance.pixels:
        glyph = glyphs_of(game, board, appearance).sides[player.side]
        return [Segment(glyph, text_style(pieces.of(player.side), tokens.bg, True))]
    if kind == "marbles":  # white and black show only on the colour of the board
        return [Segment(" ● ", text_style(pieces.of(player.side), pieces.ground, True))]
    return [Segment("●", text_style(pieces.of(player.side), tokens.bg, True))]


def tone(appearance: Appearance, token: str, bold: bool = False) -> Style:
    """Return the style of a text in one of the tokens."""
    if appearance.tokens is None:
        return Style(bold=bold, dim=token == "muted")
    ink: Colour = getattr(appearance.tokens, token)
    return text_style(ink, appearance.tokens.bg, bold)


def ground(appearance: Appearance) -> Style:
    return tone(appearance, "text")


def cut(text: str, columns: int) -> str:
    """Return a text in at most `columns` cells. A text that is too long ends with an ellipsis."""
    return text if cell_len(text) <= columns else f"{set_cell_size(text, max(0, columns - 1))}…"


def share(texts: Sequence[str], columns: int) -> tuple[str, str]:
    """Return two texts that fit together into `columns` cells. A text is cut only if it has more than its half."""
    first, second = texts
    left = max(columns // 2, columns - cell_len(second))
    right = columns - min(left, cell_len(first))
    return cut(first, left), cut(second, right)


def length(segments: list[Segment]) -> int:
    return sum(segment.cell_length for segment in segments)
