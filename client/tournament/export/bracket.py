"""The bracket of a knockout tournament as text and as HTML."""

from __future__ import annotations

from html import escape

from client.presentation.texts import counted
from client.tournament.formats.knockout import Bracket, BracketTie

MAX_BRACKET_PLAYERS = 64  # a larger bracket is left out
UNKNOWN, BYE = "?", "bye"
ROUND_NAMES = {1: "final", 2: "semi-finals", 4: "quarter-finals"}


def is_shown(bracket: Bracket) -> bool:
    return bool(bracket) and 2 * len(bracket[0]) <= MAX_BRACKET_PLAYERS


def round_name(ties: int) -> str:
    """Return the name of a round with this number of ties."""
    return ROUND_NAMES.get(ties, f"round of {2 * ties}")


def sides(tie: BracketTie) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return name and points of both sides of a tie, as they are shown."""
    begun = bool(tie.first and tie.second) and (any(tie.points) or bool(tie.winner))
    first, second = (f"{points:g}" if begun else "" for points in tie.points)
    return (tie.first or UNKNOWN, first), (BYE if tie.is_bye else tie.second or UNKNOWN, second)


def champion(bracket: Bracket) -> str:
    """Return who has won the final, or an empty text."""
    return bracket[-1][0].winner


def bracket_lines(bracket: Bracket) -> list[str]:
    """Return the bracket with a column for each round. A player stands between the two who played for the place."""
    grid = [[""] * (len(bracket) + 1) for _ in range(4 * len(bracket[0]) - 1)]
    for column, ties in enumerate(bracket):
        entries = [side for tie in ties for side in sides(tie)]
        width = max(len(name) for name, _ in entries)
        digits = max(len(points) for _, points in entries)
        for at, (name, points) in enumerate(entries):
            grid[at * 2 ** (column + 1) + 2**column - 1][column] = f"{name:{width}}  {points:>{digits}}"
    grid[2 * len(bracket[0]) - 1][-1] = champion(bracket) or UNKNOWN
    rows = [[*(round_name(len(ties)) for ties in bracket), "winner"], *grid]
    widths = [max(len(row[column]) for row in rows) for column in range(len(bracket) + 1)]
    lines = ["   ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
    return [line.rstrip() for line in [*lines, *("" for _ in notes(bracket)[:1]), *notes(bracket)]]


def notes(bracket: Bracket) -> list[str]:
    """Return a sentence for each tie that is undecided or was level."""
    found = []
    for ties in bracket:
        for tie in ties:
            if tie.left:
                score = " to ".join(f"{points:g}" for points in tie.points)
                found.append(f"{tie.first} against {tie.second}: {score}, {counted(tie.left, 'game')} to play")
            elif tie.was_level:
                found.append(f"{tie.first} against {tie.second}: level; {tie.first} is higher in the list and advances")
    return found


def bracket_html(bracket: Bracket) -> str:
    """Return the bracket as a heading, columns and notes."""
    columns = [bracket_column(round_name(len(ties)), "".join(map(tie_html, ties))) for ties in bracket]
    winner = f'<div class="tie"><p class="won"><span>{escape(champion(bracket) or UNKNOWN)}</span></p></div>'
    columns.append(bracket_column("winner", winner))
    more = "".join(f"<p>{escape(note)}</p>" for note in notes(bracket))
    return f'<h2>Bracket</h2><div class="wide"><div class="bracket">{"".join(columns)}</div></div>{more}'


def bracket_column(title: str, content: str) -> str:
    return f"<section><h3>{title}</h3>{content}</section>"


def tie_html(tie: BracketTie) -> str:
    lines = []
    for place, (name, points) in zip((tie.first, tie.second), sides(tie), strict=True):
        kind = ' class="won"' if tie.winner and place == tie.winner else ""
        lines.append(f"<p{kind}><span>{escape(name)}</span><b>{points}</b></p>")
    return f'<div class="tie">{"".join(lines)}</div>'
