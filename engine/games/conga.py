"""Conga: sow stones along lines; a side that cannot move loses.  RULES: docs/rules.md, Conga.

The board, and the index of each square:

    4 | 12 13 14 15        index = 4 * (rank - 1) + file
    3 |  8  9 10 11
    2 |  4  5  6  7        black starts on a4 = 12, white on d1 = 3
    1 |  0  1  2  3
        a  b  c  d

The word of a side has fifteen fields of four bits: the stones on squares 0 to 14. Square 15 (d4) needs no field. Each
side always owns STONES stones, so d4 holds those that are on no other square.

    bit 59      56 55      52            7       4 3       0
        +---------+----------+-- ... --+----------+---------+
        | sq. 14  |  sq. 13  |         |   sq. 1  |  sq. 0  |
        +---------+----------+-- ... --+----------+---------+

A set of squares has the lowest bit of each field (d4: bit 60), so that a step to an adjacent square is a shift. A move
is 16 * direction + origin square, with directions clockwise from north:

    7 0 1        NW N NE       +12 +16 +20
    6 . 2         W . E         -4  .   +4     the shift of a set of squares
    5 4 3        SW S SE       -20 -16 -12
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.bits import lowest, ones
from engine.board import Board, Cell
from engine.game import Game, Move, Reason, Spec, State
from engine.options import START, Option, OptionValue, parse_int
from engine.rules import Constant

STONES = 10
MAX_MOVES = 128
CYCLIC = True  # positions can repeat
UNIT = 1000
WIDTH = 61  # bits of a set of squares
ALL_SQUARES = 0x1111_1111_1111_1111  # one bit per square
FIELDS = (1 << 60) - 1
# The diagonals parallel to a1-d4, without d4
DIAGONALS = (0x0000_0F00_00F0_000F, 0x0000_F000_0F00_00F0, 0x0000_0000_F000_0F00, 0xF000)
STEPS = (4, 5, 1, -3, -4, -5, -1, 3)  # index difference by direction
NOT_D, NOT_A = ALL_SQUARES & ~0x1000_1000_1000_1000, ALL_SQUARES & ~0x0001_0001_0001_0001
# The squares from which a step does not wrap around, by direction
STEP_MASKS = (ALL_SQUARES, NOT_D, NOT_D, NOT_D, ALL_SQUARES, NOT_A, NOT_A, NOT_A)


def reach(square: int, direction: int) -> int:
    """Return how many squares, at most three, lie on the board in a direction."""
    file, rank, step = square % 4, square // 4, (direction % 4 != 0) * (1 if direction < 4 else -1)
    rise = (direction in (7, 0, 1)) - (direction in (3, 4, 5))
    count = 0
    while count < 3 and 0 <= file + step * (count + 1) < 4 and 0 <= rank + rise * (count + 1) < 4:
        count += 1
    return count


MOBILITY_WEIGHT, SQUARES_WEIGHT, LIBERTIES_WEIGHT = 2, 56, 24  # weights of guess(), tuned by self-play (bench/tune.py)
REACH = tuple(reach(move & 15, move >> 4) for move in range(MAX_MOVES))


def stones_on_d4(word: int) -> int:
    """Return the stones on d4. As 16 = 15 + 1, the sum of the fields is the remainder modulo 15."""
    placed = word % 15
    if placed == 0 and word != 0:
        placed = 15
    return STONES - placed


def occupied(word: int) -> int:
    """Return the set of squares that a side holds."""
    squares = (word | word >> 1 | word >> 2 | word >> 3) & (ALL_SQUARES & FIELDS)
    if stones_on_d4(word) > 0:
        squares |= 1 << 60
    return squares


def shifted(squares: int, direction: int) -> int:
    """Return a set of squares moved by one step in a direction."""
    step = 4 * STEPS[direction]
    squares &= STEP_MASKS[direction]
    return (squares << step if step > 0 else squares >> -step) & ALL_SQUARES


def movable(own: int, free: int, direction: int) -> int:
    """Return the squares of `own` whose next square in a direction is free. RULES: an empty run is illegal."""
    step = 4 * STEPS[direction]
    return own & STEP_MASKS[direction] & (free >> step if step > 0 else free << -step)


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    own, free = occupied(mine), ALL_SQUARES & ~occupied(rest)
    for direction in range(8):
        squares = movable(own, free, direction)
        while squares:
            out[n] = 16 * direction + (lowest(squares) >> 2)
            n += 1
            squares &= squares - 1
    return n


def mobility(mine: int, rest: int) -> int:
    """Return the number of legal moves of the side that owns `mine`."""
    own, free = occupied(mine), ALL_SQUARES & ~occupied(rest)
    count = 0
    for direction in range(8):
        count += ones(movable(own, free, direction))
    return count


def add_stones(word: int, square: int, stones: int) -> int:
    """Return the word with stones added to a square. d4 has no field, so there the word is unchanged."""
    return word + ((stones << 4 * square) & FIELDS)


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    return gen(mine, rest, out, n)


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    square, step, limit = move & 15, STEPS[move >> 4], REACH[move]
    stones = stones_on_d4(mine) if square == 15 else mine >> 4 * square & 15
    blocked = occupied(rest)
    first, second, third = square + step, square + 2 * step, square + 3 * step
    mine &= ~(15 << 4 * square)
    if limit < 2 or blocked >> 4 * second & 1:  # run of 1: all stones
        mine = add_stones(mine, first, stones)
    elif limit < 3 or blocked >> 4 * third & 1:  # run of 2: one, then the rest
        mine = add_stones(add_stones(mine, first, 1), second, stones - 1)
    else:  # run of 3: one, two, then the rest; too few stones fill it in order
        two = min(2, stones - 1)
        mine = add_stones(add_stones(add_stones(mine, first, 1), second, two), third, stones - 1 - two)
    return rest, mine, False


def over(mine: int, rest: int) -> bool:
    own, free = occupied(mine), ALL_SQUARES & ~occupied(rest)
    for direction in range(8):
        if movable(own, free, direction):
            return False
    return True


def score(mine: int, rest: int) -> int:
    """RULES: a side to move without a legal move loses."""
    return -1 if over(mine, rest) else 0


def bounds(mine: int, rest: int) -> tuple[int, int]:
    return -1, 1


def base(mine: int, rest: int) -> int:
    return 0


def transposed(word: int) -> int:
    """Return the board reflected in the diagonal from a1 to d4."""
    return (
        word & DIAGONALS[0]
        | (word & DIAGONALS[1]) << 12
        | word >> 12 & DIAGONALS[1]
        | (word & DIAGONALS[2]) << 24
        | word >> 24 & DIAGONALS[2]
        | (word & DIAGONALS[3]) << 36
        | word >> 36 & DIAGONALS[3]
    )


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    a, b = transposed(mine), transposed(rest)
    if a < mine or (a == mine and b < rest):
        return a, b, False
    return mine, rest, True


def tactics(mine: int, rest: int, move: int) -> int:
    return 0


def liberties(squares: int, free: int) -> int:
    """Return how many of the free squares lie beside a set of squares."""
    beside = 0
    for direction in range(8):
        beside |= shifted(squares, direction)
    return ones(beside & free)


def guess(mine: int, rest: int) -> int:
    """Compare moves, squares held, and free squares beside them: a side without free squares is nearly enclosed."""
    mine, rest = occupied(mine), occupied(rest)
    mine_free, rest_free = ALL_SQUARES & ~rest, ALL_SQUARES & ~mine
    moves = 0
    for direction in range(8):
        moves += ones(movable(mine, mine_free, direction)) - ones(movable(rest, rest_free, direction))
    free = mine_free & rest_free
    total = MOBILITY_WEIGHT * moves + SQUARES_WEIGHT * (ones(mine) - ones(rest))
    total += LIBERTIES_WEIGHT * (liberties(mine, free) - liberties(rest, free))
    return min(max(total, 1 - UNIT), UNIT - 1)


def hfunc0(own: int, other: int) -> int:
    return -mobility(other, own)


def hfunc1(own: int, other: int) -> int:
    return mobility(own, other) - mobility(other, own)


def neighbour(own: int, other: int) -> int:
    """Sum over all squares adjacent to opponent squares: +1 if the own side holds the square, else -1."""
    mine, theirs = occupied(own), occupied(other)
    total = 0
    for direction in range(8):
        beside = shifted(theirs, direction)
        total += 2 * ones(beside & mine) - ones(beside)
    return total


def move_and_neighbour(own: int, other: int) -> int:
    return hfunc1(own, other) + neighbour(own, other)


CELL_TEXTS = {(0, 0): "."} | {(n, 0): f"b{n}" for n in range(1, 16)} | {(0, n): f"w{n}" for n in range(1, 16)}
PAIR_TEXTS = {  # text of two adjacent squares, by the two fields of black and of white
    (one[0] | two[0] << 4, one[1] | two[1] << 4): f"{CELL_TEXTS[one]},{CELL_TEXTS[two]}"
    for one in CELL_TEXTS
    for two in CELL_TEXTS
}


class Conga(Game):
    name = "conga"
    title = "Conga"
    sides = ("black", "white")
    colours = ("#1d4ed8", "#c62828", "#f2c94c")  # as the course draws it
    kind = "stacks"
    chance_scale = 0.33
    near = 1
    options = (
        Option("stones", 10, "stones of each side", 1, 15),
        Option("max_plies", 400, "plies after which the game is a draw", 1, 10_000),
        START,
    )
    evaluations = {
        "hfunc1": "hfunc1",
        "hfunc0": "hfunc0",
        "move": "hfunc1",
        "neighbour": "neighbour",
        "move+neighbour": "move_and_neighbour",
    }
    move_form = "the square that the stones leave and the first square they enter, like a4b3"
    position_form = "b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b"

    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        return {"STONES": int(values["stones"])}

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        limit = int(values["max_plies"])
        return Spec(self.name, self.title, self.sides, values, 4, 4, repetition=3, max_plies=limit)

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        stones = int(values["stones"])
        return State(stones << 4 * 12, stones << 4 * 3, 0)

    def reason(self, state: State) -> Reason:
        return "no_moves"

    def deciding(self, state: State) -> tuple[str, ...]:
        """Return the squares of the side that cannot move."""
        return tuple([cell.name for cell in self.draw(state).cells() if cell.owner == state.turn])

    def read(self, state: State, text: str) -> Move:
        move = MOVES_BY_TEXT.get(text)
        if move is None:
            raise self.invalid(text)
        return move

    def format(self, state: State, move: Move) -> str:
        square = move & 15
        return NAMES[square] + NAMES[square + STEPS[move >> 4]]

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        square = move & 15
        return NAMES[square], NAMES[square + STEPS[move >> 4]]

    def end_of(self, state: State, move: Move) -> str:
        """Return the last square of the run that gets a stone."""
        square, step, (mine, rest, _) = move & 15, STEPS[move >> 4], state
        wanted = STONES_TO_RUN[self.stones(mine, square)]
        run = 1
        while run < min(wanted, REACH[move]) and not self.stones(rest, square + step * (run + 1)):
            run += 1
        return NAMES[square + step * run]

    def stones(self, word: int, square: int) -> int:
        return int(self.rules.stones_on_d4(word)) if square == 15 else word >> 4 * square & 15

    def allowed(self, state: State, move: Move) -> bool:
        square, (mine, rest, _) = move & 15, state
        return REACH[move] > 0 and self.stones(mine, square) > 0 and self.stones(rest, square + STEPS[move >> 4]) == 0

    def dump(self, state: State) -> str:
        black, white, turn = state
        if turn:
            black, white = white, black
        stones_on_d4 = self.rules.stones_on_d4
        blacks = (black | stones_on_d4(black) << 60).to_bytes(8, "little")
        whites = (white | stones_on_d4(white) << 60).to_bytes(8, "little")
        ab1, cd1, ab2, cd2, ab3, cd3, ab4, cd4 = map(PAIR_TEXTS.__getitem__, zip(blacks, whites))  # noqa: B905  # eight each
        return f"{ab4},{cd4}/{ab3},{cd3}/{ab2},{cd2}/{ab1},{cd1} {'w' if turn else 'b'}"

    def load(self, text: str) -> State:
        board, _, turn = text.strip().partition(" ")
        rows = [row.split(",") for row in board.split("/")]
        if turn not in ("b", "w") or [len(row) for row in rows] != [4, 4, 4, 4]:
            raise self.wrong_form(text)
        words, sums = [0, 0], [0, 0]
        for rank, row in zip((3, 2, 1, 0), rows, strict=True):
            for file, cell in enumerate(row):
                if cell == ".":
                    continue
                side, count = "bw".find(cell[:1]), parse_int(cell[1:])
                if side < 0 or count is None or not 1 <= count <= 15:
                    raise self.bad_position(f"a cell must be . or b or w followed by 1 to 15 stones, not {cell[:20]!r}")
                words[side] += count << 4 * (4 * rank + file)
                sums[side] += count
        for side, total in enumerate(sums):
            if total != self.rules.STONES:
                name, expected = self.sides[side], self.rules.STONES
                raise self.bad_position(f"{name} has {total} stones, but the option stones is {expected}")
        side = "bw".index(turn)
        return State(words[side] & FIELDS, words[1 - side] & FIELDS, side)

    def draw(self, state: State) -> Board:
        black, white = state.of(0)
        rows = []
        for rank in (3, 2, 1, 0):
            row = []
            for square in range(4 * rank, 4 * rank + 4):
                mine, theirs = self.stones(black, square), self.stones(white, square)
                row.append(Cell(NAMES[square], 0 if mine else 1 if theirs else None, mine or theirs))
            rows.append(tuple(row))
        return Board(tuple(rows), tuple("abcd"), ("4", "3", "2", "1"), ("b", "w"), counted=True)


NAMES = tuple("abcd"[square % 4] + "1234"[square // 4] for square in range(16))
STONES_TO_RUN = (0, 1, 2, 2, *(3,) * 12)  # the squares that this many stones fill: one, then two, then the rest
MOVES_BY_TEXT = {
    NAMES[move & 15] + NAMES[(move & 15) + STEPS[move >> 4]]: move for move in range(MAX_MOVES) if REACH[move]
}
