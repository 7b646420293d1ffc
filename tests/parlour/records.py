"""Records for the tests of the commands."""

from __future__ import annotations

from pathlib import Path

from engine.record import Record, parse, write

GOOD = """\
parlour record 1
game: conga
option stones: 10
option max_plies: 400
option start: w9,.,b1,./b1,b1,b3,b1/b1,b1,.,./w1,b1,.,. b
seat 0: alice
seat 1: bøb
clock: 300+3
date: 2026-11-16
result: 1-0
reason: no_moves
seed: 7

1 black c3b4 left=299.000 took=1.000 ; "found \\u001b[31m it"
"""

MANCALA = """\
parlour record 1
game: mancala
option pits: 6
option stones: 4
option rules: course
seat 0: alice
seat 1: bøb
clock:
date:
result: *
reason:

1 player1 3
2 player1 6
3 player2 1
4 player1 4
"""


def save(folder: Path, text: str, name: str = "game.txt") -> str:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return str(file)


def long_record(plies: int) -> str:
    """Return a record of Conga without a result, in which single stones move back and forth."""
    cycle = ("a4a3", "d1d2", "a3a2", "d2d3", "a2a3", "d3d2", "a3a4", "d2d1")
    lines = [f"{ply} ? {cycle[(ply - 1) % 8]}" for ply in range(1, plies + 1)]
    record: Record = parse("parlour record 1\ngame: conga\noption stones: 1\n\n" + "\n".join(lines))
    return write(record)
