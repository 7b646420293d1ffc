"""Arguments and output of the commands that search: text for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, _ArgumentGroup

from engine.game import Game
from engine.search import Report
from engine.search.driver import MAX_THREADS
from runtime.printable import print_line


def add_search(parser: ArgumentParser, table: float = 64) -> None:
    parser.add_argument(
        "--table",
        type=megabytes,
        default=table,
        metavar="MB",
        help=f"megabytes for the search's table (default: {table:g})",
    )
    add_threads(parser)
    parser.add_argument("--plain", action="store_true", help="do not use compiled code, even if numba is installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_threads(parser: ArgumentParser | _ArgumentGroup) -> None:
    parser.add_argument(
        "--threads",
        type=thread_count,
        default=1,
        metavar="N",
        help="threads of the search, which needs compiled code (default: 1; with more, results may vary)",
    )


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1e9:
        raise ArgumentTypeError(f"expected seconds, a number above 0, not {text[:20]!r}")
    return value


def count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < 1:
        raise ArgumentTypeError(f"expected a whole number above 0, not {text[:20]!r}")
    return int(text)


def thread_count(text: str) -> int:
    value = count(text)
    if value > MAX_THREADS:
        raise ArgumentTypeError(f"a search can have at most {MAX_THREADS} threads, not {text[:20]}")
    return value


def megabytes(text: str) -> float:
    value = count(text)
    if value > 1 << 20:
        raise ArgumentTypeError(f"a table can have at most {1 << 20} MB, not {text[:20]}")
    return value


def tell(sentence: str) -> None:
    """Print progress or a notice to standard error."""
    print_line(sentence, file=sys.stderr, flush=True)


def format_line(game: Game, report: Report) -> list[str]:
    """Return the moves of the best line as text."""
    state, line = game.start(), []
    for move in report.line:
        line.append(game.format(state, move))
        state = game.after(state, move)
    return line


def as_json(game: Game, report: Report) -> str:
    line = format_line(game, report)
    return json.dumps(
        {
            "value": report.value,
            "proved": report.proved,
            "move": line[0] if line else None,
            "line": line,
            "depth": report.depth,
            "nodes": report.nodes,
            "seconds": round(report.seconds, 4),
        }
    )


def as_text(game: Game, report: Report) -> str:
    line = format_line(game, report)
    if not line:
        return f"the game is over; value {format_value(report.value)} for {game.sides[game.start().turn]}"
    rate = report.nodes / report.seconds / 1e6 if report.seconds > 0 else 0.0
    sure = "proved" if report.proved else "estimated"
    return (
        f"{line[0]}  value {format_value(report.value)} {sure}  depth {report.depth}\n"
        f"line {' '.join(line)}\n"
        f"{report.nodes:,} positions in {report.seconds:.2f} s, {rate:.1f} million a second"
    )


def format_value(value: float) -> str:
    return f"{value:+g}" if value == int(value) else f"{value:+.2f}"
