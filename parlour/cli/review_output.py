"""A review as text for people."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from client.sdk.sides import side_names
from engine.record import Record
from engine.review import MARKS, MoveReview, Review
from parlour.cli.search_output import format_value
from runtime.printable import printable

CLEAR_LINE = "\r\x1b[K"


class TerminalProgress:
    """Shows how far a review is in one line of a terminal, on standard error. Prints nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = False

    def update(self, done: int, total: int) -> None:
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"{CLEAR_LINE}reviewing: move {done} of {total}")
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write(CLEAR_LINE)
            sys.stderr.flush()


def review_lines(record: Record, review: Review) -> Iterator[str]:
    """Return the lines of a review: players, accuracy, every move, turning points."""
    game = record.create()
    sides = side_names(type(game))  # as the terminal calls its colours
    for side, name in enumerate(record.seats):
        percent = review.accuracy(side)
        shown = "no moves" if percent is None else f"accuracy {percent:.1f} %"
        yield f"{sides[side]} ({printable(name) or 'unnamed'}): {shown}, {summary(review, side)}"
    yield ""
    widths = max(map(len, sides)), max(len(move.move) for move in review.moves)
    for move in review.moves:
        yield move_line(move, sides[move.side], *widths)
    if review.turning_points:
        yield ""
        yield "Turning points:"
        for move in review.turning_points:
            yield f"  ply {move.ply}: {sides[move.side]} {move.move}, {move.judgement}: {move.words}"


def summary(review: Review, side: int) -> str:
    """Return how many moves of a side were no good: `2 inaccuracies, 1 blunder`."""
    found = [move.judgement for move in review.moves if move.side == side and move.is_mistake]
    counts = {name: found.count(name) for name in ("inaccuracy", "mistake", "blunder", "missed win")}
    return ", ".join(plural(count, name) for name, count in counts.items() if count) or "no mistakes"


def plural(count: int, name: str) -> str:
    if count == 1:
        return f"1 {name}"
    return f"{count} {name[:-1]}ies" if name.endswith("y") else f"{count} {name}s"


def move_line(move: MoveReview, side: str, side_width: int, move_width: int) -> str:
    value = f"{format_value(move.value)} {'proved' if move.value_proved else f'depth {move.depth}'}"
    text = f"{move.ply:>4} {side:{side_width}} {move.move:{move_width}} {MARKS[move.judgement]:2}  {value:16} "
    text += move.judgement + (f": {move.words}" if move.words else "")
    return text + (f"; better {' '.join(move.line)}" if move.best != move.move else "")
