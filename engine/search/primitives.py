"""Operations on words for the search. engine/search/intrinsics.py has the same functions for compiled code."""

from __future__ import annotations

WORD_MASK, PIECE_MASK = (1 << 64) - 1, (1 << 62) - 1


def mix(a: int, b: int) -> int:
    """Return a 62-bit hash of two words: multiply by odd random constants and fold."""
    if (a | b) >> 63:  # wide words, which are never compiled: hash all pieces
        return mix(mix(a >> 62, b >> 62), mix(a & PIECE_MASK, b & PIECE_MASK))
    h = (a * 0x9E37_79B9_7F4A_7C15 & WORD_MASK) ^ (b * 0xC2B2_AE3D_27D4_EB4F + 0x1656_67B1_9E37_79F9 & WORD_MASK)
    h = (h ^ h >> 32) * 0xD6E8_FEB8_6659_FD93 & WORD_MASK
    h = (h ^ h >> 29) * 0xBF58_476D_1CE4_E5B9 & WORD_MASK
    return (h ^ h >> 32) >> 2


def load_word(array: list[int], at: int) -> int:
    """Return a word of an array that other threads may write at the same time."""
    return array[at]


def store_word(array: list[int], at: int, word: int) -> None:
    """Write a word of an array that other threads may read at the same time."""
    array[at] = word


def length(word: int) -> int:
    """Return the number of bits of a word without leading zeros."""
    return word.bit_length()
