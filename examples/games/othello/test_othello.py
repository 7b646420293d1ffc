"""The rules of Othello, compared with a simple implementation on lists. Run it with pytest."""

from __future__ import annotations

import random

import pytest
from othello import Othello

GAME = Othello()
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
Squares = dict[tuple[int, int], str]


def squares_of(position: str) -> Squares:
    rows = position.partition(" ")[0].split("/")
    return {(row, file): mark for row, marks in enumerate(rows) for file, mark in enumerate(marks)}


def turned_over(squares: Squares, at: tuple[int, int], colour: str) -> list[tuple[int, int]]:
    """Return the discs that a disc at an empty square would turn over."""
    total: list[tuple[int, int]] = []
    for down, right in STEPS:
        line, (row, file) = [], at
        while True:
            row, file = row + down, file + right
            mark = squares.get((row, file), ".")
            if mark == colour:
                total += line
                break
            if mark == ".":
                break
            line.append((row, file))
    return total


def naive_successors(position: str) -> dict[str, str]:
    """Return the position after each legal move."""
    squares, colour = squares_of(position), position[-1]
    other = "w" if colour == "b" else "b"
    found = {}
    for at, mark in squares.items():
        discs = turned_over(squares, at, colour) if mark == "." else []
        if discs:
            after = squares | dict.fromkeys([at, *discs], colour)
            name = "abcdefgh"[at[1]] + str(at[0] + 1)
            rows = ("".join(after[row, file] for file in range(8)) for row in range(8))
            found[name] = "/".join(rows) + " " + other
    if not found and any(mark == "." and turned_over(squares, at, other) for at, mark in squares.items()):
        found["pass"] = position[:-1] + other
    return found


@pytest.mark.parametrize("seed", range(6))
def test_random_games_agree_with_the_simple_implementation(seed: int) -> None:
    rng, state = random.Random(seed), GAME.start()
    while True:
        text = GAME.dump(state)
        moves = GAME.moves(state)
        after = {GAME.format(state, move): GAME.dump(GAME.after(state, move)) for move in moves}
        assert after == naive_successors(text)
        if not moves:
            break
        corner = [move for move in moves if move == 63]  # h8 has no bit of its own
        state = GAME.play(state, corner[0] if corner else rng.choice(moves))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == (text.partition(" ")[0].count("b"), text.partition(" ")[0].count("w"))


def test_side_without_a_move_passes() -> None:
    state = GAME.load("bwwwwww./bwwwwwww/bwwwwwww/bwwwwwww/bwwwwwww/bwwwwwww/bwwwwwww/bwwwwwww w")
    assert GAME.legal(state) == ("pass",)
    assert GAME.path(state, 64) == ("d4",)
    assert GAME.legal(GAME.play(state, 64)) == ("h1",)


def test_black_opens_on_the_usual_squares() -> None:
    assert GAME.legal(GAME.start()) == ("c4", "d3", "e6", "f5")
