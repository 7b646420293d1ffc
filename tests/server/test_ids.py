"""Ids: unique, readable, and in the order of time."""

from __future__ import annotations

from server.ids import ALPHABET, new_player_id, new_room_code, new_room_id

NOW = 1_800_000_000_000


def test_ids_have_fixed_lengths_and_readable_characters() -> None:
    assert (len(new_room_id(NOW)), len(new_player_id()), len(new_room_code())) == (11, 12, 10)
    assert set(new_room_id(NOW) + new_player_id()[1:] + new_room_code()) <= set(ALPHABET)


def test_ids_are_unique() -> None:
    assert len({new_room_id(NOW) for _ in range(20)}) == 20  # 25 random bits for each
    assert len({new_player_id() for _ in range(1000)}) == 1000


def test_later_room_has_a_greater_id() -> None:
    ids = [new_room_id(NOW + seconds * 1000) for seconds in (0, 1, 40, 5000, 10**8)]
    assert ids == sorted(ids)
