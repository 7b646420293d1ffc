"""Of which games a node tells how far they are, to its lobby and to other nodes, and of how many at a time."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from protocol.commands import Resign
from server.app import App
from server.cluster.bus import LocalBus
from server.config import Settings
from server.domain import snapshots
from server.domain.room import Room
from server.lobby import progress
from server.metrics import Metrics
from server.rooms.live_room import LiveRoom
from tests.server.domain.helpers import ANN, do, play, running
from tests.server.stage import Stage, Visitor


class Told(LocalBus):
    """What other nodes are told."""

    def __init__(self) -> None:
        super().__init__()
        self.plies: list[dict[str, int]] = []

    def advance(self, plies: dict[str, int]) -> None:
        self.plies.append(plies)


class Node:
    """A app among others."""

    def __init__(self) -> None:
        self.bus = Told()
        self.app = App(Settings(), Stage(), self.bus, Metrics())

    def attend(self, name: str, room: Room) -> None:
        live = self.app.registry.rooms[name] = LiveRoom(room, [])
        live.attach(Visitor(ANN))

    def look(self) -> dict[str, int]:
        """What is told now."""
        self.app.progress.report()
        return self.bus.plies.pop() if self.bus.plies else {}


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(progress, "REPORT_INTERVAL_S", 0.0)
    return Node()


def after(*texts: str, delay: int = 0) -> Room:
    return play(running("cohcoh", delay=delay), *texts)


async def test_nothing_is_told_of_a_game_that_nobody_attends_here(node: Node) -> None:
    """It may have gone on at another node."""
    node.attend("r1", after("a1", "b1"))
    node.app.registry.rooms["r2"] = LiveRoom(after("a1"), [])
    assert node.look() == {"r1": 2}
    assert node.look() == {}


async def test_a_game_with_a_delay_is_told_late(node: Node) -> None:
    node.attend("r1", after("a1", "b1", delay=2))
    assert node.look() == {}
    node.app.registry.rooms["r1"].room = play(node.app.registry.rooms["r1"].room, "c1")
    assert node.look() == {"r1": 1}


async def test_where_many_games_go_on_they_take_turns(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "MAX_GAMES_PER_REPORT", 2)
    names = {"r1", "r2", "r3", "r4", "r5"}
    texts = ["a1", "b1", "c1", "d1", "a2", "b2"]
    for name in names:
        node.attend(name, after())
    told = []
    for ply in range(1, len(texts) + 1):
        for name in names:  # all of them go on, all the time
            node.app.registry.rooms[name].room = after(*texts[:ply])
        told.append(node.look())
        assert set(told[-1].values()) == {ply}
    assert [len(plies) for plies in told] == [2, 2, 1, 2, 2, 1]
    assert set().union(*told[:3]) == set().union(*told[3:]) == names


async def test_a_room_that_is_gone_is_forgotten(node: Node) -> None:
    node.attend("r1", after("a1"))
    assert node.look() == {"r1": 1}
    live = node.app.registry.rooms.pop("r1")
    assert node.look() == {}
    node.app.registry.rooms["r1"] = live
    assert node.look() == {"r1": 1}


async def test_what_is_heard_of_other_nodes_is_filled_in_and_has_a_bound(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "MAX_REMOTE_GAMES", 2)

    def shown(name: str, room: Room) -> int:
        return node.app.progress.fill_in(replace(snapshots.room_info(room), room=name)).ply

    begun = after("a1")
    node.app.progress.hear({"r1": 3, "r2": 3})
    node.app.progress.hear({"r1": 5, "r3": 4})
    assert [shown(name, begun) for name in ("r1", "r2", "r3")] == [5, 1, 4]
    node.app.progress.hear({"r1": 2})  # moves were taken back
    assert [shown("r1", room) for room in (begun, after("a1", "b1", "c1"))] == [2, 3]  # the index may know it better
    assert shown("r1", do(begun, ANN, Resign).room) == 1
