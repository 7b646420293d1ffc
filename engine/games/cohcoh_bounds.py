"""What can be said of a position of n-k-coh-coh without searching it: squares, lines, symmetry, counting.

The layout of the words is drawn in engine/games/cohcoh.py, whose rules these functions are a part of.

A square where a side would make a line stays so for the rest of the game: that side never plays there unless it has
nothing else left. So the game is about safe squares, and about who runs out of them first.
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
HALVES, AXES, HALVES_KNOWN = (0,), (0, 0, 0, 0), 0  # see mirrored(): for a half turn, upside down, left to right
CENTRED = 8  # marbles on the board up to which the centre's symmetry is worth a look


def runs(word: int, step: int) -> int:
    """The first squares of all windows of K in one direction that lie wholly within a set of squares."""
    found, length = word, 1
    while 2 * length <= K:  # runs of twice the length are a run and another behind it
        found &= found >> step * length
        length *= 2
    return found & found >> step * (K - length)


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
