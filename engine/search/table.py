"""The transposition table: buckets of (hash, data) entries. Written in the same subset of Python as tree.py."""

from __future__ import annotations

INFINITY = 1 << 40
SOLID_DEPTH = 255  # the depth of a proved value, which holds at any depth
BUCKET_ENTRIES = 4  # four pairs of words fill one cache line

# The data word of an entry:   age 6 | effort 6 | depth 8 | move 8 | high 16 | low 16
BOUND_OFFSET = 1 << 15
NO_BOUND = BOUND_OFFSET - 1  # stored as the bound if there is none
NO_MOVE = 255


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
    """Return the index of a position in its bucket, or -1."""
    for i in range(BUCKET_ENTRIES):
        if table[slot + 2 * i] == check:
            return slot + 2 * i
    return -1


def store_entry(
    table: list[int], slot: int, check: int, low: int, high: int, move: int, depth: int, effort: int, age: int
) -> None:
    """Store a result. Replaces the entry of the position, or the least valuable entry of the bucket."""
    at = find_entry(table, slot, check)
    if at >= 0:
        old = table[at + 1]
        if old >> 40 & 255 == depth:  # combine the bounds of two results of equal depth
            low, high = max(low, lower_bound(old)), min(high, upper_bound(old))
            if low > high:  # the estimate has changed
                high = low
    else:
        worth = 1 << 20
        at = slot
        for i in range(BUCKET_ENTRIES):
            data = table[slot + 2 * i + 1]
            value = data >> 48 & 63
            if data >> 54 & 63 != age:
                value -= 64
            if data == 0:
                value = -128
            if value < worth:
                worth, at = value, slot + 2 * i
    low, high = max(min(low, NO_BOUND - 1), -NO_BOUND), min(max(high, 1 - NO_BOUND), NO_BOUND)
    table[at] = check
    table[at + 1] = pack(low, high, move, depth, effort, age)


def rehash(table: list[int], buckets: int, mask: int) -> None:
    """Move the entries of the first `buckets` buckets to their places in a larger table.

    A new bucket gets entries from one old bucket only, so each entry keeps its place within the bucket.
    """
    for bucket in range(buckets):
        for at in range(2 * BUCKET_ENTRIES * bucket, 2 * BUCKET_ENTRIES * (bucket + 1), 2):
            check = table[at]
            there = at + ((check & mask) - bucket) * (2 * BUCKET_ENTRIES)
            if there != at and table[at + 1] != 0:
                table[there], table[there + 1] = check, table[at + 1]
                table[at], table[at + 1] = 0, 0
