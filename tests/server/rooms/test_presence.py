from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from protocol.types import Player
from runtime.tasks import BackgroundTasks
from server.rooms.presence import PresenceTracker
from server.storage.interface import Store, Unavailable
from tests.server.domain.helpers import ANN, BEN
from tests.server.fakes import RecordingClient

OTHER_ANN = Player(id="p-other", name="Ann")


class PresenceStore:
    """A store that keeps the connected players in memory, and fails on demand."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.error: Unavailable | None = None
        self.during_absent: Callable[[], None] = lambda: None  # called while a name is being freed

    async def mark_present(self, node: str, people: list[tuple[str, str]]) -> None:
        self.calls.append(("present", node, *people))

    async def mark_absent(self, node: str, player: str, name: str) -> None:
        if self.error is not None:
            raise self.error
        self.calls.append(("absent", node, player, name))
        self.during_absent()


class Setup:
    def __init__(self) -> None:
        self.store, self.tasks = PresenceStore(), BackgroundTasks()
        self.tracker = PresenceTracker(cast(Store, self.store), "n1", self.tasks)

    def connect(self, player: Player) -> RecordingClient:
        client = RecordingClient(player)
        self.tracker.add(client)
        return client

    async def disconnect(self, client: RecordingClient) -> None:
        self.tracker.remove(client)
        await self.settle()

    async def settle(self) -> None:
        await asyncio.gather(*self.tasks)


@pytest.fixture
async def setup() -> Setup:
    return Setup()


async def test_clients_are_found_by_name_in_any_case(setup: Setup) -> None:
    first, second = setup.connect(ANN), setup.connect(ANN)
    setup.connect(BEN)
    assert setup.tracker.named("ANN") == [first, second]
    assert setup.tracker.is_here("Ann")
    assert not setup.tracker.is_here("eve")
    assert setup.tracker.named("eve") == []


async def test_name_is_freed_when_its_last_client_leaves(setup: Setup) -> None:
    first, second = setup.connect(ANN), setup.connect(ANN)
    await setup.disconnect(first)
    assert setup.store.calls == []
    await setup.disconnect(second)
    assert setup.store.calls == [("absent", "n1", ANN.id, "ann")]
    assert not setup.tracker.is_here("ann")


async def test_another_player_with_the_name_does_not_keep_it_for_the_first(setup: Setup) -> None:
    first, _ = setup.connect(ANN), setup.connect(OTHER_ANN)
    await setup.disconnect(first)
    assert setup.store.calls == [("absent", "n1", ANN.id, "ann")]
    assert setup.tracker.is_here("ann")


async def test_name_of_an_expected_player_is_kept(setup: Setup) -> None:
    client = setup.connect(ANN)
    setup.tracker.expect(ANN)
    await setup.disconnect(client)
    assert setup.store.calls == []
    setup.tracker.stop_expecting(ANN)
    setup.tracker.release(ANN)
    await setup.settle()
    assert setup.store.calls == [("absent", "n1", ANN.id, "ann")]


async def test_player_expected_twice_is_kept_until_both_are_done(setup: Setup) -> None:
    setup.tracker.expect(ANN)
    setup.tracker.expect(ANN)
    setup.tracker.stop_expecting(ANN)
    setup.tracker.release(ANN)
    await setup.settle()
    assert setup.store.calls == []


async def test_name_is_freed_later_if_the_store_fails(setup: Setup) -> None:
    client = setup.connect(ANN)
    setup.store.error = Unavailable("no connection")
    await setup.disconnect(client)
    assert setup.store.calls == []
    setup.store.error = None
    await setup.tracker.free_names()
    await setup.tracker.free_names()
    assert setup.store.calls == [("absent", "n1", ANN.id, "ann")]


async def test_player_who_returns_while_the_name_is_freed_is_present_again(setup: Setup) -> None:
    client = setup.connect(ANN)
    setup.store.during_absent = lambda: setup.tracker.add(RecordingClient(ANN))
    await setup.disconnect(client)
    assert setup.store.calls == [("absent", "n1", ANN.id, "ann"), ("present", "n1", (ANN.id, "ann"))]


async def test_report_lists_every_player_once(setup: Setup) -> None:
    for player in (BEN, ANN, ANN):
        setup.connect(player)
    await setup.tracker.report()
    assert setup.store.calls == [("present", "n1", (ANN.id, "ann"), (BEN.id, "ben"))]


async def test_every_arrival_costs_the_same_however_many_are_under_way(setup: Setup) -> None:
    crowd = [Player(id=f"p{number}", name=f"guest{number}") for number in range(1000)]
    for player in crowd:
        setup.tracker.expect(player)
    arriving = setup.tracker._arriving
    for player in crowd:
        setup.tracker.stop_expecting(player)
    assert setup.tracker._arriving is arriving  # changed in place, not copied for each player
    assert not arriving
