"""Othello: enclose the opponent's discs between two of yours, and they are yours. Most discs win.

Squares are counted from a1, row by row; row 1 is at the top:

        a  b  c  d  e  f  g  h
    1   0  1  2  3  4  5  6  7
    2   8  9 10 11 12 13 14 15
    …                                  a move is the square of the new disc; 64 is a pass
    8  56 57 58 59 60 61 62 63

A word has at most 63 bits, one for each square but h8. What is on h8 is told by the centre squares d4 and e4, which are
never empty. As long as h8 is empty, exactly one side has the bit of each of the two. Once h8 is taken, both sides or
neither have the bit of *one* of the two. The other one is then owned as h8 is, and the first one says how d4 and e4 are
owned, compared with h8 (`packed` and `unpacked`). The rules see three ints: the squares of both sides, and `corner`.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.bits import ones
from engine.board import Board, Cell
from engine.game import Game, Move, Reason, Spec, State
from engine.options import START, OptionValue
from engine.rules import Constant

PASS = 64
MAX_MOVES = 65
UNIT = 100
WIDTH = 63
CYCLIC = False
D4, E4, H8 = 27, 28, 63
CENTRE = 1 << D4 | 1 << E4
ALL = (1 << 63) - 1  # all squares but h8
STEPS = (1, 8, 9, 7, -1, -8, -9, -7)
NOT_A = ALL & ~0x0101_0101_0101_0101
NOT_H = ALL & ~0x0080_8080_8080_8080
# The squares that a step from a neighbour can reach without leaving the board at one side and returning at the other
ARRIVALS = (NOT_A, ALL, NOT_A, NOT_H, NOT_H, ALL, NOT_H, NOT_A)
BEFORE_H8 = (1 << 62, 1 << 55, 1 << 54, 0, 0, 0, 0, 0)  # the square from which a step leads to h8
AFTER_H8 = (0, 0, 0, 0, 1 << 62, 1 << 55, 1 << 54, 0)  # the square to which a step from h8 leads
RAYS = tuple(  # by 8 * square + direction: how many squares lie in that direction
    min(
        (7 - square % 8, 7, 7 - square % 8, square % 8, square % 8, 7, square % 8, 7 - square % 8)[direction],
        (7, 7 - square // 8, 7 - square // 8, 7 - square // 8, 7, square // 8, square // 8, square // 8)[direction],
    )
    for square in range(64)
    for direction in range(8)
)
CORNERS = 1 | 1 << 7 | 1 << 56
NEXT_TO_CORNERS = (0x0203, 1 << 6 | 3 << 14, 3 << 48 | 1 << 57)
MOVE_WEIGHT, CORNER_WEIGHT, RISK_WEIGHT, DISC_WEIGHT = 70, 900, 250, 8  # weights of guess()


def corner(mine: int, rest: int) -> int:
    """Return the owner of h8: 0 if it is empty, 1 for the side to move, 2 for the other one."""
    if ((mine ^ rest) & CENTRE) == CENTRE:
        return 0
    return 1 if ((mine & ~rest) & CENTRE) else 2


def unpacked(mine: int, rest: int) -> int:
    """Return the squares of the side to move, without h8."""
    h8 = corner(mine, rest)
    if h8 == 0:
        return mine
    told = mine & rest & CENTRE  # the bit that both sides have, if there is one
    own = mine & ~CENTRE
    first = ((mine ^ rest) & CENTRE) == 1 << E4  # the bit of d4 is the one that both or neither have
    same_d4 = first  # compared with h8
    same_e4 = told != 0
    if same_d4 == (h8 == 1):
        own |= 1 << D4
    if same_e4 == (h8 == 1):
        own |= 1 << E4
    return own


def packed(own: int, other: int, h8: int, first: bool) -> int:
    """Return the word of the first or of the second side of a position. `h8`: 0 empty, 1 of `own`, 2 of `other`."""
    word = own if first else other
    if h8 == 0:
        return word
    word &= ~CENTRE
    same_d4 = (own >> D4 & 1 == 1) == (h8 == 1)
    same_e4 = (own >> E4 & 1 == 1) == (h8 == 1)
    witness, sign = (1 << D4, 1 << E4) if same_d4 else (1 << E4, 1 << D4)
    if same_e4:
        word |= witness
    if first == (h8 == 1):
        word |= sign
    return word


def shifted(squares: int, direction: int) -> int:
    """Return the squares one step further, without h8."""
    step = STEPS[direction]
    return (squares << step if step > 0 else squares >> -step) & ARRIVALS[direction]


def placements(own: int, other: int, h8: int) -> int:
    """Return the squares, without h8, where `own` can place a disc."""
    free, total = ALL & ~(own | other), 0
    for direction in range(8):
        line = shifted(own, direction)
        if h8 == 1:
            line |= AFTER_H8[direction]
        line &= other
        for _ in range(5):
            line |= shifted(line, direction) & other
        total |= shifted(line, direction) & free
    return total


def can_take_h8(own: int, other: int, h8: int) -> bool:
    if h8:
        return False
    for direction in range(3):
        line = shifted(own, direction) & other
        for _ in range(5):
            line |= shifted(line, direction) & other
        if line & BEFORE_H8[direction]:
            return True
    return False


def flipped(own: int, other: int, h8: int, square: int) -> int:
    """Return the discs that a new disc turns over. None of them is on h8, which is the end of every line."""
    total = 0
    for direction in range(8):
        line = 0
        for i in range(1, RAYS[8 * square + direction] + 1):
            at = square + STEPS[direction] * i
            if at == H8:
                if h8 == 1:
                    total |= line
                break
            if own >> at & 1:
                total |= line
                break
            if other >> at & 1 == 0:
                break
            line |= 1 << at
    return total


def turned(h8: int) -> int:
    """Return the owner of h8 as the other side sees it."""
    return (3 - h8) % 3


def can_place(own: int, other: int, h8: int) -> bool:
    return placements(own, other, h8) != 0 or can_take_h8(own, other, h8)


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    h8, own, other = corner(mine, rest), unpacked(mine, rest), unpacked(rest, mine)
    squares, before = placements(own, other, h8), n
    for square in range(63):
        if squares >> square & 1:
            out[n] = square
            n += 1
    if can_take_h8(own, other, h8):
        out[n] = H8
        n += 1
    if n == before and can_place(other, own, turned(h8)):
        out[n] = PASS
        n += 1
    return n


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    return gen(mine, rest, out, n)


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    if move == PASS:
        return rest, mine, False
    h8, own, other = corner(mine, rest), unpacked(mine, rest), unpacked(rest, mine)
    turning = flipped(own, other, h8, move)
    own |= turning
    other &= ~turning
    if move == H8:
        h8 = 1
    else:
        own |= 1 << move
    h8 = turned(h8)
    return packed(other, own, h8, True), packed(other, own, h8, False), False


def over(mine: int, rest: int) -> bool:
    h8, own, other = corner(mine, rest), unpacked(mine, rest), unpacked(rest, mine)
    return not can_place(own, other, h8) and not can_place(other, own, turned(h8))


def score(mine: int, rest: int) -> int:
    """Return the discs of the side to move minus those of the other one."""
    h8 = corner(mine, rest)
    lead = ones(unpacked(mine, rest)) - ones(unpacked(rest, mine))
    return lead + (1 if h8 == 1 else -1 if h8 == 2 else 0)


def bounds(mine: int, rest: int) -> tuple[int, int]:
    return -64, 64


def base(mine: int, rest: int) -> int:
    return 0


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    return mine, rest, True


def tactics(mine: int, rest: int, move: int) -> int:
    """Prefer corners; avoid the squares next to empty ones; prefer moves that leave the opponent few."""
    if move == PASS:
        return 0
    if move == H8 or CORNERS >> move & 1:
        return 100
    a, b, _ = play(mine, rest, move)
    h8, own, other = corner(a, b), unpacked(a, b), unpacked(b, a)
    return -ones(placements(own, other, h8)) - 10 * (risky(own | other, h8, 1 << move))


def risky(stones: int, h8: int, squares: int) -> int:
    """Return how many of the squares lie next to a corner that is empty."""
    count = 0
    if stones & 1 == 0:
        count += ones(squares & NEXT_TO_CORNERS[0])
    if stones >> 7 & 1 == 0:
        count += ones(squares & NEXT_TO_CORNERS[1])
    if stones >> 56 & 1 == 0:
        count += ones(squares & NEXT_TO_CORNERS[2])
    if h8 == 0:
        count += ones(squares & (1 << 62 | 3 << 54))
    return count


def guess(mine: int, rest: int) -> int:
    """Compare moves, corners, and discs next to empty corners; discs count more towards the end."""
    h8, own, other = corner(mine, rest), unpacked(mine, rest), unpacked(rest, mine)
    moves = ones(placements(own, other, h8)) - ones(placements(other, own, turned(h8)))
    corners = ones(own & CORNERS) - ones(other & CORNERS) + (1 if h8 == 1 else -1 if h8 == 2 else 0)
    risks = risky(own | other, h8, own) - risky(own | other, h8, other)
    discs = DISC_WEIGHT * (ones(own) - ones(other)) * ones(own | other) // 16
    return min(max(MOVE_WEIGHT * moves + CORNER_WEIGHT * corners - RISK_WEIGHT * risks + discs, -6000), 6000)


NAMES = ["abcdefgh"[square % 8] + str(square // 8 + 1) for square in range(64)]


class Othello(Game):
    api = 1
    name = "othello"
    title = "Othello"
    sides = ("black", "white")
    colours = ("#1c1c1c", "#f2ede0", "#1f6b3a")
    kind = "marbles"
    options = (START,)
    evaluations = {"discs": "score", "position": "guess"}
    point_name = "disc"
    chance_scale = 8.0
    minor_drop = 4.0
    move_form = "the square of the new disc, like d3, or pass"
    position_form = "......../......../......../...wb.../...bw.../......../......../........ b"
    page = """## Othello: `othello`

