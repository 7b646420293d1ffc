"""Walks over the bytes of a msgpack value, for what a decoder lets pass: keys that stand there twice, and deep nesting.

The value must be known to be well-formed. Formats: github.com/msgpack/msgpack/blob/master/spec.md
"""

from __future__ import annotations

FIXED = {  # first byte -> bytes behind it
    0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8,
    0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17,
}  # fmt: skip
SIZED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}  # -> bytes of the length
LISTS = {0xDC: 2, 0xDD: 4}
MAPS = {0xDE: 2, 0xDF: 4}


class DuplicateKey(ValueError):
    """A key stands twice in one map."""


class TooDeep(ValueError):
    """More maps and lists inside each other than any message has."""


def walk(data: bytes, depth: int, at: int = 0) -> int:
    """Check the value that begins at an offset, with at most `depth` levels of maps and lists; where it ends."""
    first = data[at]
    at += 1
    if first <= 0x7F or first >= 0xE0:  # a small int
        return at
    if 0xA0 <= first <= 0xBF:  # a short string
        return at + (first & 0x1F)
    if first in FIXED:
        return at + FIXED[first]
    if first in SIZED:
        start = at + SIZED[first]
        kind = 1 if 0xC7 <= first <= 0xC9 else 0  # an extension has a byte for its kind
        return start + int.from_bytes(data[at:start], "big") + kind
    if depth == 0:
        raise TooDeep
    if first <= 0x8F:
        return walk_map(data, depth - 1, at, first & 0x0F)
    if first <= 0x9F:
        return walk_list(data, depth - 1, at, first & 0x0F)
    size = MAPS.get(first) or LISTS[first]
    count = int.from_bytes(data[at : at + size], "big")
    return (walk_map if first in MAPS else walk_list)(data, depth - 1, at + size, count)


def walk_list(data: bytes, depth: int, at: int, count: int) -> int:
    for _ in range(count):
        at = walk(data, depth, at)
    return at


def walk_map(data: bytes, depth: int, at: int, count: int) -> int:
    seen: set[bytes] = set()
    for _ in range(count):
        end = walk(data, depth, at)
        key = data[at + head(data[at]) : end]  # without its head, since a length can be written in several ways
        if key in seen:
            raise DuplicateKey
        seen.add(key)
        at = walk(data, depth, end)
    return at


def head(first: int) -> int:
    """The bytes before the text of a string; 0 for anything else, whose bytes are compared whole."""
    if 0xA0 <= first <= 0xBF:
        return 1
    return 1 + SIZED[first] if 0xD9 <= first <= 0xDB else 0
