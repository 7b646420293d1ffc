"""Ids: unique, readable, and in the order of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from server.ids import (
    ALPHABET,
    coming_months,
    first_room_id,
    home_worker,
    month_at,
    month_of,
    new_player_id,
    new_room_code,
    new_room_id,
    new_room_id_at,
    next_month,
)

NOW = 1_800_000_000_000


def test_ids_have_fixed_lengths_and_readable_characters() -> None:
    assert (len(new_room_id(NOW)), len(new_player_id()), len(new_room_code())) == (11, 12, 10)
    assert set(new_room_id(NOW) + new_player_id()[1:] + new_room_code()) <= set(ALPHABET)


def test_ids_are_unique() -> None:
    assert len({new_room_id(NOW) for _ in range(20)}) == 20  # 25 random bits for each
    assert len({new_player_id() for _ in range(1000)}) == 1000


def test_rooms_are_spread_over_the_workers_or_at_home_at_one() -> None:
    homes = [home_worker(new_room_id(NOW), 4) for _ in range(1000)]
    assert set(homes) == {0, 1, 2, 3}
    assert max(homes.count(worker) for worker in range(4)) < 400
    assert {home_worker(new_room_id_at(2, 4, NOW), 4) for _ in range(20)} == {2}
    assert home_worker(new_room_id(NOW), 1) == 0


def test_later_room_has_a_greater_id() -> None:
    ids = [new_room_id(NOW + seconds * 1000) for seconds in (0, 1, 40, 5000, 10**8)]
    assert ids == sorted(ids)


def test_id_of_a_room_tells_its_month() -> None:
    assert month_of(new_room_id(NOW)) == month_at(NOW) == "2027-01"
    assert month_of("zzz") == month_of("lobby-room!") == ""
    assert [next_month(month) for month in ("2026-01", "2026-11", "2026-12")] == ["2026-02", "2026-12", "2027-01"]
    assert coming_months(NOW) == ["2027-01", "2027-02", "2027-03"]


def test_room_is_between_the_borders_of_its_month() -> None:
    for month in ("2025-01", "2026-12", "2058-10"):
        first, until = first_room_id(month), first_room_id(next_month(month))
        begins = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
        ends = datetime.strptime(next_month(month), "%Y-%m").replace(tzinfo=UTC)
        for at in (begins, ends - timedelta(seconds=1)):
            assert first < new_room_id(int(at.timestamp() * 1000)) < until
        assert new_room_id(int(ends.timestamp() * 1000)) > until
