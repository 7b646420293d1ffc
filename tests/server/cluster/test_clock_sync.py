"""StoreClock: it uses the best round trip and does not go back."""

from __future__ import annotations

import logging

import pytest

from server.cluster.clock_sync import StoreClock
from server.storage.sqlite.store import SqliteStore


class ClockedStore(SqliteStore):
    """A store whose clock is ahead of the local one, with given round-trip times."""

    def __init__(self, world: list[int], ahead: int, trips: list[int]) -> None:
        super().__init__(":memory:")
        self.world, self.ahead, self.trips = world, ahead, trips

    async def time(self) -> int:
        trip = self.trips.pop(0)
        self.world[0] += trip - trip // 4
        at = self.world[0] + self.ahead
        self.world[0] += trip // 4
        return at


async def test_shortest_round_trip_is_used(caplog: pytest.LogCaptureFixture) -> None:
    world = [1_000_000_000]
    clock = StoreClock(lambda: world[0])
    with caplog.at_level(logging.INFO, "parlour"):
        await clock.sync(ClockedStore(world, 5000, [400, 40, 4, 80, 200]))
    assert abs(clock.skew + 5000) <= 2
    assert abs(clock() - (world[0] + 5000)) <= 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]


async def test_imprecise_measurement_is_ignored() -> None:
    world = [1_000_000_000]
    clock = StoreClock(lambda: world[0])
    await clock.sync(ClockedStore(world, 100, [2] * 5))
    good = clock.skew
    await clock.sync(ClockedStore(world, 100, [800] * 5))
    assert clock.skew == good


async def test_clock_stands_still_instead_of_going_back_a_little() -> None:
    world = [1_000_000_000]
    clock = StoreClock(lambda: world[0])
    await clock.sync(ClockedStore(world, 1000, [0] * 5))
    before = clock()
    await clock.sync(ClockedStore(world, 0, [0] * 5))
    assert clock() == before
    world[0] += 1500
    assert clock() == world[0] > before
    await clock.sync(ClockedStore(world, -3_600_000, [0] * 5))  # the database's clock was set back
    assert clock() == world[0] - 3_600_000


async def test_store_without_a_clock_changes_nothing() -> None:
    clock = StoreClock(lambda: 77)
    store = SqliteStore(":memory:")
    await clock.sync(store)
    assert (clock(), clock.skew) == (77, 0)
    await store.close()
