"""The table of a search: what it has found, in buckets of pairs of words. Written and compiled like tree.py."""

from __future__ import annotations

INFINITY = 1 << 40
SOLID_DEPTH = 255  # the depth of a value that holds at any depth
WAYS = 4  # entries of a bucket: four pairs of words, one line of a processor's cache

# The data word of an entry:   age 6 | effort 6 | depth 8 | move 8 | high 16 | low 16
OFFSET = 1 << 15
UNKNOWN = OFFSET - 1  # a bound as wide as this says nothing
NO_MOVE = 255


def pack(low: int, high: int, move: int, depth: int, effort: int, age: int) -> int:
    return (low + OFFSET) | (high + OFFSET) << 16 | move << 32 | depth << 40 | effort << 48 | age << 54


def lower(data: int) -> int:
    """The lower bound in a data word."""
    low = (data & 65_535) - OFFSET
    return -INFINITY if low == -UNKNOWN else low


def upper(data: int) -> int:
    high = (data >> 16 & 65_535) - OFFSET
    return INFINITY if high == UNKNOWN else high


def find(table: list[int], slot: int, check: int) -> int:
    """Where in its bucket a position stands, or -1."""
    for i in range(WAYS):
        if table[slot + 2 * i] == check:
            return slot + 2 * i
    return -1


def remember(
    table: list[int], slot: int, check: int, low: int, high: int, move: int, depth: int, effort: int, age: int
) -> None:
    """Keep a result, in place of what is known of the position, or of the least worthy entry of the bucket."""
    at = find(table, slot, check)
    if at >= 0:
        old = table[at + 1]
        if old >> 40 & 255 == depth:  # two results of one depth narrow each other
            low, high = max(low, lower(old)), min(high, upper(old))
            if low > high:  # an estimate that has changed since
                high = low
    else:
        worth = 1 << 20
        at = slot
        for i in range(WAYS):
            data = table[slot + 2 * i + 1]
            value = data >> 48 & 63
            if data >> 54 & 63 != age:
                value -= 64
            if data == 0:
                value = -128
            if value < worth:
                worth, at = value, slot + 2 * i
    low, high = max(min(low, UNKNOWN - 1), -UNKNOWN), min(max(high, 1 - UNKNOWN), UNKNOWN)
    table[at] = check
    table[at + 1] = pack(low, high, move, depth, effort, age)


def spread(table: list[int], buckets: int, mask: int) -> None:
    """Move the entries of a table to where they belong now that there are more buckets than these.

    A bucket's entries go to buckets that get entries from no other one, so each keeps its place within the bucket.
    """
    for bucket in range(buckets):
        for at in range(2 * WAYS * bucket, 2 * WAYS * (bucket + 1), 2):
            check = table[at]
            there = at + ((check & mask) - bucket) * (2 * WAYS)
            if there != at and table[at + 1] != 0:
                table[there], table[there + 1] = check, table[at + 1]
                table[at], table[at + 1] = 0, 0
