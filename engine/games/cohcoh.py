"""n-k-coh-coh: a side that makes k in a line loses.  RULES: docs/rules.md, n-k-coh-coh.

The word of a side has one bit per square, row by row from the top, with an empty column after each row so that a line
cannot wrap around the edge. For N = 4, STRIDE = 5:

    4 |  0  1  2  3   .4       bit = STRIDE * row + column
    3 |  5  6  7  8   .9
    2 | 10 11 12 13  .14       a step right is 1, a step down is STRIDE,
    1 | 15 16 17 18  .19       the diagonals are STRIDE + 1 and STRIDE - 1
        a  b  c  d

A move is the cell N * row + column, counted from the top left as in the course.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.bits import lowest, ones
from engine.board import Board, Cell, bit_marks, bits_to_text
from engine.game import Game, Move, Reason, Spec, State
from engine.games.cohcoh_bounds import (  # noqa: F401 -- all are rule functions or constants of the game
    CENTRE,
    CENTRE_MAX_MARBLES,
    COLUMN,
    DIAGONALS,
    FULL,
    HALVES,
    HALVES_KNOWN,
    HALVES_OFFSETS,
    ROW,
    STEPS,
    STRIDE,
    WINDOW,
    K,
    N,
    bounds,
    disjoint_windows,
    forbidden,
    guaranteed_value,
    has_line,
    image,
    left_right,
    line_free_halves,
    line_free_squares,
    rotated,
    runs,
    symmetry_bounds,
    transposed,
    upside_down,
    windows,
)
from engine.options import START, Option, OptionValue
from engine.rules import Constant

MAX_MOVES = N * N
CYCLIC = False
UNIT = 1000
WIDTH = N * STRIDE
SYMMETRY_MAX_MARBLES = 16  # with more marbles, looking for symmetric boards costs more than it saves
SPARE_WEIGHT, LINES_WEIGHT = 40, 4  # weights of guess(), tuned by self-play (bench/tune.py)


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    if has_line(rest):
        return n
    empty = FULL & ~(mine | rest)
    while empty:
        bit = lowest(empty)
        out[n] = bit - bit // STRIDE  # skip one empty column per row above
        n += 1
        empty &= empty - 1
    return n


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    return rest, mine | 1 << move + move // N, False


def over(mine: int, rest: int) -> bool:
    return mine | rest == FULL or has_line(rest)


def score(mine: int, rest: int) -> int:
    """RULES: a line loses. Only the side that moved last can have just made one."""
    return 1 if has_line(rest) else 0


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    """Generate the moves that do not lose at once, or all moves if every move does."""
    safe = FULL & ~(mine | rest) & ~forbidden(mine)
    if safe == 0 or has_line(rest):
        return gen(mine, rest, out, n)
    while safe:
        bit = lowest(safe)
        out[n] = bit - bit // STRIDE
        n += 1
        safe &= safe - 1
    return n


def base(mine: int, rest: int) -> int:
    return 0


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    """Return the smallest of the eight symmetric boards; with many marbles, the board itself."""
    if ones(mine | rest) > SYMMETRY_MAX_MARBLES:
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


def windows_through(starts: int, bit: int, step: int) -> int:
    """Return how many of the windows that begin on these squares contain the square `bit`."""
    count = 0
    for i in range(K):
        if bit >= step * i:
            count += starts >> bit - step * i & 1
    return count


def tactics(mine: int, rest: int, move: int) -> int:
    """Prefer squares that are safe for the opponent; keep own squares safe; avoid lines that can be filled."""
    bit = move + move // N
    square = 1 << bit
    free = FULL & ~(mine | rest)
    mine_safe, rest_safe = free & ~forbidden(mine), free & ~forbidden(rest)
    lost = mine_safe & ~square & forbidden(mine | square)
    own, other = 0, 0
    for i in range(4):
        own += windows_through(runs(mine | mine_safe, STEPS[i]), bit, STEPS[i])
        other += windows_through(runs(rest | rest_safe, STEPS[i]), bit, STEPS[i])
    total = -9 * ones(lost & ~rest_safe) - 18 * ones(lost & rest_safe) - 6 * own - 4 * other
    if rest_safe & square:
        total += 23
    if own == 0:
        total -= 9
    _, high = symmetry_bounds(rest, mine | square)
    if high <= 0:  # the mover can answer every further move with its mirror image
        total += 1000
    return total


def guess(mine: int, rest: int) -> int:
    """Compare the safe squares of both sides, and the lines that each side may still be forced to fill."""
    free = FULL & ~(mine | rest)
    mine_safe, rest_safe = free & ~forbidden(mine), free & ~forbidden(rest)
    spare = ones(mine_safe) - ones(rest_safe)
    lines = windows(rest | rest_safe) - windows(mine | mine_safe)
    return min(max(SPARE_WEIGHT * spare + LINES_WEIGHT * lines, 1 - UNIT), UNIT - 1)


def open_windows(own: int, other: int) -> int:
    """Return the windows that the opponent can still fill minus those that the own side can. A line loses."""
    return windows(FULL & ~own) - windows(FULL & ~other)


class CohCoh(Game):
    name = "cohcoh"
    title = "n-k-coh-coh"
    sides = ("white", "black")
    colours = ("#f0ece0", "#2c2c2c", "#8a7a5c")
    kind = "marbles"
    chance_scale = 0.03
    colour_names = ("white", "black")
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
        self._names = tuple(f"{letter}{rank}" for rank in range(n, 0, -1) for letter in LETTERS[:n])
        self._cells = {name: move for move, name in enumerate(self._names)}
        return {
            "N": n,
            "K": k,
            "STRIDE": n + 1,
            "MAX_MOVES": n * n,
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
        """Return the half boards for symmetry_bounds(), on even boards that have at most MAX_HALVES of them."""
        found: list[int] = []
        axes = [0]
        if self.rules.N % 2 == 0 and self.rules.WIDTH <= 63:
            for axis in range(3):
                found += line_free_halves(self.rules, axis, MAX_HALVES + 1 - len(found))
                axes.append(len(found))
        known = len(axes) == 4 and len(found) <= MAX_HALVES
        return {"HALVES": (*found, 0), "HALVES_OFFSETS": tuple(axes), "HALVES_KNOWN": 1} if known else {}

    def pointless(self) -> str:
        """RULES: with k > n every game is a draw."""
        n, k = self.rules.N, self.rules.K
        return f"a line of k = {k} does not fit on a board of {n} x {n}" if k > n else ""

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        return Spec(self.name, self.title, self.sides, values, int(values["n"]), int(values["n"]))

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        return State(0, 0, 0)

    def reason(self, state: State) -> Reason:
        return "line" if self.rules.has_line(state.rest) else "no_moves"

    def deciding(self, state: State) -> tuple[str, ...]:
        """Return the lines of the side that moved last."""
        rules, line = self.rules, 0
        for step in rules.STEPS:
            starts = rules.runs(state.rest, step)
            for i in range(rules.K):
                line |= starts << step * i
        return tuple(name for cell, name in enumerate(self._names) if line >> cell + cell // rules.N & 1)

    def read(self, state: State, text: str) -> Move:
        move = self._cells.get(text)
        if move is None:
            raise self.invalid(text)
        return move

    def format(self, state: State, move: Move) -> str:
        return self._names[move]

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        return (self._names[move],)

    def allowed(self, state: State, move: Move) -> bool:
        return not (state.mine | state.rest) >> move + move // self.rules.N & 1

    def dump(self, state: State) -> str:
        rules = self.rules
        first, second = state.of(0)
        edge = rules.COLUMN << rules.N  # the empty column, set in both words so that it is left out
        return bits_to_text(first | edge, second | edge, rules.WIDTH, MARKS) + (" b" if state.turn else " w")

    def dump_after(self, before: str, state: State, move: Move, after: State) -> str:
        marble, turn = ("w", "b") if state.turn == 0 else ("b", "w")
        return f"{before[:move]}{marble}{before[move + 1 : -1]}{turn}"

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
            raise self.bad_position(f"{white} white and {black} black marbles are impossible when sides alternate")
        side = white - black
        if turn != "wb"[side]:
            raise self.bad_position(f"with {white} white and {black} black marbles it is {self.sides[side]}'s turn")
        if self.rules.has_line(words[side]):
            raise self.bad_position(
                f"{self.sides[side]} is to move but has a line of {self.rules.K}, so the game was already over"
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
MAX_HALVES = 64
MARKS = bit_marks(".", "w", "b")
