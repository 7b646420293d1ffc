"""What a search found, for people and for programs; and the arguments of the commands that search."""

from __future__ import annotations

import json
import math
import sys
from argparse import ArgumentParser, ArgumentTypeError

from engine.game import Game
from engine.search import Report


def add_search(parser: ArgumentParser, table: float = 64) -> None:
    parser.add_argument(
        "--table", type=megabytes, default=table, metavar="MB", help=f"memory of the search ({table:g})"
    )
    parser.add_argument("--plain", action="store_true", help="without compiled code, as where numba is not installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1e9:
        raise ArgumentTypeError(f"seconds are a number over 0, like 0.5, not {text[:20]!r}")
    return value


def count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < 1:
        raise ArgumentTypeError(f"expected a whole number over 0, not {text[:20]!r}")
    return int(text)


def megabytes(text: str) -> float:
    value = count(text)
    if value > 1 << 20:
        raise ArgumentTypeError(f"a table of {text[:20]} MB is more than any machine has")
    return value


def tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def texts(game: Game, report: Report) -> list[str]:
    """The moves of the line, as text."""
    state, line = game.start(), []
    for move in report.line:
        line.append(game.format(state, move))
        state = game.after(state, move)
    return line


def as_json(game: Game, report: Report) -> str:
    line = texts(game, report)
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
    line = texts(game, report)
    if not line:
        return f"the game is over; value {shown(report.value)} for {game.sides[game.start().turn]}"
    rate = report.nodes / report.seconds / 1e6 if report.seconds > 0 else 0.0
    sure = "proved" if report.proved else "estimated"
    return (
        f"{line[0]}  value {shown(report.value)} {sure}  depth {report.depth}\n"
        f"line {' '.join(line)}\n"
        f"{report.nodes:,} positions in {report.seconds:.2f} s, {rate:.1f} million a second"
    )


def shown(value: float) -> str:
    return f"{value:+g}" if value == int(value) else f"{value:+.2f}"
