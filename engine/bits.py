"""The two questions about bits that every game asks. engine/search has machine instructions for them."""

from __future__ import annotations


def ones(word: int) -> int:
    """How many bits are set."""
    return word.bit_count()


def lowest(word: int) -> int:
    """The index of the lowest set bit of a word that is not zero."""
    return (word & -word).bit_length() - 1
