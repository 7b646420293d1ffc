"""Breakthrough: be the first to bring a piece to the opponent's home row.

Each side looks at the board from its own side. So the word of a side counts squares from its own left home corner, and
the same square is 63 - s for the other side:

    row 7   the opponent's home row: bits 56 to 59 hold the column of a piece there plus one, 0 if there is none
    row 6  48 49 50 51 52 53 54 55
    …
    row 1   8  9 10 11 12 13 14 15      a move is 3 * origin + 0 (left), 1 (straight on) or 2 (right)
    row 0   0  1  2  3  4  5  6  7

A piece that reaches row 7 ends the game, so there is never more than one.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.bits import lowest, ones
from engine.board import Board, Cell
from engine.errors import IllegalMove
from engine.game import Game, Move, Reason, Spec, State
from engine.options import START, OptionValue
from engine.rules import Constant

MAX_MOVES = 3 * 56
UNIT = 1000
WIDTH = 60
CYCLIC = False
SQUARES = (1 << 56) - 1  # rows 0 to 6
PIECE_WEIGHT, ROW_WEIGHTS = 60, (6, 0, 3, 8, 18, 40, 110)  # weights of guess()


def holds(word: int, square: int) -> bool:
    """Return whether a side has a piece on a square, counted from its own side."""
    if square >= 56:
        return word >> 56 == square - 55
    return word >> square & 1 != 0


def enters(mine: int, rest: int, square: int, direction: int) -> bool:
    """Return whether a piece can go one step forward. It captures diagonally only."""
    file = square % 8 + direction - 1
    if file < 0 or file > 7:
        return False
    target = square + 7 + direction
    if holds(mine, target):
        return False
    return direction != 1 or not holds(rest, 63 - target)


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    if rest >> 56:
        return n
    pieces = mine & SQUARES
    while pieces:
        square = lowest(pieces)
        for direction in range(3):
            if enters(mine, rest, square, direction):
                out[n] = 3 * square + direction
                n += 1
        pieces &= pieces - 1
    return n


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    """Write a move that reaches the last row, or else captures of a piece that is about to, or else all moves."""
    if rest >> 56 == 0:
        near = mine >> 48 & 255
        if near:
            square = 48 + lowest(near)
            for direction in range(3):
                if enters(mine, rest, square, direction):
                    out[n] = 3 * square + direction
                    return n + 1
        attackers = rest >> 48 & 255
        if attackers:
            target = 15 - lowest(attackers)  # as the side to move counts
            before = n
            for direction in range(3):
                square = target - 7 - direction
                if 0 <= square < 8 and direction != 1 and holds(mine, square) and enters(mine, rest, square, direction):
                    out[n] = 3 * square + direction
                    n += 1
            if n > before:
                sort_two(out, before, n)
                return n
    return gen(mine, rest, out, n)


def sort_two(out: list[int], first: int, end: int) -> None:
    """Sort the last one or two moves."""
    if end - first == 2 and out[first] > out[first + 1]:
        out[first], out[first + 1] = out[first + 1], out[first]


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    square, target = move // 3, move // 3 + 7 + move % 3
    mine &= ~(1 << square)
    mine |= (target - 55) << 56 if target >= 56 else 1 << target
    if 63 - target < 56:
        rest &= ~(1 << 63 - target)
    return rest, mine, False


def over(mine: int, rest: int) -> bool:
    return rest >> 56 != 0 or mine & SQUARES == 0


def score(mine: int, rest: int) -> int:
    return -1 if over(mine, rest) else 0


def bounds(mine: int, rest: int) -> tuple[int, int]:
    return -1, 1


def base(mine: int, rest: int) -> int:
    return 0


def mirrored(word: int) -> int:
    """Return a word with left and right swapped. There is no piece on row 7."""
    word = word >> 1 & 0x0055_5555_5555_5555 | (word & 0x0055_5555_5555_5555) << 1
    word = word >> 2 & 0x0033_3333_3333_3333 | (word & 0x0033_3333_3333_3333) << 2
    return word >> 4 & 0x000F_0F0F_0F0F_0F0F | (word & 0x000F_0F0F_0F0F_0F0F) << 4


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    if (mine | rest) >> 56:
        return mine, rest, True
    a, b = mirrored(mine), mirrored(rest)
    if a < mine or (a == mine and b < rest):
        return a, b, False
    return mine, rest, True


def tactics(mine: int, rest: int, move: int) -> int:
    """Prefer captures, then pieces that are far advanced."""
    target = move // 3 + 7 + move % 3
    return (20 if holds(rest, 63 - target) else 0) + target // 8


def strength(own: int) -> int:
    """Return the value of a side's pieces: their number, and how far each has come."""
    total = PIECE_WEIGHT * ones(own & SQUARES)
    for row in range(7):
        total += ROW_WEIGHTS[row] * ones(own >> 8 * row & 255)
    return total


def guess(mine: int, rest: int) -> int:
    return min(max(strength(mine) - strength(rest), 1 - UNIT), UNIT - 1)


