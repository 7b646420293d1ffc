"""Ids of rooms and players, and codes of private rooms: short, readable, random."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no two characters look alike
EPOCH_S = 1_735_689_600  # 2025-01-01
TIME_CHARS = 6  # of the id of a room
ROOM_ID_CHARS = 11


def new_room_id(now: int) -> str:
    """Return the id of a new room: six characters of time, so that rooms are stored in order, and five random ones."""
    return time_prefix(max(0, now // 1000 - EPOCH_S)) + random_id(ROOM_ID_CHARS - TIME_CHARS)


def new_player_id() -> str:
    return "p" + random_id(11)


def new_room_code() -> str:
    return random_id(10)


def random_id(count: int) -> str:
    """Return this many random characters."""
    bits = secrets.randbits(5 * count)
    return "".join([ALPHABET[bits >> shift & 31] for shift in range(0, 5 * count, 5)])


def first_room_id(year: int, month: int) -> str:
    """Return the text before which no room of this month sorts, and after which no room of an earlier month does."""
    at = datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1, tzinfo=UTC)
    return time_prefix(int(at.timestamp()) - EPOCH_S)


def month_of(room: str) -> str:
    """Return the month in which a room was created, such as 2026-11, or an empty text if its id has no time."""
    if len(room) != ROOM_ID_CHARS or not set(room) <= set(ALPHABET):
        return ""
    seconds = 0
    for character in room[:TIME_CHARS]:
        seconds = seconds << 5 | ALPHABET.index(character)
    return f"{datetime.fromtimestamp(EPOCH_S + seconds, UTC):%Y-%m}"


def time_prefix(seconds: int) -> str:
    """Return the characters of a time, in seconds since the epoch of ids."""
    return "".join([ALPHABET[seconds >> shift & 31] for shift in range(25, -1, -5)])
