"""Connect Four: drop discs into seven columns; four in a row win.

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
from engine.board import Board, Cell
from engine.game import Game, Move, Reason, Spec, State
from engine.options import START, OptionValue
from engine.rules import Constant

ROWS, COLUMNS = 6, 7
MAX_MOVES = COLUMNS
UNIT = 1000
WIDTH = 49
CYCLIC = False
FULL = sum(63 << 7 * column for column in range(COLUMNS))
BOTTOM = sum(1 << 7 * column for column in range(COLUMNS))
STEPS = (1, 7, 8, 6)
THREAT_WEIGHT, LOW_THREAT_WEIGHT, MIDDLE_WEIGHT = 40, 70, 4  # weights of guess()
MIDDLE = 63 << 7 * 3


def has_four(word: int) -> bool:
    for i in range(4):
        pairs = word & word >> STEPS[i]
        if pairs & pairs >> 2 * STEPS[i]:
            return True
    return False


def landings(mine: int, rest: int) -> int:
    """Return the squares where a disc can land: one above each column's discs."""
    stones = mine | rest
    return (stones + BOTTOM) & FULL & ~stones


def winning_squares(own: int) -> int:
    """Return the squares, empty or not, that would complete four in a row."""
    squares = own << 1 & own << 2 & own << 3  # a column has one open end
    for i in range(1, 4):
        step = STEPS[i]
        up, down = own << step, own >> step
        two_up, two_down = up & own << 2 * step, down & own >> 2 * step
        squares |= two_up & own << 3 * step | two_up & down | up & two_down | two_down & own >> 3 * step
    return squares & FULL


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    if has_four(rest):
        return n
    free = landings(mine, rest)
    for column in range(COLUMNS):
        if free >> 7 * column & 63:
            out[n] = column
            n += 1
    return n


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    """Write a move that wins at once, or else one that prevents such a move of the opponent, or else all moves."""
    free = landings(mine, rest)
    urgent = free & winning_squares(mine)
    if not urgent:
        urgent = free & winning_squares(rest)
    if urgent and not has_four(rest):
        for column in range(COLUMNS):
            if urgent >> 7 * column & 63:
                out[n] = column
                return n + 1
    return gen(mine, rest, out, n)


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    return rest, mine | landings(mine, rest) & 63 << 7 * move, False


def over(mine: int, rest: int) -> bool:
    return mine | rest == FULL or has_four(rest)


def score(mine: int, rest: int) -> int:
    return -1 if has_four(rest) else 0


def bounds(mine: int, rest: int) -> tuple[int, int]:
    return -1, 1


def base(mine: int, rest: int) -> int:
    return 0


def mirrored(word: int) -> int:
    result = 0
    for column in range(COLUMNS):
        result |= (word >> 7 * column & 127) << 7 * (COLUMNS - 1 - column)
    return result


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    a, b = mirrored(mine), mirrored(rest)
    if a < mine or (a == mine and b < rest):
        return a, b, False
    return mine, rest, True


def tactics(mine: int, rest: int, move: int) -> int:
    """Prefer squares that make threats, then the middle columns."""
    square = landings(mine, rest) & 63 << 7 * move
    free = FULL & ~(mine | rest)
    return 8 * ones(winning_squares(mine | square) & free) + 3 - abs(move - 3)


def threats(own: int, other: int) -> int:
    """Return the value of a side's open threats. Those in low rows can be played earlier."""
    total = MIDDLE_WEIGHT * ones(own & MIDDLE)
    open_squares = winning_squares(own) & ~(own | other)
    return total + THREAT_WEIGHT * ones(open_squares) + LOW_THREAT_WEIGHT * ones(open_squares & 7 * BOTTOM)


def guess(mine: int, rest: int) -> int:
    return min(max(threats(mine, rest) - threats(rest, mine), 1 - UNIT), UNIT - 1)


