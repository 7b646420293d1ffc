"""What a node sends when the broker does not keep up: the latest of each room, and nothing is dropped."""

from __future__ import annotations

from copy import copy
from typing import Any

import msgspec
import pytest

from protocol.codec import JSON
from protocol.events import Moved
from server.cluster.mqtt import peers, public_topics
from server.cluster.mqtt.peers import Peers
from server.cluster.mqtt.public_topics import PublicTopics
from server.cluster.mqtt.signing import Refused, Signer
from server.cluster.mqtt.url import Topics
from server.config import Settings
from server.domain.room import Room
from tests.server.domain.helpers import NOW, play, running
from tests.waiting import until


class FakeLink:
    """A broker that can be too slow."""

    def __init__(self) -> None:
        self.up = True
        self.overloaded = False
        self.sent: list[tuple[str, bytes]] = []

    def send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        self.sent.append((topic, payload))

    def subscribe(self, topics: Any) -> None: ...
    def unsubscribe(self, topics: Any) -> None: ...


class FakeListener:
    """A node that has every room loaded, at seq 1."""

    def now(self) -> int:
        return NOW

    def room_loaded(self, room: str) -> int:
        return 1


def named(name: str, *moves: str) -> Room:
    """Return a room with this name, after moves."""
    room = copy(play(running("cohcoh"), *moves))
    room.setup = msgspec.structs.replace(room.setup, room=name)
    return room


def moved(room: Room) -> Moved:
    return Moved(room=room.id, seq=room.seq, at=NOW, ply=1, side=0, move="a1", position="", turn=1, took=0, charged=0)


async def ended_rooms() -> list[str]:
    return []


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> FakeLink:
    monkeypatch.setattr(peers, "OVERLOAD_RETRY_S", 0.001)
    monkeypatch.setattr(public_topics, "STATE_TICK_S", 0.001)
    return FakeLink()


def followed(link: FakeLink) -> tuple[Peers, Signer]:
    """Return the peers of node a, of which b follows every room."""
    topics, listener, other = Topics("p"), FakeListener(), Signer(b"k", "b", lambda: NOW)
    nodes = Peers("a", topics, link, Signer(b"k", "a", lambda: NOW), listener, lambda node: False)  # type: ignore[arg-type]
    bucket = topics.bucket("r1")
    nodes.received(bucket, other.sign(bucket, [("follow", "r1", 1)]))
    return nodes, other


async def test_only_the_latest_seq_of_a_room_is_kept_for_a_node(
    link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "MAX_UNSENT_ITEMS", 3)
    nodes, other = followed(link)
    await until("the answer is sent", lambda: len(link.sent) == 1)
    link.overloaded = True
    room = running("cohcoh")
    for number in range(10):
        later = copy(room)
        later.seq = room.seq + number
        nodes.publish(later, (moved(room),), (b"x",), None)
    nodes.follow("r2", 7)
    await until("they are coalesced", lambda: nodes.coalesced == 9)
    assert len(link.sent) == 1
    link.overloaded = False
    await until("they are sent", lambda: len(link.sent) == 3)
    inbox = Topics("p").inbox("b")
    answer, latest = [other.verify(topic, data) for topic, data in link.sent if topic == inbox]
    assert answer[1] == [["follow", "r1", 1]]
    assert latest[1] == [["events", "r1", room.seq + 9, [], None]]


async def test_items_without_a_connection_count_as_lost(link: FakeLink) -> None:
    nodes, _ = followed(link)
    await until("the answer is sent", lambda: len(link.sent) == 1)
    link.up = False
    room = running("cohcoh")
    for _ in range(3):
        nodes.publish(room, (moved(room),), (b"x",), None)
    await until("they are lost", lambda: nodes.lost == 3)
    assert len(link.sent) == 1


async def test_the_state_of_a_room_stands_for_its_events(link: FakeLink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_topics, "MAX_UNSENT_EVENTS", 3)
    topics = PublicTopics(Settings(), Topics("p"), link, FakeListener(), ended_rooms)  # type: ignore[arg-type]
    link.overloaded = True
    for name in ("r1", "r2"):
        for moves in ((), ("a1",), ("a1", "b1")):
            room = named(name, *moves)
            topics.publish(room, (moved(room),))
    await until("they are coalesced", lambda: topics.coalesced == 6)
    assert not link.sent
    link.overloaded = False
    await until("the states are sent", lambda: len(link.sent) == 2)
    states: list[Any] = [JSON.decode_server_message(data) for _, data in link.sent]
    assert [(state.room, state.ply) for state in states] == [("r1", 2), ("r2", 2)]


async def test_states_are_spread_over_ticks(link: FakeLink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_topics, "STATES_PER_TICK", 2)
    topics = PublicTopics(Settings(bus_public="states"), Topics("p"), link, FakeListener(), ended_rooms)  # type: ignore[arg-type]
    for number in range(5):
        room = named(f"r{number}")
        topics.publish(room, (moved(room),))
    sizes = []
    for _ in range(3):
        topics._state_tick()
        sizes.append(len(link.sent))
    assert sizes == [2, 4, 5]
    assert all(topic.endswith("/state") for topic, _ in link.sent)
    silent = PublicTopics(Settings(bus_public="none"), Topics("p"), link, FakeListener(), ended_rooms)  # type: ignore[arg-type]
    silent.publish(room, (moved(room),))
    assert not silent._states


def test_ping_is_answered_by_a_message_of_the_node_itself(link: FakeLink) -> None:
    topics = Topics("p")
    nodes = Peers("a", topics, link, Signer(b"k", "a", lambda: NOW), FakeListener(), lambda node: False)  # type: ignore[arg-type]
    nodes.ping()
    nodes.ping()
    first, last = link.sent
    nodes.received(*first)
    assert nodes.unanswered_pings == 0
    link.up = False
    nodes.ping()
    assert link.sent == [first, last]
    with pytest.raises(Refused):
        nodes.received(*first)
    assert nodes.unanswered_pings == 1
    nodes.received(*last)
    assert nodes.unanswered_pings == 0
