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

from collections.abc import Mapping

from engine.bits import lowest, ones
from engine.board import Board, Cell, digits
from engine.game import Game, Move, Spec, State
from engine.options import START, Option, OptionValue
from engine.rules import Constant, Rules

N, K = 4, 3
STRIDE = N + 1
MOST_MOVES = N * N
CYCLIC = False
UNIT = 1000
WIDTH = N * STRIDE
FULL = sum(((1 << N) - 1) << STRIDE * row for row in range(N))
STEPS = (1, STRIDE, STRIDE + 1, STRIDE - 1)
ROW = (1 << N) - 1
COLUMN = sum(1 << STRIDE * row for row in range(N))
CENTRE = 1 << (STRIDE + 1) * (N // 2)
WINDOW = tuple(sum(1 << step * i for i in range(K)) for step in STEPS)
DIAGONALS = tuple(sum(1 << STRIDE * row + row + i for row in range(N - i)) for i in range(N))
HALVES, AXES, HALVES_KNOWN = (0,), (0, 0, 0, 0), 0  # see mirrored(): for a half turn, upside down, left to right
CENTRED, FOLDED = 8, 16  # marbles on the board up to which symmetry is worth a look
SPARE, LINES = 40, 4  # weights of guess(), found by self-play: bench/tune.py


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


def forbidden(word: int) -> int:
    """The squares where one more marble would make a line: each is the one gap in a window of K."""
    found = 0
    for i in range(4):
        step = STEPS[i]
        for gap in range(K):
            window = FULL
            for j in range(1, gap + 1):
                window &= word << step * j
            for j in range(1, K - gap):
                window &= word >> step * j
            found |= window
    return found & FULL


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    """The moves worth searching: those that do not lose at once, if there are any."""
    safe = FULL & ~(mine | rest) & ~forbidden(mine)
    if safe == 0 or has_line(rest):
        return gen(mine, rest, out, n)
    while safe:
        bit = lowest(safe)
        out[n] = bit - bit // STRIDE
        n += 1
        safe &= safe - 1
    return n


def peaceful(word: int, squares: int, other_safe: int) -> int:
    """Some of these squares, on which a side can play until they are used up and never makes a line.

    A line that could still be filled is kept from it in one of two ways. Two of its squares that the other side may
    take too become a pair: when the other side takes one, this side takes the other, and it never takes both. Where
    there are no two such squares left, one square of the line is given up.
    """
    paired = 0
    for i in range(4):
        step = STEPS[i]
        starts = runs(word | squares, step)
        while starts:
            start = starts & -starts
            line = start * WINDOW[i] & squares
            shared = line & other_safe & ~paired
            if shared & shared - 1:
                one = shared & -shared
                shared &= ~one
                two = shared & -shared
                paired |= one | two
                while two <= start << step * (K - 1) and start:  # all windows with both squares
                    starts &= ~start
                    start = start << step if start < one else 0
            else:
                given = line & other_safe if line & other_safe else line
                squares &= ~(given & -given)
                starts &= runs(word | squares, step)
    return squares


def disjoint(word: int, squares: int) -> int:
    """How many windows without a common square, as many as greed finds, a side could fill with these squares."""
    count = 0
    for i in range(4):
        starts = runs(word | squares, STEPS[i])
        while starts:
            used = WINDOW[i] << lowest(starts) & squares
            count += 1
            squares &= ~used
            starts = runs(word | squares, STEPS[i])
    return count


def assured(own: int, own_safe: int, other: int, other_safe: int, empty: int, first: int) -> int:
    """The least a side can be sure of, by counting moves: -1 means nothing.

    It plays only on squares that are safe for it all together. Those that the other side may take too it shares with
    it move by move, so it has so many safe moves at least, and leaves the other side so many at most. A square that
    is unsafe for a side stays so; whoever runs out of safe moves first has to make a line.
    """
    chosen = peaceful(own, own_safe, other_safe)
    contested = ones(chosen & other_safe)
    share = (contested + first) // 2
    moves = ones(chosen) - contested + share
    theirs = ones(other_safe) - share
    if moves < theirs + first:
        theirs -= disjoint(other, other_safe & ~chosen)
    turns = (empty + first) // 2  # until the board is full
    if moves >= theirs + first:
        return 1 if theirs < empty - turns else 0
    return 0 if moves >= turns else -1


def upside_down(word: int) -> int:
    result = 0
    for row in range(N):
        result |= (word >> STRIDE * row & ROW) << STRIDE * (N - 1 - row)
    return result


def left_right(word: int) -> int:
    result = 0
    for column in range(N):
        result |= (word >> column & COLUMN) << N - 1 - column
    return result


def turned(word: int) -> int:
    """The board turned by half a circle."""
    return upside_down(left_right(word))


def transposed(word: int) -> int:
    """Rows become columns: each diagonal moves as a whole."""
    result = word & DIAGONALS[0]
    for i in range(1, N):
        result |= (word & DIAGONALS[i]) << (STRIDE - 1) * i
        result |= (word >> (STRIDE - 1) * i) & DIAGONALS[i]
    return result


def image(word: int, axis: int) -> int:
    if axis == 0:
        return turned(word)
    return upside_down(word) if axis == 1 else left_right(word)


def mirrored(mine: int, rest: int) -> tuple[int, int]:
    """Bounds by strategies of symmetry; -1, 1 where there is none.

    If the marbles of both sides are images of each other, the side not to move can answer every move with its image:
    it makes a line only if the other side made the image of that line before, so it does not lose. A draw would
    fill the board, and the side to move would end with one of the HALVES, the sets of squares without a line that
    hold one square of each pair of images; if none of them contains what it has, it loses.

    On an odd board a half turn leaves the centre to itself. Whoever holds it can do the same, provided that each line
    through the centre has two squares that are images of each other, of which it will hold just one: K > (N + 1) / 2.
    """
    if N % 2 == 0:
        for axis in range(3):
            if image(mine, axis) == rest:
                if HALVES_KNOWN == 0:
                    return -1, 0
                for i in range(AXES[axis], AXES[axis + 1]):
                    if mine & ~HALVES[i] == 0:
                        return -1, 0
                return -1, -1
    elif 2 * K > N + 1 and ones(mine | rest) <= CENTRED:
        if turned(mine) == rest:
            return 0, 1
        if turned(mine) | CENTRE == rest:
            return -1, 0
    return -1, 1


def bounds(mine: int, rest: int) -> tuple[int, int]:
    free = FULL & ~(mine | rest)
    empty = ones(free)
    mine_safe, rest_safe = free & ~forbidden(mine), free & ~forbidden(rest)
    if mine_safe == 0:  # I have to make a line, unless the board is full
        value = -1 if empty else 0
        return value, value
    if rest_safe == 0:  # after my next move the other side has to
        value = 1 if empty > 1 else 0
        return value, value
    low, high = mirrored(mine, rest)
    low = max(low, assured(mine, mine_safe, rest, rest_safe, empty, 1))
    if low < high:
        high = min(high, -assured(rest, rest_safe, mine, mine_safe, empty, 0))
    return low, high


def base(mine: int, rest: int) -> int:
    return 0


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    """The first of the eight boards that turning and reflecting make of this one; late in a game it is not worth it."""
    if ones(mine | rest) > FOLDED:
        return mine, rest, True
    a, b = mine, rest
    best_a, best_b = a, b
    for i in range(1, 8):
        if i == 4:
            a, b = transposed(mine), transposed(rest)
        elif i % 2 == 1:
            a, b = upside_down(a), upside_down(b)
        else:
            a, b = left_right(a), left_right(b)
        if a < best_a or (a == best_a and b < best_b):
            best_a, best_b = a, b
    return best_a, best_b, best_a == mine and best_b == rest


def through(starts: int, bit: int, step: int) -> int:
    """How many of the windows that begin on these squares pass through a square."""
    count = 0
    for i in range(K):
        if bit >= step * i:
            count += starts >> bit - step * i & 1
    return count


def tactics(mine: int, rest: int, move: int) -> int:
    """Take squares the other side could use; keep one's own squares safe, and off lines that can still be filled."""
    bit = move + move // N
    square = 1 << bit
    free = FULL & ~(mine | rest)
    mine_safe, rest_safe = free & ~forbidden(mine), free & ~forbidden(rest)
    lost = mine_safe & ~square & forbidden(mine | square)
    own, other = 0, 0
    for i in range(4):
        own += through(runs(mine | mine_safe, STEPS[i]), bit, STEPS[i])
        other += through(runs(rest | rest_safe, STEPS[i]), bit, STEPS[i])
    total = -9 * ones(lost & ~rest_safe) - 18 * ones(lost & rest_safe) - 6 * own - 4 * other
    if rest_safe & square:
        total += 23
    if own == 0:
        total -= 9
    _, high = mirrored(rest, mine | square)
    if high <= 0:  # from here on every move can be answered with its image
        total += 1000
    return total


def guess(mine: int, rest: int) -> int:
    """Squares only one side can use without losing, and lines each side may yet be forced to fill."""
    free = FULL & ~(mine | rest)
    mine_safe, rest_safe = free & ~forbidden(mine), free & ~forbidden(rest)
    spare = ones(mine_safe) - ones(rest_safe)
    lines = windows(rest | rest_safe) - windows(mine | mine_safe)
    return min(max(SPARE * spare + LINES * lines, 1 - UNIT), UNIT - 1)


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
            "ROW": (1 << n) - 1,
            "COLUMN": sum(1 << (n + 1) * row for row in range(n)),
            "CENTRE": 1 << (n + 2) * (n // 2),
            "WINDOW": tuple(sum(1 << step * i for i in range(min(k, n))) for step in (1, n + 1, n + 2, n)),
            "DIAGONALS": tuple(sum(1 << (n + 2) * row + i for row in range(n - i)) for i in range(n)),
        }

    def for_search(self) -> dict[str, Constant]:
        """On even boards with few of them: every half of the board that mirrored() asks for."""
        found: list[int] = []
        axes = [0]
        if self.rules.N % 2 == 0 and self.rules.WIDTH <= 63:
            for axis in range(3):
                found += halves(self.rules, axis, MOST_HALVES + 1 - len(found))
                axes.append(len(found))
        known = len(axes) == 4 and len(found) <= MOST_HALVES
        return {"HALVES": (*found, 0), "AXES": tuple(axes), "HALVES_KNOWN": 1} if known else {}

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

    def allowed(self, state: State, move: Move) -> bool:
        taken = (state.mine | state.rest) >> move + move // self.rules.N & 1
        return not taken and not self.rules.has_line(state.rest)

    def dump(self, state: State) -> str:
        n, stride = self.rules.N, self.rules.STRIDE
        board = digits(*state.of(0), n * stride).translate(MARKS)
        return "".join([board[at : at + n] for at in range(0, n * stride, stride)]) + " " + "wb"[state.turn]

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


def halves(rules: Rules, axis: int, most: int) -> list[int]:
    """Sets of squares without a line that hold one of each pair of images; not more than `most` of them."""
    found: list[int] = []

    def choose(half: int, left: int) -> None:
        if rules.has_line(half) or len(found) >= most:
            return
        if left == 0:
            found.append(half)
            return
        square = left & -left
        other = rules.image(square, axis)
        for one in (square, other):
            choose(half | one, left & ~(square | other))

    choose(0, rules.FULL)
    return found


LETTERS = "abcdefghijkl"
MOST_HALVES = 64
MARKS = str.maketrans("012", ".wb")
