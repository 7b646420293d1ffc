"""Ids of rooms and players, and codes of private rooms: short, readable, random."""

from __future__ import annotations

import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no two characters look alike
EPOCH_S = 1_735_689_600  # 2025-01-01


def new_room_id(now: int) -> str:
    """Return the id of a new room: six characters of time, so that rooms are stored in order, and five random ones."""
    seconds = max(0, now // 1000 - EPOCH_S)
    time = "".join([ALPHABET[seconds >> shift & 31] for shift in range(25, -1, -5)])
    return time + random_id(5)


def new_player_id() -> str:
    return "p" + random_id(11)


def new_room_code() -> str:
    return random_id(10)


def random_id(count: int) -> str:
    """Return this many random characters."""
    bits = secrets.randbits(5 * count)
    return "".join([ALPHABET[bits >> shift & 31] for shift in range(0, 5 * count, 5)])