NAMES = ["abcdefgh"[square % 8] + str(square // 8 + 1) for square in range(64)]
ROWS = range(7, -1, -1)


class Breakthrough(Game):
    api = 1
    name = "breakthrough"
    title = "Breakthrough"
    sides = ("white", "black")
    colours = ("#f0e6d2", "#3a2c24", "#9a7b56")
    colour_names = ("white", "black")
    kind = "marbles"
    near = 0
    options = (START,)
    evaluations = {"advance": "guess"}
    move_form = "the square that a piece leaves and the one it enters, like a2a3"
    position_form = "bbbbbbbb/bbbbbbbb/......../......../......../......../wwwwwwww/wwwwwwww w"
    page = """## Breakthrough: `breakthrough`

Bring one of your pieces to the opponent's home row.

The board has 8 x 8 squares. White has sixteen pieces on rows 1 and 2, black has sixteen on rows 7 and 8. White moves
first, and the sides alternate.

### A move

A piece goes one step forward, straight on or diagonally, to an empty square. It captures by going diagonally to a
square that holds a piece of the opponent. A piece in front of it only blocks it.

<!-- figure: start; pick d2; The piece on d2 can go to three squares. -->
<!-- figure: ......../......../......../...bb.../...w..../......../......../........ w; \
pick d4; The piece on d5 blocks the white one, which can capture the other. -->

### The end

The side that reaches the opponent's home row wins, and so does the side that captures all pieces of the opponent. There
are no draws.

<!-- figure: ...w..../......../......../...bb.../......../......../......../........ b; decisive; White has won. -->

### Notation

**Move text.** The square that the piece leaves and the one it enters: `d2e3`.
"""

    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        return {}

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        return Spec(self.name, self.title, self.sides, values, 8, 8)

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        return State(0xFFFF, 0xFFFF, 0)

    def reason(self, state: State) -> Reason:
        return "score"

    def deciding(self, state: State) -> tuple[str, ...]:
        """Return the square that was reached, or those of the side that still has pieces."""
        winner = 1 - state.turn
        squares = [square for square in range(64) if self._owner(state, square) == winner]
        reached = [square for square in squares if square // 8 == (7, 0)[winner]]
        return tuple(NAMES[square] for square in reached or squares)

    def read(self, state: State, text: str) -> Move:
        if len(text) != 4 or text[:2] not in NAMES or text[2:] not in NAMES:
            raise self.invalid(text)
        origin, target = (self._seen(state.turn, NAMES.index(name)) for name in (text[:2], text[2:]))
        direction = target - origin - 7
        if origin >= 56 or not 0 <= direction <= 2 or abs(target % 8 - origin % 8) > 1:
            raise IllegalMove(
                f"{text} is not one step forward; legal: {' '.join(self.legal(state))}", self.legal(state)
            )
        return 3 * origin + direction

    def format(self, state: State, move: Move) -> str:
        origin, target = move // 3, move // 3 + 7 + move % 3
        return NAMES[self._seen(state.turn, origin)] + NAMES[self._seen(state.turn, target)]

    def _seen(self, side: int, square: int) -> int:
        """Return the square as a side counts it, and back."""
        return 63 - square if side else square

    def _owner(self, state: State, square: int) -> int | None:
        return next((side for side in (0, 1) if holds(state.of(side)[0], self._seen(side, square))), None)

    def dump(self, state: State) -> str:
        marks = {0: "w", 1: "b", None: "."}
        rows = ("".join(marks[self._owner(state, 8 * row + file)] for file in range(8)) for row in ROWS)
        return "/".join(rows) + " " + "wb"[state.turn]

    def load(self, text: str) -> State:
        board, _, turn = text.strip().partition(" ")
        rows = board.split("/")
        if [len(row) for row in rows] != [8] * 8 or set(board) - set("wb./") or turn not in ("w", "b"):
            raise self.wrong_form(text)
        words = [0, 0]
        for row, marks in zip(ROWS, rows, strict=True):
            for file, mark in enumerate(marks):
                if mark == ".":
                    continue
                side = "wb".index(mark)
                square = self._seen(side, 8 * row + file)
                if square < 56:
                    words[side] |= 1 << square
                elif words[side] >> 56 or "wb"[side] == turn:
                    raise self.bad_position(f"{self.sides[side]} cannot have a piece on {NAMES[8 * row + file]} now")
                else:
                    words[side] |= square - 55 << 56
        if max(word.bit_count() for word in (words[0] & SQUARES, words[1] & SQUARES)) > 16:
            raise self.bad_position("a side has at most 16 pieces")
        side = "wb".index(turn)
        if words[1 - side] == 0:
            raise self.bad_position(f"{self.sides[1 - side]} has just moved, but has no piece")
        return State(words[side], words[1 - side], side)

    def draw(self, state: State) -> Board:
        rows = tuple(
            tuple(Cell(NAMES[8 * row + file], self._owner(state, 8 * row + file), 1) for file in range(8))
            for row in ROWS
        )
        return Board(rows, tuple("abcdefgh"), tuple("87654321"), ("w", "b"), counted=False)
