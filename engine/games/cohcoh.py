"""n-k-coh-coh: whoever makes k in a line loses.  RULES: docs/rules.md, n-k-coh-coh.

A side's word holds one bit a square, by rows from the top, with an empty column behind each row so that a line
cannot wrap round the edge. For N = 4, STRIDE = 5:

    4 |  0  1  2  3   .4       bit = STRIDE * row + column
    3 |  5  6  7  8   .9
    2 | 10 11 12 13  .14       a step right is 1, a step down is STRIDE,
    1 | 15 16 17 18  .19       the diagonals are STRIDE + 1 and STRIDE - 1
        a  b  c  d

A move is the cell N * row + column, counted by rows from the top as in the course.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType

from engine.bits import lowest, ones
from engine.board import Board, Cell
from engine.game import Game, Move, Spec, State
from engine.options import START, Option, OptionValue
from engine.rules import Constant

N, K = 4, 3
STRIDE = N + 1
MOST_MOVES = N * N
CYCLIC = False
UNIT = 1000
WIDTH = N * STRIDE
FULL = sum(((1 << N) - 1) << STRIDE * row for row in range(N))
STEPS = (1, STRIDE, STRIDE + 1, STRIDE - 1)


def runs(word: int, step: int) -> int:
    """The first squares of all windows of K in one direction that lie wholly within a set of squares."""
    found = word
    for i in range(1, K):
        found &= word >> step * i
    return found


def has_line(word: int) -> bool:
    for i in range(4):
        if runs(word, STEPS[i]):
            return True
    return False


def windows(word: int) -> int:
    """How many windows of K squares lie wholly within a set of squares."""
    total = 0
    for i in range(4):
        total += ones(runs(word, STEPS[i]))
    return total


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    if has_line(rest):
        return n
    empty = FULL & ~(mine | rest)
    while empty:
        bit = lowest(empty)
        out[n] = bit - bit // STRIDE  # one empty column for every row above
        n += 1
        empty &= empty - 1
    return n


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    return rest, mine | 1 << move + move // N, False


def over(mine: int, rest: int) -> bool:
    return mine | rest == FULL or has_line(rest)


def score(mine: int, rest: int) -> int:
    """RULES: who made a line has lost; that can only be the side that moved last."""
    return 1 if has_line(rest) else 0


def bounds(mine: int, rest: int) -> tuple[int, int]:
    return -1, 1


def base(mine: int, rest: int) -> int:
    return 0


def key(mine: int, rest: int) -> tuple[int, int]:
    return mine, rest


def tactics(mine: int, rest: int, move: int) -> int:
    return 0


def guess(mine: int, rest: int) -> int:
    return min(max(8 * open_windows(mine, rest), 1 - UNIT), UNIT - 1)


def open_windows(own: int, other: int) -> int:
    """Windows that only the other side could still fill, less those that only I could: a danger to whoever has more."""
    return windows(FULL & ~own) - windows(FULL & ~other)


class CohCoh(Game):
    name = "cohcoh"
    title = "n-k-coh-coh"
    sides = ("white", "black")
    options = (
        Option("n", 4, "squares along an edge of the board", 1, 12),
        Option("k", 3, "marbles in a line that lose", 2, 144),
        START,
    )
    evaluations = {"windows": "open_windows"}
    move_form = "a square, like b3"
    position_form = ".w......b w"

    @classmethod
    def module(cls) -> ModuleType:
        return sys.modules[__name__]

    @classmethod
    def infer(cls, given: dict[str, object]) -> dict[str, object]:
        start = given.get("start")
        if isinstance(start, str) and start and "n" not in given:
            edge = round(len(start.strip().partition(" ")[0]) ** 0.5)
            given["n"] = min(12, max(1, edge))
        return given

    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        n, k = int(values["n"]), int(values["k"])
        return {
            "N": n,
            "K": k,
            "STRIDE": n + 1,
            "MOST_MOVES": n * n,
            "WIDTH": n * (n + 1),
            "FULL": sum(((1 << n) - 1) << (n + 1) * row for row in range(n)),
            "STEPS": (1, n + 1, n + 2, n),
        }

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        return Spec(self.name, self.title, self.sides, values, int(values["n"]), int(values["n"]))

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        return State(0, 0, 0)

    def reason(self, state: State) -> str:
        return "line" if self.rules.has_line(state.rest) else "no_moves"

    def read(self, state: State, text: str) -> Move:
        n = self.rules.N
        file, rank = text[:1], text[1:]
        if not (file and file in LETTERS[:n] and rank.isascii() and rank.isdigit() and not rank.startswith("0")):
            raise self.invalid(text)
        if len(rank) > 2 or int(rank) > n:
            raise self.invalid(text)
        return int(n * (n - int(rank)) + LETTERS.index(file))

    def format(self, state: State, move: Move) -> str:
        row, column = divmod(move, self.rules.N)
        return f"{LETTERS[column]}{self.rules.N - row}"

    def dump(self, state: State) -> str:
        white, black = state.of(0)
        n, stride = self.rules.N, self.rules.STRIDE
        bits = (stride * row + column for row in range(n) for column in range(n))
        cells = ("w" if white >> bit & 1 else "b" if black >> bit & 1 else "." for bit in bits)
        return "".join(cells) + " " + "wb"[state.turn]

    def load(self, text: str) -> State:
        board, _, turn = text.strip().partition(" ")
        n, stride = self.rules.N, self.rules.STRIDE
        if set(board) - set("wb.") or turn not in ("w", "b"):
            raise self.wrong_form(text)
        if len(board) != n * n:
            raise self.bad_position(f"a board of {n} x {n} has {n * n} cells, not {len(board)}")
        words = [0, 0]
        for cell, mark in enumerate(board):
            if mark != ".":
                words["wb".index(mark)] |= 1 << cell // n * stride + cell % n
        white, black = words[0].bit_count(), words[1].bit_count()
        if white - black not in (0, 1):
            raise self.bad_position(f"{white} white and {black} black marbles cannot come from taking turns")
        side = white - black
        if turn != "wb"[side]:
            raise self.bad_position(f"with {white} white and {black} black marbles it is {self.sides[side]}'s turn")
        if self.rules.has_line(words[side]):
            raise self.bad_position(
                f"{self.sides[side]} made a line of {self.rules.K} before, so the game was over then"
            )
        return State(words[side], words[1 - side], side)

    def draw(self, state: State) -> Board:
        white, black = state.of(0)
        n, stride = self.rules.N, self.rules.STRIDE
        rows = []
        for row in range(n):
            cells = []
            for column in range(n):
                bit = stride * row + column
                owner = 0 if white >> bit & 1 else 1 if black >> bit & 1 else None
                cells.append(Cell(f"{LETTERS[column]}{n - row}", owner, 1))
            rows.append(tuple(cells))
        ranks = tuple(str(n - row) for row in range(n))
        return Board(tuple(rows), tuple(LETTERS[:n]), ranks, ("w", "b"), counted=False)


LETTERS = "abcdefghijkl"
