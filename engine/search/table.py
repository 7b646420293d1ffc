"""The transposition table: buckets of entries of two words. Written in the same subset of Python as tree.py.

The words of an entry are `hash ^ data` and `data`. Threads share the table without locks. If two threads write one
entry at the same time, its words may come from different threads. They then give a hash that no position has, so the
entry is not found.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.search.primitives import load_word, store_word

INFINITY = 1 << 40
SOLID_DEPTH = 255  # the depth of a proved value, which holds at any depth
BUCKET_ENTRIES = 4  # four pairs of words fill one cache line

# The data word of an entry, never 0:   age 6 | effort 6 | depth 8 | move 8 | high 16 | low 16
BOUND_OFFSET = 1 << 15
NO_BOUND = BOUND_OFFSET - 1  # stored as the bound if there is none
NO_MOVE = 255


def bucket_mask(table: Sequence[int]) -> int:
    """Return the bits of a hash that are the number of its bucket."""
    return len(table) // (2 * BUCKET_ENTRIES) - 1


def pack(low: int, high: int, move: int, depth: int, effort: int, age: int) -> int:
    return (low + BOUND_OFFSET) | (high + BOUND_OFFSET) << 16 | move << 32 | depth << 40 | effort << 48 | age << 54


def lower_bound(data: int) -> int:
    """Return the lower bound in a data word."""
    low = (data & 65_535) - BOUND_OFFSET
    return -INFINITY if low == -NO_BOUND else low


def upper_bound(data: int) -> int:
    high = (data >> 16 & 65_535) - BOUND_OFFSET
    return INFINITY if high == NO_BOUND else high


def find_entry(table: list[int], slot: int, check: int) -> int:
    """Return the data of a position from its bucket, or 0."""
    for at in range(slot, slot + 2 * BUCKET_ENTRIES, 2):
        data = load_word(table, at + 1)
        if load_word(table, at) ^ data == check:
            return data
    return 0


def store_entry(
    table: list[int], slot: int, check: int, low: int, high: int, move: int, depth: int, effort: int, age: int
) -> None:
    """Store a result. Replaces the entry of the position, or the least valuable entry of the bucket."""
    worth, place = 1 << 20, slot
    for at in range(slot, slot + 2 * BUCKET_ENTRIES, 2):
        old = load_word(table, at + 1)
        if load_word(table, at) ^ old == check and old != 0:
            place = at
            if old >> 40 & 255 == depth:  # combine the bounds of two results of equal depth
                low, high = max(low, lower_bound(old)), min(high, upper_bound(old))
                if low > high:  # the estimate has changed
                    high = low
            break
        value = old >> 48 & 63
        if old >> 54 & 63 != age:
            value -= 64
        if old == 0:
            value = -128
        if value < worth:
            worth, place = value, at
    low, high = max(min(low, NO_BOUND - 1), -NO_BOUND), min(max(high, 1 - NO_BOUND), NO_BOUND)
    data = pack(low, high, move, depth, effort, age)
    store_word(table, place, check ^ data)
    store_word(table, place + 1, data)


def rehash(old: list[int], table: list[int], buckets: int, mask: int) -> None:
    """Copy the first `buckets` buckets of an old table, or of a part of it, to their places in a larger one.

    The larger table must be empty there, and no other thread may use it yet. A new bucket gets entries from one old
    bucket only, so each entry keeps its place within the bucket. Other threads may write the old table meanwhile. The
    words of an entry may then not belong together, and it is not found.
    """
    for at in range(0, 2 * BUCKET_ENTRIES * buckets, 2):
        word, data = load_word(old, at), load_word(old, at + 1)
        if data != 0:
            there = ((word ^ data) & mask) * (2 * BUCKET_ENTRIES) + at % (2 * BUCKET_ENTRIES)
            table[there], table[there + 1] = word, data