NAMES = ["abcdefg"[bit // 7] + str(bit % 7 + 1) for bit in range(WIDTH)]


class ConnectFour(Game):
    api = 1
    name = "connect4"
    title = "Connect Four"
    sides = ("red", "green")
    colours = ("#c62828", "#2e8b3d", "#20304a")
    colour_names = ("red", "green")
    kind = "discs"
    options = (START,)
    evaluations = {"threats": "guess"}
    move_form = "a column from 1 to 7"
    position_form = "......./......./......./...g.../...r.../..rg... r"
    page = """## Connect Four: `connect4`

Get four of your discs in a row.

The board stands upright and has seven columns of six squares. Red moves first, and the sides alternate.

### A move

A move drops a disc into a column. It falls to the lowest empty square. A full column takes no more discs.

<!-- figure: start; legal; Seven columns to choose from. -->
<!-- figure: ......./......./......./......./...g.../..rrg.. r; preview 4; A preview of `4`. -->

### The end

Four discs of one side in a row win: across, upright or diagonally. If the board is full without such a row, the game is
a draw.

<!-- figure: ......./......./...r.../..rrg../.grgg../rggrr.. g; decisive; Red has won. -->

### Notation

**Move text.** The number of the column: `4`.
"""

    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        return {}

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        return Spec(self.name, self.title, self.sides, values, ROWS, COLUMNS)

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        return State(0, 0, 0)

    def reason(self, state: State) -> Reason:
        return "line" if self.rules.has_four(state.rest) else "no_moves"

    def deciding(self, state: State) -> tuple[str, ...]:
        """Return the squares of the winner's rows of four."""
        word, squares = state.rest, 0
        for step in STEPS:
            starts = word & word >> step & word >> 2 * step & word >> 3 * step
            squares |= starts | starts << step | starts << 2 * step | starts << 3 * step
        return tuple(name for bit, name in enumerate(NAMES) if squares >> bit & 1)

    def read(self, state: State, text: str) -> Move:
        if len(text) != 1 or text not in "1234567":
            raise self.invalid(text)
        return int(text) - 1

    def format(self, state: State, move: Move) -> str:
        return str(move + 1)

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        return (NAMES[(landings(state.mine, state.rest) & 63 << 7 * move).bit_length() - 1],)

    def dump(self, state: State) -> str:
        rows = ("".join(self._mark(state, 7 * column + row) for column in range(COLUMNS)) for row in range(5, -1, -1))
        return "/".join(rows) + " " + "rg"[state.turn]

    def _mark(self, state: State, bit: int) -> str:
        red, green = state.of(0)
        return "r" if red >> bit & 1 else "g" if green >> bit & 1 else "."

    def load(self, text: str) -> State:
        board, _, turn = text.strip().partition(" ")
        rows = board.split("/")
        if [len(row) for row in rows] != [COLUMNS] * ROWS or set(board) - set("rg./") or turn not in ("r", "g"):
            raise self.wrong_form(text)
        words = [sum(1 << 7 * c + 5 - r for r, row in enumerate(rows) for c in range(7) if row[c] == m) for m in "rg"]
        side = "rg".index(turn)
        if words[0].bit_count() - words[1].bit_count() != side:
            raise self.bad_position(f"with these discs it is not {self.sides[side]}'s turn")
        stones = words[0] | words[1]
        if stones & ~(stones << 1 | BOTTOM):
            raise self.bad_position("a disc floats over an empty square")
        if has_four(words[side]):
            raise self.bad_position(f"{self.sides[side]} is to move, but has won already")
        return State(words[side], words[1 - side], side)

    def draw(self, state: State) -> Board:
        owners = {"r": 0, "g": 1}
        rows = tuple(
            tuple(Cell(NAMES[bit], owners.get(self._mark(state, bit)), 1) for bit in range(row, WIDTH, 7))
            for row in range(5, -1, -1)
        )
        return Board(rows, tuple("1234567"), ("",) * ROWS, ("R", "G"), counted=False)
