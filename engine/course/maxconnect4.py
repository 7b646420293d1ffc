"""The Max-Connect4 file of the course: six rows from the top, then the next player.  See docs/rules.md, Max-Connect4.

    0000000
    0000000
    0200000
    0100002
    0200111
    1100222
    1               pieces % 2 + 1

All kinds of line ends are accepted; LF is written.
"""

from __future__ import annotations

from engine.course.lines import CourseFileError, Lines
from engine.game import State
from engine.games.maxconnect4 import COLUMNS, ROWS, MaxConnect4


def read_board(text: str) -> State:
    """Return the position of a course file. Raises CourseFileError."""
    lines = Lines(text)
    above = "0" * COLUMNS
    rows = []
    for _ in range(ROWS):
        row = _row(lines)
        for column, (over, cell) in enumerate(zip(above, row, strict=True), 1):
            if over != "0" and cell == "0":
                raise lines.wrong(f"a piece in column {column}, under the piece of line {lines.number - 1}")
        rows.append(row)
        above = row
    first, second = (sum(row.count(player) for row in rows) for player in "12")
    if first - second not in (0, 1):
        expected = "player 1 to have as many pieces as player 2, or one more"
        raise CourseFileError(lines.number, expected, f"{first} and {second}")
    pieces = first + second
    expected = f"the player to move next, {pieces % 2 + 1} with {pieces} pieces on the board"
    if lines.next(expected).strip() != str(pieces % 2 + 1):
        raise lines.wrong(expected)
    lines.end()
    return MaxConnect4().load("/".join(rows) + f" {pieces % 2 + 1}")


def _row(lines: Lines) -> str:
    expected = f"{COLUMNS} digits, each 0 (empty), 1 or 2"
    row = lines.next(expected)
    if len(row) != COLUMNS or set(row) - set("012"):
        raise lines.wrong(expected)
    return row


def write_board(game: MaxConnect4, state: State) -> str:
    board, player = game.dump(state).split(" ")
    return "\n".join([*board.split("/"), player]) + "\n"
