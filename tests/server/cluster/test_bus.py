from __future__ import annotations

from typing import Any, cast

from server.cluster.bus import Bus, BusListener, LocalBus
from tests.server.domain.helpers import running


class RecordingListener:
    def __init__(self) -> None:
        self.announced: list[tuple[str, int]] = []

    def room_announced(self, room: str, seq: int) -> None:
        self.announced.append((room, seq))


def listen(bus: LocalBus) -> RecordingListener:
    listener = RecordingListener()
    bus.listen(cast(BusListener, listener))
    return listener


def test_single_node_publishes_nothing() -> None:
    bus = LocalBus()
    assert not bus.has_listeners
    listen(bus)
    assert not bus.has_listeners  # only the node itself


async def test_listeners_hear_the_newest_seq_of_a_room() -> None:
    bus = LocalBus()
    first, second = listen(bus), listen(bus)
    assert bus.has_listeners
    await bus.open()
    room = running()
    bus.publish(room, (), (), None)
    assert first.announced == second.announced == [("r1", room.seq)]
    await bus.close()
    bus.publish(room, (), (), None)
    assert len(first.announced) == 1


def test_local_bus_is_always_up_and_loses_nothing() -> None:
    bus: Bus = LocalBus()
    room: Any = running()
    bus.show(room)
    bus.advance({"r1": 3})
    bus.introduce(())
    bus.invite(room, "ann")
    assert (bus.up, bus.lost) == (True, 0)