Have more discs than your opponent at the end.

The board has 8 x 8 squares. Four discs lie in the middle. Black moves first.

### A move

Place a disc on an empty square so that it encloses discs of the opponent in a straight line between itself and another
disc of yours: across, upright or diagonally. All discs enclosed in this way are turned over and are yours. A move that
turns over nothing is illegal.

<!-- figure: start; legal; Black can choose one of four squares. -->
<!-- figure: start; played d3; The disc on d3 has turned over the one on d4. -->

A side that has no such move must pass. To pass, choose the square d4, which is marked then, or type `pass`.

### The end

The game is over when neither side can place a disc. The side with more discs wins; with equal numbers it is a draw.

### Notation

**Move text.** The square of the new disc, with row 1 at the top: `d3`. A pass is `pass`.
"""

    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        return {}

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        return Spec(self.name, self.title, self.sides, values, 8, 8)

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        return State(1 << E4 | 1 << 35, 1 << D4 | 1 << 36, 0)

    def reason(self, state: State) -> Reason:
        return "score"

    def points(self, state: State) -> tuple[int, int]:
        marks = self.dump(state).partition(" ")[0]
        return marks.count("b"), marks.count("w")

    def read(self, state: State, text: str) -> Move:
        if text == "pass":
            return PASS
        if text not in NAMES:
            raise self.invalid(text)
        return NAMES.index(text)

    def format(self, state: State, move: Move) -> str:
        return "pass" if move == PASS else NAMES[move]

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        """Return the cell to choose. A pass has none of its own; it is the only move, so any cell will do."""
        return (NAMES[D4 if move == PASS else move],)

    def dump(self, state: State) -> str:
        marks = self._marks(state)
        return "/".join(marks[8 * row : 8 * row + 8] for row in range(8)) + " " + "bw"[state.turn]

    def _marks(self, state: State) -> str:
        black, white = state.of(0)
        h8, blacks, whites = corner(black, white), unpacked(black, white), unpacked(white, black)
        marks = ("b" if blacks >> square & 1 else "w" if whites >> square & 1 else "." for square in range(63))
        return "".join(marks) + ".bw"[h8]

    def load(self, text: str) -> State:
        board, _, turn = text.strip().partition(" ")
        rows, marks = board.split("/"), board.replace("/", "")
        if [len(row) for row in rows] != [8] * 8 or set(marks) - set("bw.") or turn not in ("b", "w"):
            raise self.wrong_form(text)
        if any(marks[square] == "." for square in (D4, E4, D4 + 8, E4 + 8)):
            raise self.bad_position("the four squares in the middle are never empty")
        blacks, whites = (sum(1 << at for at in range(63) if marks[at] == colour) for colour in "bw")
        h8 = ".bw".index(marks[H8])
        words = packed(blacks, whites, h8, True), packed(blacks, whites, h8, False)
        side = "bw".index(turn)
        return State(words[side], words[1 - side], side)

    def draw(self, state: State) -> Board:
        marks, owners = self._marks(state), {"b": 0, "w": 1}
        rows = tuple(
            tuple(Cell(NAMES[at], owners.get(marks[at]), 1) for at in range(8 * row, 8 * row + 8)) for row in range(8)
        )
        return Board(rows, tuple("abcdefgh"), tuple("12345678"), ("b", "w"), counted=False)
