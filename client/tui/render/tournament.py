"""The parts of the tournament screen as lines: progress, standings, crosstable, results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from client.presentation.texts import counted
from client.presentation.tournament_texts import (
    GOAL_MARKS,
    elo_text,
    pairing_text,
    progress_text,
    result_text,
    row_name,
    state_text,
    test_text,
    why_text,
)
from client.tui.render.appearance import Appearance
from client.tui.render.bars import title_line
from client.tui.render.pixels import text_style
from client.tui.render.strip import cut, length, tone
from protocol.types import TournamentGame, TournamentReport
from runtime.printable import printable

Line = list[Segment]
NAME_COLUMNS = 12
NUMBER_COLUMNS = 3  # of a place
POINTS_COLUMNS, GAMES_COLUMNS = 8, 8
DETAILS = (("+", 5), ("=", 5), ("−", 5), ("Elo", 13), ("s/move", 9), ("forfeits", 10))
CELL_COLUMNS = 9  # of a crosstable
MAX_CROSSTABLE_ROWS = 12
MAX_RESULTS, MAX_NEXT, MAX_GOALS = 6, 5, 6
PAIRING_COLUMNS = 26
RESULT_COLUMNS = 9


class Part(NamedTuple):
    """A part of the screen: a title and its lines."""

    title: str
    lines: list[Line]


def padded(text: str, columns: int, right: bool = False) -> str:
    """Return a text in exactly `columns` cells. A text that is too long ends with an ellipsis."""
    text = cut(text, columns)
    space = " " * (columns - cell_len(text))
    return f"{space}{text}" if right else f"{text}{space}"


def bar(filled: int, rest: int, token: str, appearance: Appearance) -> Line:
    """Return a bar of `filled` cells, and `rest` cells that are not filled."""
    tokens = appearance.tokens
    if tokens is None:
        full, empty = ("#", ".") if appearance.ascii_only else ("█", "·")
        return [Segment(full * filled, Style()), Segment(empty * rest, Style(dim=True))]
    return [
        Segment("▄" * filled, text_style(getattr(tokens, token), tokens.bg, False)),
        Segment("▄" * rest, text_style(tokens.line, tokens.bg, False)),
    ]


def progress_line(report: TournamentReport, age_s: float, width: int, appearance: Appearance) -> Line:
    """Return how many games have been played, as a text and as a bar, and how long the rest will take."""
    left, right = f"{progress_text(report)}  ", f"  {state_text(report, age_s)}"
    room = max(0, width - cell_len(left) - cell_len(right))
    total = max(1, report.total, report.done)
    filled = room if report.finished else min(room, room * report.done // total)
    return [
        Segment(left, tone(appearance, "text", bold=True)),
        *bar(filled, room - filled, "accent", appearance),
        Segment(right, tone(appearance, "muted")),
    ]


def standing(report: TournamentReport, width: int, appearance: Appearance, *, details: bool = False) -> Part:
    """Return the players with their points. A bar shows the points of the games that a player has played."""
    names = max([NAME_COLUMNS, *(cell_len(row_name(row)) for row in report.rows)])
    columns = sum(columns for _, columns in DETAILS) if details else 0
    names = min(names, max(NAME_COLUMNS, width // 3))
    room = max(0, width - NUMBER_COLUMNS - names - 2 - POINTS_COLUMNS - GAMES_COLUMNS - columns)
    most = max([row.games for row in report.rows], default=0) or 1
    muted, text = tone(appearance, "muted"), tone(appearance, "text")
    lines = []
    for place, row in enumerate(report.rows, 1):
        played = min(room, room * row.games // most)
        filled = max(0, min(played, round(room * row.points / most)))
        line = [
            Segment(padded(str(place), NUMBER_COLUMNS), muted),
            Segment(f"{padded(row_name(row), names)}  ", tone(appearance, "text", bold=place == 1)),
            *bar(filled, played - filled, "accent" if place == 1 else "good", appearance),
            Segment(" " * (room - played), text),
            Segment(padded(f"{row.points:g}", POINTS_COLUMNS, right=True), tone(appearance, "text", bold=True)),
            Segment(padded(str(row.games), GAMES_COLUMNS, right=True), muted),
        ]
        if details:
            cells = [row.wins, row.draws, row.losses, elo_text(row, report), f"{row.seconds:.3f}", row.forfeits or ""]
            line += [
                Segment(padded(str(cell), columns, right=True), muted)
                for cell, (_, columns) in zip(cells, DETAILS, strict=True)
            ]
        lines.append(line)
    heads = [("points", POINTS_COLUMNS), ("games", GAMES_COLUMNS), *(DETAILS if details else ())]
    title = standing_title(width, heads, appearance)
    return Part("", [title, *lines])


def standing_title(width: int, heads: Sequence[tuple[str, int]], appearance: Appearance) -> Line:
    """Return the title of the standing, with the titles of its columns at the right."""
    right = "".join(padded(head, columns, right=True) for head, columns in heads)
    spare = len(right) - len(right.lstrip())
    rule = title_line("Standings", max(0, width - len(right) + spare - 1), appearance)
    return [*rule, Segment(f" {right.lstrip()}", tone(appearance, "muted"))]


def crosstable(report: TournamentReport, width: int, appearance: Appearance) -> Part:
    """Return the points of each player against each other. It is left out if it is damaged or too large."""
    cells, rows = report.crosstable, report.rows
    square = len(cells) == len(rows) and all(len(row) == len(cells) for row in cells)
    names = max([NAME_COLUMNS, *(cell_len(printable(row.name)) for row in rows)])
    names = min(names, max(NAME_COLUMNS, width // 3))
    fits = NUMBER_COLUMNS + names + CELL_COLUMNS * len(cells) <= width
    if not square or not 0 < len(cells) <= MAX_CROSSTABLE_ROWS or not fits:
        return Part("", [])
    muted = tone(appearance, "muted")
    heads = "".join(padded(str(number), CELL_COLUMNS, right=True) for number in range(1, len(cells) + 1))
    lines: list[Line] = [[Segment(f"{' ' * (NUMBER_COLUMNS + names)}{heads}", muted)]]
    for place, (row, points) in enumerate(zip(rows, cells, strict=True), 1):
        line = [
            Segment(padded(str(place), NUMBER_COLUMNS), muted),
            Segment(padded(printable(row.name), names), tone(appearance, "text")),
        ]
        for other, cell in enumerate(points, 1):
            shown = "–" if other == place else printable(cell)
            line.append(Segment(padded(shown, CELL_COLUMNS, right=True), tone(appearance, cell_token(shown))))
        lines.append(line)
    return Part("Crosstable", lines)


def cell_token(text: str) -> str:
    """Return the colour of a cell such as `1.5/2`: good for more than half of the points, bad for less."""
    points, _, games = text.partition("/")
    try:
        share = float(points) / float(games)
    except (ValueError, ZeroDivisionError):
        return "muted"
    return "good" if share > 0.5 else "bad" if share < 0.5 else "text"


def latest(report: TournamentReport, width: int, appearance: Appearance) -> Part:
    """Return the latest results, each with the reason."""
    room = max(0, width - PAIRING_COLUMNS - RESULT_COLUMNS)
    lines = [
        [
            Segment(padded(pairing_text(game), PAIRING_COLUMNS), tone(appearance, "text")),
            Segment(padded(result_text(game), RESULT_COLUMNS), tone(appearance, "text", bold=True)),
            Segment(padded(why_text(game), room).rstrip(), tone(appearance, "muted")),
        ]
        for game in report.latest[:MAX_RESULTS]
    ]
    return Part("Last results", lines)


def upcoming(report: TournamentReport, width: int, appearance: Appearance) -> Part:
    """Return the games that come next."""
    text = tone(appearance, "text")
    return Part("Next", [[Segment(padded(pairing_text(game), width), text)] for game in report.next[:MAX_NEXT]])


def further(report: TournamentReport, width: int, appearance: Appearance) -> list[Part]:
    """Return the sequential test and the goals of students, if there are any."""
    muted, plain = tone(appearance, "muted"), tone(appearance, "text")
    parts = []
    if report.sprt is not None:
        parts.append(Part("Test", [[Segment(padded(test_text(report.sprt), width), muted)]]))
    if report.goals:
        goals = [
            [
                Segment(
                    padded(f"{printable(goal.student)}, {printable(goal.goal)}: {GOAL_MARKS[goal.verdict]}", width),
                    plain,
                )
            ]
            for goal in report.goals[:MAX_GOALS]
        ]
        parts.append(Part(f"Goals: {report.goals_met} of {report.goals_total} met", goals))
    return parts


def now_line(game: TournamentGame, ply: int | None, width: int, appearance: Appearance) -> Line:
    """Return the chosen game, for a screen without boards."""
    move = "" if ply is None else f", move {ply}"
    text = Segment(f"{pairing_text(game)}{move}", tone(appearance, "text"))
    line = [Segment("Now  ", tone(appearance, "muted")), text]
    tail = "enter watches"
    gap = width - length(line) - len(tail)
    return [*line, Segment(f"{' ' * gap}{tail}", tone(appearance, "muted"))] if gap > 1 else line


def page_lines(
    report: TournamentReport, width: int, height: int, appearance: Appearance, *, details: bool = False
) -> list[Line]:
    """Return the lines of the page below the progress. The least important parts are left out if it is too low."""
    parts = [
        standing(report, width, appearance, details=details),
        crosstable(report, width, appearance),
        latest(report, width, appearance),
        *further(report, width, appearance),
        upcoming(report, width, appearance),
    ]
    shown: list[Line] = []
    for part in parts:
        head = [title_line(part.title, width, appearance)] if part.title else []
        gap: list[Line] = [[]] if shown else []
        lines = [*gap, *head, *part.lines]
        if part.lines and (not shown or len(shown) + len(lines) <= height):
            shown += lines
    hidden = len(shown) - height
    if hidden > 0:  # a long standing
        more = Segment(f"and {counted(hidden + 1, 'more player')}", tone(appearance, "muted"))
        shown = [*shown[: max(0, height - 1)], [more]]
    return shown
