from __future__ import annotations

import pytest

from protocol.commands import Resign
from server.domain import snapshots
from server.lobby.watcher_counts import WatcherCounts
from server.rooms.live_room import LiveRoom
from tests.server.domain.helpers import ANN, EVE, do, running
from tests.server.fakes import RecordingClient


@pytest.fixture
def rooms() -> dict[str, LiveRoom]:
    return {"r1": LiveRoom(running(), [])}


def watch(live: LiveRoom, count: int) -> None:
    for _ in range(count):
        live.attach(RecordingClient(EVE))


def test_watchers_here_are_those_of_public_open_rooms(rooms: dict[str, LiveRoom]) -> None:
    counts = WatcherCounts(rooms)
    assert counts.here() == {}
    rooms["private"] = LiveRoom(running(private=True, code="x"), [])
    rooms["ended"] = LiveRoom(do(running(), ANN, Resign).room, [])
    for live in rooms.values():
        watch(live, 2)
    rooms["r1"].attach(RecordingClient(ANN))  # a player is not a watcher
    assert counts.here() == {"r1": 2}


def test_watchers_at_other_nodes_are_added(rooms: dict[str, LiveRoom]) -> None:
    counts = WatcherCounts(rooms)
    watch(rooms["r1"], 1)
    counts.report("n2", {"r1": 3})
    counts.report("n3", {"r1": 10, "r2": 1})
    assert counts.info(rooms["r1"].room).watchers == 14
    counts.report("n2", {"r1": 1})  # replaces the earlier report
    assert counts.info(rooms["r1"].room).watchers == 12
    counts.report("n3", {})  # the node is gone
    assert counts.info(rooms["r1"].room).watchers == 2


def test_report_returns_the_rooms_whose_number_changed(rooms: dict[str, LiveRoom]) -> None:
    counts = WatcherCounts(rooms)
    assert counts.report("n2", {"r1": 3, "r2": 1}) == {"r1", "r2"}
    assert counts.report("n2", {"r1": 3, "r2": 2}) == {"r2"}
    assert counts.report("n2", {"r1": 3}) == {"r2"}
    assert counts.report("n2", {}) == {"r1"}


def test_line_from_the_index_gets_the_current_number(rooms: dict[str, LiveRoom]) -> None:
    counts = WatcherCounts(rooms)
    info = snapshots.room_info(rooms["r1"].room)
    assert counts.fill_in(info) is info
    counts.report("n2", {"r1": 3})
    assert counts.fill_in(info).watchers == 3
