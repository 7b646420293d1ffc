from __future__ import annotations

import random

from client.sdk.room_cache import RoomCache
from tests.client.sdk.room_log import RoomLog, busy_log


def test_gaps_and_duplicates_are_detected() -> None:
    log = busy_log(2)
    rooms = RoomCache()
    assert rooms.apply_snapshot(log.snapshot(5), 0.0)
    six, seven, eight = log.events[6:9]
    assert not rooms.apply_event(log.events[4], 0.0), "older than the snapshot"
    assert rooms.apply_event(six, 0.0)
    assert not rooms.apply_event(six, 0.0), "a duplicate"
    assert not rooms.apply_event(eight, 0.0), "one is missing"
    assert rooms.missing == {"r": rooms["r"].seq}
    assert rooms.apply_event(seven, 0.0)
    assert rooms.missing == {}
    assert rooms.apply_event(eight, 0.0)
    assert not rooms.apply_snapshot(log.snapshot(3), 0.0), "older than the view"
    assert rooms.desyncs == 0


def test_event_of_an_unknown_room_needs_a_snapshot() -> None:
    rooms = RoomCache()
    assert not rooms.apply_event(busy_log(1).events[5], 0.0)
    assert rooms.missing == {"r": 0}


def test_contradictory_event_needs_a_snapshot() -> None:
    log = RoomLog()
    log.move(random.Random(1))
    rooms = RoomCache()
    rooms.apply_snapshot(log.snapshot(-2), 0.0)
    assert not rooms.apply_event(log.wrong_position(), 0.0)
    assert (rooms.missing, rooms.desyncs) == ({"r": 0}, 1)
    assert rooms.apply_snapshot(log.snapshot(-1), 0.0)
    assert rooms.missing == {}


def test_snapshot_replaces_a_wrong_view() -> None:
    log = RoomLog()
    log.move(random.Random(1))
    rooms = RoomCache()
    rooms.apply_snapshot(log.snapshot(-2), 0.0)
    game = rooms["r"].game
    assert game is not None
    rooms["r"].states[0] = game.after(game.start(), game.moves(game.start())[0])
    assert rooms.apply_snapshot(log.snapshot(-1), 0.0)
    assert rooms.desyncs == 1
    assert rooms["r"].states[0] == game.start()


def test_only_unfinished_rooms_are_returned() -> None:
    rooms, log = RoomCache(), busy_log(1)
    rooms.apply_snapshot(log.snapshot(5), 0.0)
    assert [view.room for view in rooms.unfinished()] == ["r"]
    rooms.apply_snapshot(log.snapshot(-1), 0.0)
    assert rooms.unfinished() == []
