"""The table as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
from typing import Any

from client.presentation.texts import counted
from client.tournament.export.bracket import bracket_lines, is_shown
from client.tournament.formats.knockout import Bracket
from client.tournament.formats.standings import Duel, ReviewExtent, Row, Standings
from client.tournament.model.results import FORFEITS, RARE_FORFEITS

MAX_DUELS = 12  # more are not listed
MAX_CROSSTABLE_PLAYERS = 16  # larger crosstables are left out


def as_text(table: Standings, with_bracket: bool = True) -> str:
    """Return the table. `with_bracket`: and the bracket of a knockout tournament."""
    lines = columns(table_cells(table))
    if table.reviews is not None:
        lines += ["", review_line(table.reviews)]
    if 2 < len(table.rows) <= MAX_CROSSTABLE_PLAYERS:
        lines += ["", *columns(crosstable(table))]
    if with_bracket and is_shown(table.bracket):
        lines += ["", *bracket_lines(table.bracket)]
    lines += ["", *(duel_line(duel) for duel in shown_duels(table))]
    if table.sprt is not None:
        lines.append(sprt_line(table))
    lines += forfeit_lines(table)
    return "\n".join(line.rstrip() for line in lines).rstrip()


HEADINGS = ["", "player", "points", "games", "+", "=", "-", "first", "second", "Elo", "s/move", "forfeits"]
ACCURACY_COLUMN = 3  # beside the points, if games are reviewed


def table_cells(table: Standings) -> list[list[str]]:
    """Return the table with its headings."""
    rows = [list(HEADINGS), *(row_cells(number, row, table) for number, row in enumerate(table.rows, 1))]
    if table.reviews is not None:
        percents = ["accuracy", *(accuracy_text(row.accuracy) for row in table.rows)]
        for cells, percent in zip(rows, percents, strict=True):
            cells.insert(ACCURACY_COLUMN, percent)
    return rows


def accuracy_text(percent: float | None) -> str:
    return "" if percent is None else f"{percent:.1f} %"


def review_line(reviews: ReviewExtent) -> str:
    some = f"{reviews.reviewed} of " if reviews.reviewed < reviews.games else ""
    return f"accuracy: from {some}{counted(reviews.games, 'game')}, reviewed with {reviews.nodes:,} nodes per position"


def row_cells(number: int, row: Row, table: Standings) -> list[str]:
    first, second = ("/".join(map(str, seat)) for seat in row.seats)
    mean = row.used.total / row.used.moves / 1000 if row.used.moves else 0.0
    lost = ", ".join(f"{count} {reason}" for reason, count in sorted(row.forfeits.items()))
    elo = f"{signed(row.rating.elo)} ± {row.rating.error:.0f}" if row.games else ""
    return [
        str(number), row.name, f"{row.points:g}", str(row.games), str(row.wins), str(row.draws), str(row.losses),
        first, second, elo, f"{mean:.3f}", lost,
    ]  # fmt: skip


def signed(elo: float) -> str:
    """Return a rounded number with its sign; zero is +0."""
    return f"{round(elo):+d}"


def rounded(value: float, digits: int) -> float:
    """Return a rounded number without a negative zero, so that it is the same on every machine."""
    return round(value, digits) + 0.0


def columns(rows: list[list[str]]) -> list[str]:
    """Align names to the left and numbers to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(width) if at in (1, len(row) - 1) else text.rjust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def crosstable(table: Standings) -> list[list[str]]:
    known = {(duel.first, duel.second): f"{duel.points:g}/{duel.games}" for duel in table.duels}
    known |= {(row.name, row.name): "-" for row in table.rows}
    rows = [["", "", *(str(number) for number in range(1, len(table.rows) + 1)), ""]]
    for number, row in enumerate(table.rows, 1):
        rows.append([str(number), row.name, *(known.get((row.name, other.name), "") for other in table.rows), ""])
    return rows


def shown_duels(table: Standings) -> list[Duel]:
    """Return each pair of players once, from the better player's side; nothing if there are too many."""
    order = [row.name for row in table.rows]
    found = [duel for duel in table.duels if order.index(duel.first) < order.index(duel.second)]
    return found if len(found) <= MAX_DUELS else []


def duel_line(duel: Duel) -> str:
    difference = duel.difference
    return (
        f"{duel.first} against {duel.second}: {duel.points:g} of {duel.games}, "
        f"Elo {signed(difference.elo)} ({signed(difference.low)} to {signed(difference.high)}), "
        f"{100 * difference.superior:.1f} % likely to be stronger"
    )


