"""Ids of rooms and players, and codes of private rooms: short, readable, random."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from zlib import crc32

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no two characters look alike
EPOCH_S = 1_735_689_600  # 2025-01-01
TIME_CHARS = 6  # of the id of a room
ROOM_ID_CHARS = 11
FIRST_MONTH = "2025-01"
MONTHS_AHEAD = 2  # for which the log is prepared


def new_room_id(now: int) -> str:
    """Return the id of a new room: six characters of time, so that rooms are stored in order, and five random ones."""
    return time_prefix(max(0, now // 1000 - EPOCH_S)) + random_id(ROOM_ID_CHARS - TIME_CHARS)


def home_worker(room: str, workers: int) -> int:
    """Return the worker at which the players of a room should meet. All workers compute the same."""
    return crc32(room.encode()) % workers


def new_room_id_at(worker: int, workers: int, now: int) -> str:
    """Return the id of a new room whose home is this worker."""
    while True:
        room = new_room_id(now)
        if home_worker(room, workers) == worker:
            return room


def new_player_id() -> str:
    return "p" + random_id(11)


def new_room_code() -> str:
    return random_id(10)


def random_id(count: int) -> str:
    """Return this many random characters."""
    bits = secrets.randbits(5 * count)
    return "".join([ALPHABET[bits >> shift & 31] for shift in range(0, 5 * count, 5)])


def month_at(now: int) -> str:
    """Return the month of a time, such as 2026-11."""
    return f"{datetime.fromtimestamp(now / 1000, UTC):%Y-%m}"


def next_month(month: str) -> str:
    year, number = map(int, month.split("-"))
    return f"{year + number // 12}-{number % 12 + 1:02}"


def coming_months(now: int) -> list[str]:
    """Return this month and those for which the log is prepared already."""
    months = [month_at(now)]
    while len(months) <= MONTHS_AHEAD:
        months.append(next_month(months[-1]))
    return months


def first_room_id(month: str) -> str:
    """Return a text that sorts before all rooms of this month, and after all of earlier ones."""
    at = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    return time_prefix(int(at.timestamp()) - EPOCH_S)


def month_of(room: str) -> str:
    """Return the month in which a room was created, such as 2026-11, or an empty text if its id has no time."""
    if len(room) != ROOM_ID_CHARS or not set(room) <= set(ALPHABET):
        return ""
    seconds = 0
    for character in room[:TIME_CHARS]:
        seconds = seconds << 5 | ALPHABET.index(character)
    return month_at((EPOCH_S + seconds) * 1000)


def time_prefix(seconds: int) -> str:
    """Return the characters of a time, in seconds since the epoch of ids."""
    return "".join([ALPHABET[seconds >> shift & 31] for shift in range(25, -1, -5)])
