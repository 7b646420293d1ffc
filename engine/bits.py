"""Bit operations on ints. engine/search/intrinsics.py has the same operations as machine instructions."""

from __future__ import annotations


def ones(word: int) -> int:
    """Return the number of set bits."""
    return word.bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit. The word must not be zero."""
    return (word & -word).bit_length() - 1
