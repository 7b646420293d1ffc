"""Checks of a msgpack value that the decoder does not make: duplicate keys and deep nesting.

The value must be well-formed. The formats: https://github.com/msgpack/msgpack/blob/master/spec.md
"""

from __future__ import annotations

FIXED_SIZES = {  # first byte -> bytes that follow
    0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8,
    0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17,
}  # fmt: skip
LENGTH_SIZES = {  # first byte -> bytes of the length
    0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4,
}  # fmt: skip
LIST_SIZES = {0xDC: 2, 0xDD: 4}
MAP_SIZES = {0xDE: 2, 0xDF: 4}


class DuplicateKey(ValueError):
    """A map has the same key twice."""


class TooDeep(ValueError):
    """Maps and lists are nested deeper than in any message."""


def check(data: bytes, depth: int, at: int = 0) -> int:
    """Check the value at an offset. Return the offset of its end.

    Raises DuplicateKey, or TooDeep if there are more than `depth` levels of maps and lists.
    """
    first = data[at]
    at += 1
    if first <= 0x7F or first >= 0xE0:  # a small int
        return at
    if 0xA0 <= first <= 0xBF:  # a short string
        return at + (first & 0x1F)
    if first in FIXED_SIZES:
        return at + FIXED_SIZES[first]
    if first in LENGTH_SIZES:
        start = at + LENGTH_SIZES[first]
        kind = 1 if 0xC7 <= first <= 0xC9 else 0  # an extension also has a byte for its type
        return start + int.from_bytes(data[at:start], "big") + kind
    if depth == 0:
        raise TooDeep
    if first <= 0x8F:
        return check_map(data, depth - 1, at, first & 0x0F)
    if first <= 0x9F:
        return check_list(data, depth - 1, at, first & 0x0F)
    size = MAP_SIZES.get(first) or LIST_SIZES[first]
    count = int.from_bytes(data[at : at + size], "big")
    return (check_map if first in MAP_SIZES else check_list)(data, depth - 1, at + size, count)


def check_list(data: bytes, depth: int, at: int, count: int) -> int:
    for _ in range(count):
        at = check(data, depth, at)
    return at


def check_map(data: bytes, depth: int, at: int, count: int) -> int:
    seen: set[bytes] = set()
    for _ in range(count):
        end = check(data, depth, at)
        key = data[
            at + header_size(data[at]) : end
        ]  # without its header: the same length can be encoded in several ways
        if key in seen:
            raise DuplicateKey
        seen.add(key)
        at = check(data, depth, end)
    return at


def header_size(first: int) -> int:
    """Return the number of bytes before the text of a string, 0 for other values."""
    if 0xA0 <= first <= 0xBF:
        return 1
    return 1 + LENGTH_SIZES[first] if 0xD9 <= first <= 0xDB else 0
