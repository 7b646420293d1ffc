from __future__ import annotations

import pytest
from msgspec.structs import replace

from protocol.commands import Resign
from server.app import App
from server.config import Settings
from server.domain import snapshots
from server.domain.room import Room
from server.lobby import progress
from server.metrics import Metrics
from server.rooms.live_room import LiveRoom
from tests.server.domain.helpers import ANN, EVE, do, play, running
from tests.server.fakes import ManualBus, RecordingClient, SteppedStore


class Node:
    """One of several nodes."""

    def __init__(self) -> None:
        self.bus = ManualBus()
        self.app = App(Settings(), SteppedStore(), self.bus, Metrics())

    def attend(self, name: str, room: Room) -> None:
        live = self.app.registry.rooms[name] = LiveRoom(room, [])
        live.attach(RecordingClient(ANN))

    def report(self) -> dict[str, int]:
        """Return the plies that are reported now."""
        self.app.progress.report()
        return self.bus.plies.pop() if self.bus.plies else {}


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(progress, "REPORT_INTERVAL_S", 0.0)
    return Node()


def after(*texts: str, delay: int = 0) -> Room:
    return play(running("cohcoh", delay=delay), *texts)


async def test_game_without_clients_here_is_not_reported(node: Node) -> None:
    """The room may have gone on at another node."""
    node.attend("r1", after("a1", "b1"))
    node.app.registry.rooms["r2"] = LiveRoom(after("a1"), [])
    assert node.report() == {"r1": 2}
    assert node.report() == {}


async def test_delayed_game_is_reported_late(node: Node) -> None:
    node.attend("r1", after("a1", "b1", delay=2))
    assert node.report() == {}
    node.app.registry.rooms["r1"].room = play(node.app.registry.rooms["r1"].room, "c1")
    assert node.report() == {"r1": 1}


async def test_many_games_take_turns(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "MAX_GAMES_PER_REPORT", 2)
    names = {"r1", "r2", "r3", "r4", "r5"}
    texts = ["a1", "b1", "c1", "d1", "a2", "b2"]
    for name in names:
        node.attend(name, after())
    reports = []
    for ply in range(1, len(texts) + 1):
        for name in names:  # every game goes on all the time
            node.app.registry.rooms[name].room = after(*texts[:ply])
        reports.append(node.report())
        assert set(reports[-1].values()) == {ply}
    assert [len(plies) for plies in reports] == [2, 2, 1, 2, 2, 1]
    assert set().union(*reports[:3]) == set().union(*reports[3:]) == names


async def test_lobby_here_gets_the_report_too(node: Node) -> None:
    client = RecordingClient(EVE)
    node.app.feed.enter(client)
    node.attend("r1", after("a1"))
    node.report()
    node.app.feed.flush()
    assert [update.plies for update in client.lobby] == [{"r1": 1}]


async def test_private_and_ended_games_are_not_reported(node: Node) -> None:
    node.attend("r1", play(running("cohcoh", private=True, code="x"), "a1"))
    node.attend("r2", do(after("a1"), ANN, Resign).room)
    assert node.report() == {}


async def test_reports_keep_their_interval(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "REPORT_INTERVAL_S", 3600.0)
    node.attend("r1", after("a1"))
    assert node.report() == {"r1": 1}
    node.app.registry.rooms["r1"].room = after("a1", "b1")
    assert node.report() == {}


async def test_evicted_room_is_forgotten(node: Node) -> None:
    node.attend("r1", after("a1"))
    assert node.report() == {"r1": 1}
    live = node.app.registry.rooms.pop("r1")
    assert node.report() == {}
    node.app.registry.rooms["r1"] = live
    assert node.report() == {"r1": 1}


async def test_reports_of_other_nodes_are_filled_in_up_to_a_limit(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "MAX_REMOTE_GAMES", 2)

    def ply_of(name: str, room: Room) -> int:
        return node.app.progress.fill_in(replace(snapshots.room_info(room), room=name)).ply

    begun = after("a1")
    node.app.progress.receive({"r1": 3, "r2": 3})
    node.app.progress.receive({"r1": 5, "r3": 4})
    assert [ply_of(name, begun) for name in ("r1", "r2", "r3")] == [5, 1, 4]
    node.app.progress.receive({"r1": 2})  # moves were taken back
    assert [ply_of("r1", room) for room in (begun, after("a1", "b1", "c1"))] == [2, 3]  # the index may be newer
    assert ply_of("r1", do(begun, ANN, Resign).room) == 1
