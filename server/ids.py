"""Names of rooms and players, and codes of private rooms: short, readable, drawn at random."""

from __future__ import annotations

import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: nothing that looks like something else
EPOCH = 1_735_689_600  # 2025-01-01


def new_room_id(now: int) -> str:
    """Six characters of time, so that rooms of one evening lie side by side in the store, and five of chance."""
    seconds = max(0, now // 1000 - EPOCH)
    time = "".join([ALPHABET[seconds >> shift & 31] for shift in range(25, -1, -5)])
    return time + random_id(5)


def new_player_id() -> str:
    return "p" + random_id(11)


def new_room_code() -> str:
    return random_id(10)


def random_id(count: int) -> str:
    bits = secrets.randbits(5 * count)
    return "".join([ALPHABET[bits >> shift & 31] for shift in range(0, 5 * count, 5)])
