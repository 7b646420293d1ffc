"""The places of Mancala positions with few stones in the pits, in an endgame table and in its order of computation.

These functions are rule functions of engine/games/mancala.py, which shows the bit layout.

A *row* is the contents of the pits of one side. The rank of a row numbers the rows with equally many stones. Sowing
within the row lowers it. A table has one block for each pair of numbers of stones, `few` <= `many`, in the order of
their sum. A block has two places for each pair of a row with `few` stones and a row with `many`, because either side
may be to move:

    place = start of the block + 2 * (rank of the row with few stones * rows with many stones + rank of the other row)
            + 1 if the side to move has many stones

A move that brings no stone into a store stays in its block. It lowers the rank of the mover's row, and gives the turn
to the other side. So a block can be computed from its first place to its last.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

from engine.rules import Constant

MAX_ENDGAME_STONES = 40

PITS, BITS = 6, 6
PIT_MASK = (1 << BITS) - 1
# Set by Mancala.for_search(). WAYS[m, s]: ways to put fewer than s stones into m pits. BLOCKS[few, many]: first places.
ENDGAMES, ENDGAME_STONES = 0, 0
ENDGAME_WAYS, ENDGAME_BLOCKS = (0,), (0,)


def row_sum(word: int) -> int:
    """Return the number of stones in the pits of a side."""
    total = 0
    for i in range(PITS):
        total += word >> BITS * i & PIT_MASK
    return total


def row_count(stones: int) -> int:
    """Return the number of rows with this many stones."""
    return ENDGAME_WAYS[(PITS - 1) * (ENDGAME_STONES + 2) + stones + 1]


def row_rank(word: int) -> int:
    """Return the rank of a row. Equal rows have equal ranks, whatever is in the store."""
    rank = stones = 0
    for i in range(PITS - 1):
        stones += word >> BITS * i & PIT_MASK
        rank += ENDGAME_WAYS[(i + 1) * (ENDGAME_STONES + 2) + stones]
    return rank


def first_row(stones: int) -> int:
    """Return the row of rank 0 with this many stones."""
    return stones << BITS * (PITS - 1)


def next_row(row: int) -> int:
    """Return the row of the next rank. The row must not have all of its stones in pit 0."""
    stones = row & PIT_MASK
    row -= stones
    pit = BITS
    while row >> pit & PIT_MASK == 0:
        pit += BITS
    return row - (1 << pit) + (stones + 1 << pit - BITS)


def endgame_index(mine: int, rest: int) -> int:
    """Return the place of a position in the endgame table, or -1 if it has too many stones."""
    own, other = row_sum(mine), row_sum(rest)
    if own + other > ENDGAME_STONES:
        return -1
    if own <= other:
        place = row_rank(mine) * row_count(other) + row_rank(rest)
        return ENDGAME_BLOCKS[own * (ENDGAME_STONES + 1) + other] + 2 * place
    place = row_rank(rest) * row_count(own) + row_rank(mine)
    return ENDGAME_BLOCKS[other * (ENDGAME_STONES + 1) + own] + 2 * place + 1


def endgame_next(at: int, mine: int, rest: int) -> tuple[int, int]:
    """Return the position of the place `at + 1`, given that of `at`. The first place has the position without stones.

    If both rows have equally many stones, the odd places are spare and have the positions of even places.
    """
    if at & 1 == 0:
        return rest, mine
    if mine >> BITS:
        return rest, next_row(mine)
    if rest >> BITS:
        return next_row(rest), first_row(mine)
    if rest + 1 < mine:
        return first_row(rest + 1), first_row(mine - 1)
    return 0, first_row(mine + rest + 1)


def endgame_stones(pits: int, size: int) -> int:
    """Return the number of stones of the largest table with at most `size` places, of one byte each."""
    return max(s for s in range(1, MAX_ENDGAME_STONES + 1) if s == 1 or places(pits, s) <= size)


@lru_cache
def endgame_constants(pits: int, stones: int) -> dict[str, Constant]:
    """Return the constants of endgame_index() for a table of the positions with at most `stones` stones."""
    ways = [comb(s + m - 1, m) if m else 1 for m in range(pits) for s in range(stones + 2)]
    blocks, size = [0] * (stones + 1) ** 2, 0
    for total in range(stones + 1):
        for few in range(total // 2 + 1):
            blocks[few * (stones + 1) + total - few] = size
            size += 2 * rows(pits, few) * rows(pits, total - few)
    return {
        "ENDGAMES": size,
        "ENDGAME_STONES": stones,
        "ENDGAME_WAYS": tuple(ways),
        "ENDGAME_BLOCKS": tuple(blocks),
    }


def rows(pits: int, stones: int) -> int:
    return comb(stones + pits - 1, pits - 1)


def places(pits: int, stones: int) -> int:
    """Return the size of the table of the positions with at most this many stones."""
    spare = sum(rows(pits, half) ** 2 for half in range(stones // 2 + 1))
    return comb(stones + 2 * pits, 2 * pits) + spare
