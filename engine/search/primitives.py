"""What the search asks of a machine word. engine/search/machine.py has the same in machine instructions."""

from __future__ import annotations

WORD, PIECE = (1 << 64) - 1, (1 << 62) - 1


def mix(a: int, b: int) -> int:
    """A hash of two words, 62 bits: multiply and fold, with odd constants whose bits look random."""
    if (a | b) >> 63:  # wide options, which are never compiled: piece by piece, or higher bits would be lost
        return mix(mix(a >> 62, b >> 62), mix(a & PIECE, b & PIECE))
    h = (a * 0x9E37_79B9_7F4A_7C15 & WORD) ^ (b * 0xC2B2_AE3D_27D4_EB4F + 0x1656_67B1_9E37_79F9 & WORD)
    h = (h ^ h >> 32) * 0xD6E8_FEB8_6659_FD93 & WORD
    h = (h ^ h >> 29) * 0xBF58_476D_1CE4_E5B9 & WORD
    return (h ^ h >> 32) >> 2


def length(word: int) -> int:
    """How many bits a word has up to its highest one."""
    return word.bit_length()
