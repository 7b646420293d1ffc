"""Max-Connect4: fill the board; every four in a line is a point.  RULES: docs/rules.md, Max-Connect4.

The word of a side has one bit per square, seven bits per column. The top bit of a column is always empty, so that a
line cannot wrap around the edge:

     6 13 20 27 34 41 48     always empty
    ---------------------
     5 12 19 26 33 40 47     top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45     a step up is 1, a step right is 7,
     2  9 16 23 30 37 44     the diagonals are 8 (up) and 6 (down)
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42     bottom row
    ---------------------
     1  2  3  4  5  6  7     columns; a move is the column minus one
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.bits import ones
from engine.board import Board, Cell, bit_marks, bits_to_text
from engine.game import Game, Move, Reason, Spec, State
from engine.options import START, OptionValue
from engine.rules import Constant

ROWS, COLUMNS = 6, 7
MAX_MOVES = COLUMNS
CYCLIC = False
UNIT = 32
WIDTH = 49
FULL = sum(((1 << ROWS) - 1) << 7 * column for column in range(COLUMNS))
TOP = sum(1 << 7 * column + ROWS - 1 for column in range(COLUMNS))
STEPS = (1, 7, 8, 6)
SYMMETRY_MAX_PIECES = 14  # with more pieces, looking for mirror images costs more than it saves
ODD_ROWS = sum(0b010101 << 7 * column for column in range(COLUMNS))  # counted from 1, at the bottom
EVEN_ROWS = FULL & ~ODD_ROWS
# Weights of guess(), fitted to the results of games of the search against itself
THREE_WEIGHT, TWO_WEIGHT, ONE_WEIGHT = 5, 5, 3
SURE_THREE_WEIGHT, SURE_TWO_WEIGHT, SURE_ONE_WEIGHT, SURE_WEIGHT = 19, 10, 3, 2
TEMPO_WEIGHT = 24
# First squares of all 69 windows, by direction
WINDOWS = tuple(FULL & FULL >> step & FULL >> 2 * step & FULL >> 3 * step for step in STEPS)


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    open_columns = TOP & ~(mine | rest)
    for column in range(COLUMNS):
        if open_columns >> 7 * column + (ROWS - 1) & 1:
            out[n] = column
            n += 1
    return n


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    return gen(mine, rest, out, n)


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    column = (mine | rest) & ((1 << ROWS) - 1 << 7 * move)
    return rest, mine | (column + (1 << 7 * move) & ~column), False


def over(mine: int, rest: int) -> bool:
    return mine | rest == FULL


def fours(word: int) -> int:
    """Return the number of quadruples within a set of squares."""
    total = 0
    for i in range(4):
        pairs = word & word >> STEPS[i]
        total += ones(pairs & pairs >> 2 * STEPS[i])
    return total


def threes(word: int) -> int:
    """Return the number of windows of four that contain exactly three of a set of squares."""
    total = 0
    for i in range(4):
        step = STEPS[i]
        a, b, c, d = word, word >> step, word >> 2 * step, word >> 3 * step
        total += ones(((a & b & (c ^ d)) | ((a ^ b) & c & d)) & WINDOWS[i])
    return total


def score(mine: int, rest: int) -> int:
    return fours(mine) - fours(rest)


def bounds(mine: int, rest: int) -> tuple[int, int]:
    """Return bounds: each side keeps its quadruples and gets at most all that have no piece of the opponent."""
    return fours(mine) - fours(FULL & ~mine), fours(FULL & ~rest) - fours(rest)


def base(mine: int, rest: int) -> int:
    return 0


def mirrored(word: int) -> int:
    """Return the board with left and right swapped."""
    result = 0
    for column in range(COLUMNS):
        result |= (word >> 7 * column & 127) << 7 * (COLUMNS - 1 - column)
    return result


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    if ones(mine | rest) <= SYMMETRY_MAX_PIECES:
        a, b = mirrored(mine), mirrored(rest)
        if a < mine or (a == mine and b < rest):
            return a, b, False
    return mine, rest, True


def tactics(mine: int, rest: int, move: int) -> int:
    """Prefer the middle columns: more lines contain them."""
    return 3 - abs(move - 3)


def potential(own: int, other: int, expected: int) -> int:
    """Return the value of the quadruples made, and of those still possible, by the number of squares held.

    A quadruple is worth more if the side can expect to get all the squares that it lacks.
    """
    total = UNIT * fours(own)
    free = FULL & ~other
    for i in range(1, 4):  # a vertical line of three is closed at once
        step = STEPS[i]
        pairs = free & free >> step
        alive = pairs & pairs >> 2 * step
        pairs = expected & expected >> step
        sure = pairs & pairs >> 2 * step
        a, b, c, d = own, own >> step, own >> 2 * step, own >> 3 * step
        both, either, two, some = a & b, a ^ b, c & d, c ^ d
        three = alive & (both & some | either & two)
        pair = alive & (both & ~(c | d) | two & ~(a | b) | either & some)
        one = alive & (either & ~(c | d) | some & ~(a | b))
        total += THREE_WEIGHT * ones(three) + TWO_WEIGHT * ones(pair) + ONE_WEIGHT * ones(one)
        total += SURE_THREE_WEIGHT * ones(three & sure) + SURE_TWO_WEIGHT * ones(pair & sure)
        total += SURE_ONE_WEIGHT * ones(one & sure) + SURE_WEIGHT * ones(sure)
    return total


def guess(mine: int, rest: int) -> int:
    """Compare what both sides can still make. Near the end, the pairs of squares in a column are shared.

    A player answers in the column of the opponent's move, so that the second player gets the even rows and the first
    player the odd rows. The side to move is about to gain a square.
    """
    empty = FULL & ~(mine | rest)
    left = ones(empty)
    rows = ODD_ROWS if left % 2 == 0 else EVEN_ROWS  # of the side to move
    lead = potential(mine, rest, mine | empty & rows) - potential(rest, mine, rest | empty & ~rows)
    return lead + TEMPO_WEIGHT * left // 64


def course(own: int, other: int) -> int:
    """RULES: at the cut-off only the leader counts; on a full board 1000 per quadruple and 500 per three."""
    lead = fours(own) - fours(other)
    if own | other == FULL:
        return 1000 * lead + 500 * (threes(own) - threes(other))
    return 999 if lead > 0 else -999 if lead < 0 else 0


def squares_in_fours(word: int) -> int:
    """Return the squares of all quadruples within a set of squares."""
    squares = 0
    for step in STEPS:
        pairs = word & word >> step
        starts = pairs & pairs >> 2 * step
        squares |= starts | starts << step | starts << 2 * step | starts << 3 * step
    return squares


def square_name(row: int, column: int) -> str:
    return "abcdefg"[column] + str(row + 1)


MARKS = bit_marks("0", "1", "2")
SQUARES = [  # bit and name of each square, row by row from the top
    (7 * column + row, square_name(row, column)) for row in range(ROWS - 1, -1, -1) for column in range(COLUMNS)
]


class MaxConnect4(Game):
    name = "maxconnect4"
    title = "Max-Connect4"
    sides = ("red", "green")
    colours = ("#c62828", "#2e8b3d", "#20304a")
    kind = "discs"
    chance_scale = 1.0
    colour_names = ("red", "green")
    options = (START,)
    evaluations = {"course": "course", "score": "score"}
    move_form = "a column from 1 to 7"
    position_form = "0000000/0000000/0000000/0000000/0000000/2120121 1"

    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        return {}

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        return Spec(self.name, self.title, self.sides, values, ROWS, COLUMNS)

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        return State(0, 0, 0)

    def reason(self, state: State) -> Reason:
        return "score"

    def points(self, state: State) -> tuple[int, int]:
        red, green = state.of(0)
        return fours(red), fours(green)

    def deciding(self, state: State) -> tuple[str, ...]:
        """Return the quadruples of both sides: they are the score."""
        held = squares_in_fours(state.mine) | squares_in_fours(state.rest)
        return tuple(name for bit, name in SQUARES if held >> bit & 1)

    def read(self, state: State, text: str) -> Move:
        if len(text) != 1 or text not in "1234567":
            raise self.invalid(text)
        return int(text) - 1

    def allowed(self, state: State, move: Move) -> bool:
        return not (state.mine | state.rest) >> 7 * move + ROWS - 1 & 1

    def format(self, state: State, move: Move) -> str:
        return str(move + 1)

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        """Return the square where the piece lands."""
        height = ((state.mine | state.rest) >> 7 * move & 127).bit_count()
        return (square_name(height, move),)

    def _owner(self, state: State, row: int, column: int) -> int | None:
        red, green = state.of(0)
        bit = 7 * column + row
        return 0 if red >> bit & 1 else 1 if green >> bit & 1 else None

    def dump(self, state: State) -> str:
        red, green = state.of(0)
        board = bits_to_text(red, green, WIDTH, MARKS)
        return f"{board[5::7]}/{board[4::7]}/{board[3::7]}/{board[2::7]}/{board[1::7]}/{board[::7]} {state.turn + 1}"

    def dump_after(self, before: str, state: State, move: Move, after: State) -> str:
        height = ((state.mine | state.rest) >> 7 * move & 127).bit_count()
        square = (ROWS - 1 - height) * (COLUMNS + 1) + move  # a row of the text ends with a slash
        piece, turn = ("1", "2") if state.turn == 0 else ("2", "1")
        return f"{before[:square]}{piece}{before[square + 1 : -1]}{turn}"

    def load(self, text: str) -> State:
        board, _, player = text.strip().partition(" ")
        rows = board.split("/")
        if [len(row) for row in rows] != [COLUMNS] * ROWS or set(board) - set("012/") or player not in ("1", "2"):
            raise self.wrong_form(text)
        words = [0, 0]
        for height, row in zip(range(ROWS - 1, -1, -1), rows, strict=True):
            for column, cell in enumerate(row):
                if cell == "0":
                    continue
                words[int(cell) - 1] |= 1 << 7 * column + height
                if height and rows[ROWS - height][column] == "0":
                    raise self.bad_position(
                        f"the piece in row {height + 1} of column {column + 1} floats over an empty square"
                    )
        side = (words[0] | words[1]).bit_count() % 2
        reds, greens = words[0].bit_count(), words[1].bit_count()
        if reds - greens != side:
            raise self.bad_position(f"{reds} red and {greens} green pieces are impossible when sides alternate")
        if int(player) - 1 != side:
            raise self.bad_position(
                f"with {reds + greens} pieces on the board it is player {side + 1}'s turn, not {player}'s"
            )
        return State(words[side], words[1 - side], side)

    def draw(self, state: State) -> Board:
        rows = tuple(
            tuple(Cell(square_name(row, column), self._owner(state, row, column), 1) for column in range(COLUMNS))
            for row in range(ROWS - 1, -1, -1)
        )
        return Board(rows, tuple("1234567"), ("",) * ROWS, ("R", "G"), counted=False)
