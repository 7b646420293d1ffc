"""Bounds on the value of an n-k-coh-coh position without a search: lines, symmetry, counting of safe squares.

These functions are rule functions of engine/games/cohcoh.py, which shows the bit layout.

A square where a side would make a line stays unsafe for that side for the rest of the game. The side plays there only
if it has no other move. So the side that runs out of safe squares first loses.
"""

from __future__ import annotations

from engine.bits import lowest, ones
from engine.rules import Rules

N, K = 4, 3
STRIDE = N + 1
FULL = sum(((1 << N) - 1) << STRIDE * row for row in range(N))
STEPS = (1, STRIDE, STRIDE + 1, STRIDE - 1)
ROW = (1 << N) - 1
COLUMN = sum(1 << STRIDE * row for row in range(N))
CENTRE = 1 << (STRIDE + 1) * (N // 2)
WINDOW = tuple(sum(1 << step * i for i in range(K)) for step in STEPS)
DIAGONALS = tuple(sum(1 << STRIDE * row + row + i for row in range(N - i)) for i in range(N))
# For symmetry_bounds(), by axis: half turn, upside down, left-right. Set by CohCoh.for_search().
HALVES, HALVES_OFFSETS, HALVES_KNOWN = (0,), (0, 0, 0, 0), 0
CENTRE_MAX_MARBLES = 8  # with more marbles, checking the symmetry about the centre is not worth it


def runs(word: int, step: int) -> int:
    """Return the first squares of all windows of K in one direction that lie within a set of squares."""
    found, length = word, 1
    while 2 * length <= K:  # a run of twice the length is two runs in a row
        found &= found >> step * length
        length *= 2
    return found & found >> step * (K - length)


def has_line(word: int) -> bool:
    for i in range(4):
        if runs(word, STEPS[i]):
            return True
    return False


def windows(word: int) -> int:
    """Return how many windows of K squares lie within a set of squares."""
    total = 0
    for i in range(4):
        total += ones(runs(word, STEPS[i]))
    return total


def forbidden(word: int) -> int:
    """Return the squares where one more marble would make a line: the only gaps in windows of K."""
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


def line_free_squares(word: int, squares: int, other_safe: int) -> int:
    """Return a subset of these squares that a side can fill without ever making a line.

    Each window that could still be filled is prevented in one of two ways. If the opponent can also use two of its
    squares, these become a pair: when the opponent takes one, this side takes the other, and it never takes both.
    Otherwise one square of the window is given up.
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
                while two <= start << step * (K - 1) and start:  # skip all windows that contain both squares
                    starts &= ~start
                    start = start << step if start < one else 0
            else:
                given = line & other_safe if line & other_safe else line
                squares &= ~(given & -given)
                starts &= runs(word | squares, step)
    return squares


def disjoint_windows(word: int, squares: int) -> int:
    """Return how many disjoint windows a side could fill with these squares, counted greedily."""
    count = 0
    for i in range(4):
        starts = runs(word | squares, STEPS[i])
        while starts:
            used = WINDOW[i] << lowest(starts) & squares
            count += 1
            squares &= ~used
            starts = runs(word | squares, STEPS[i])
    return count


def guaranteed_value(own: int, own_safe: int, other: int, other_safe: int, empty: int, first: int) -> int:
    """Return a lower bound of the value for a side, by counting moves; -1 if nothing is guaranteed.

    The side plays only on squares that are safe together (see line_free_squares). It alternates with the opponent on
    the contested ones. This gives a minimum of own safe moves and a maximum for the opponent. Unsafe squares stay
    unsafe, so the side that runs out of safe moves first has to make a line.
    """
    chosen = line_free_squares(own, own_safe, other_safe)
    contested = ones(chosen & other_safe)
    share = (contested + first) // 2
    moves = ones(chosen) - contested + share
    theirs = ones(other_safe) - share
    if moves < theirs + first:
        theirs -= disjoint_windows(other, other_safe & ~chosen)
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


def rotated(word: int) -> int:
    """Return the board rotated by 180 degrees."""
    return upside_down(left_right(word))


def transposed(word: int) -> int:
    """Return the board with rows and columns swapped. Each diagonal is shifted as a whole."""
    result = word & DIAGONALS[0]
    for i in range(1, N):
        result |= (word & DIAGONALS[i]) << (STRIDE - 1) * i
        result |= (word >> (STRIDE - 1) * i) & DIAGONALS[i]
    return result


def image(word: int, axis: int) -> int:
    if axis == 0:
        return rotated(word)
    return upside_down(word) if axis == 1 else left_right(word)


def symmetry_bounds(mine: int, rest: int) -> tuple[int, int]:
    """Return bounds from mirror strategies; (-1, 1) if there is none.

    If the marbles of the two sides are images of each other, the side not to move can answer every move with its
    image. It makes a line only after the opponent made the image of that line, so it does not lose. A draw fills the
    board. Then the marbles of the side to move form one of the HALVES: sets without a line that contain one square of
    each pair of images. If no half contains its present marbles, the side to move loses.

    On an odd board, a rotation by 180 degrees maps the centre to itself. The side that holds the centre can use the
    same strategy if each line through the centre contains a pair of images, because it gets only one of them. That is
    the case for K > (N + 1) / 2.
    """
    if N % 2 == 0:
        for axis in range(3):
            if image(mine, axis) == rest:
                if HALVES_KNOWN == 0:
                    return -1, 0
                for i in range(HALVES_OFFSETS[axis], HALVES_OFFSETS[axis + 1]):
                    if mine & ~HALVES[i] == 0:
                        return -1, 0
                return -1, -1
    elif 2 * K > N + 1 and ones(mine | rest) <= CENTRE_MAX_MARBLES:
        if rotated(mine) == rest:
            return 0, 1
        if rotated(mine) | CENTRE == rest:
            return -1, 0
    return -1, 1


def bounds(mine: int, rest: int) -> tuple[int, int]:
    free = FULL & ~(mine | rest)
    empty = ones(free)
    mine_safe, rest_safe = free & ~forbidden(mine), free & ~forbidden(rest)
    if mine_safe == 0:  # the side to move has to make a line, unless the board is full
        value = -1 if empty else 0
        return value, value
    if rest_safe == 0:  # after the next move the opponent has to make a line
        value = 1 if empty > 1 else 0
        return value, value
    low, high = symmetry_bounds(mine, rest)
    low = max(low, guaranteed_value(mine, mine_safe, rest, rest_safe, empty, 1))
    if low < high:
        high = min(high, -guaranteed_value(rest, rest_safe, mine, mine_safe, empty, 0))
    return low, high


def line_free_halves(rules: Rules, axis: int, limit: int) -> list[int]:
    """Return up to `limit` sets of squares that have no line and one square of each pair of images."""
    found: list[int] = []

    def choose(half: int, left: int) -> None:
        if rules.has_line(half) or len(found) >= limit:
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