def sprt_line(table: Standings) -> str:
    status, given = table.sprt, table.plan.sprt
    assert status is not None
    assert given is not None
    elo = "normalized Elo" if given.model == "normalized" else "Elo"
    verdicts = {
        "H1": f"accepted, at least {given.elo1:+g} {elo}",
        "H0": f"rejected, at most {given.elo0:+g} {elo}",
        "": "undecided",
    }
    return (
        f"SPRT {given.elo0:+g} against {given.elo1:+g} {elo}: {verdicts[status.verdict]} "
        f"after {counted(status.pairs, 'pair')}, "
        f"log-likelihood ratio {status.ratio:.2f} ({status.lower:.2f} to {status.upper:.2f})"
    )


def forfeit_lines(table: Standings) -> list[str]:
    if not table.forfeits:
        return []
    found = [
        f"game {entry.game}: {entry.loser}, {entry.reason}" + (f", see {entry.evidence}" if entry.evidence else "")
        for entry in table.forfeits
    ]
    return ["", "Forfeits:", *found]


# -- CSV

CSV_HEADINGS = [
    "rank", "player", "points", "games", "wins", "draws", "losses", "first_wins", "first_draws", "first_losses",
    "second_wins", "second_draws", "second_losses", "byes", "elo", "elo_error", "moves", "seconds", "longest_move",
]  # fmt: skip


def as_csv(table: Standings) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    rare = [reason for reason in RARE_FORFEITS if any(row.forfeits[reason] for row in table.rows)]
    reasons = (*FORFEITS, *rare)
    more = () if table.reviews is None else ("accuracy", "accuracy_moves")
    writer.writerow([*CSV_HEADINGS, *(f"forfeits_{reason}" for reason in reasons), *more])
    for number, row in enumerate(table.rows, 1):
        writer.writerow([
            number, escape_formula(row.name), f"{row.points:g}", row.games, row.wins, row.draws, row.losses,
            *row.seats[0], *row.seats[1], f"{row.byes:g}", rounded(row.rating.elo, 1), rounded(row.rating.error, 1),
            row.used.moves, row.used.total / 1000, row.used.longest / 1000,
            *(row.forfeits[reason] for reason in reasons),
            *(() if table.reviews is None else (rounded_accuracy(row), row.choices)),
        ])  # fmt: skip
    return file.getvalue()


def rounded_accuracy(row: Row) -> float | None:
    return None if row.accuracy is None else rounded(row.accuracy, 1)


def escape_formula(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


# -- JSON


def as_json(table: Standings) -> dict[str, Any]:
    """Return the table for programs. Numbers are rounded, so that the same results always give the same bytes."""
    with_accuracy = table.reviews is not None
    reviews = {} if table.reviews is None else {"reviews": table.reviews._asdict()}
    return {
        "finished": table.finished,
        "rows": [row_json(number, row, with_accuracy) for number, row in enumerate(table.rows, 1)],
        "duels": [duel_json(duel) for duel in table.duels],
        "test": None if table.sprt is None else sprt_json(table),
        "forfeits": [
            {"game": entry.game, "loser": entry.loser, "reason": entry.reason, "evidence": entry.evidence}
            for entry in table.forfeits
        ],
        **reviews,
    }


def row_json(number: int, row: Row, with_accuracy: bool) -> dict[str, Any]:
    return {
        "rank": number,
        "player": row.name,
        "points": row.points,
        "byes": row.byes,
        "games": row.games,
        "first": row.seats[0],
        "second": row.seats[1],
        "elo": rounded(row.rating.elo, 3),
        "error": rounded(row.rating.error, 3),
        "beaten": row.sonneborn_berger,
        "moves": row.used.moves,
        "milliseconds": row.used.total,
        "longest": row.used.longest,
        "forfeits": dict(sorted(row.forfeits.items())),
        **({"accuracy": rounded_accuracy(row), "accuracy_moves": row.choices} if with_accuracy else {}),
    }


def bracket_json(bracket: Bracket) -> list[list[dict[str, Any]]]:
    return [
        [
            {
                "first": tie.first,
                "second": tie.second,
                "points": list(tie.points),
                "left": tie.left,
                "winner": tie.winner,
                "bye": tie.is_bye,
            }
            for tie in ties
        ]
        for ties in bracket
    ]


def duel_json(duel: Duel) -> dict[str, Any]:
    difference = duel.difference
    return {
        "first": duel.first,
        "second": duel.second,
        "points": duel.points,
        "games": duel.games,
        "elo": rounded(difference.elo, 3),
        "low": rounded(difference.low, 3),
        "high": rounded(difference.high, 3),
        "superior": rounded(difference.superior, 6),
    }


def sprt_json(table: Standings) -> dict[str, Any]:
    status = table.sprt
    assert status is not None
    return {
        "verdict": status.verdict,
        "ratio": rounded(status.ratio, 6),
        "lower": rounded(status.lower, 6),
        "upper": rounded(status.upper, 6),
        "pairs": status.pairs,
    }
