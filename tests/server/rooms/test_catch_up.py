from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace

from protocol.codec import MSGPACK
from protocol.commands import Create, Join
from protocol.events import AnyEvent, Resumed, Said
from server.app import Running, running
from server.config import Settings
from server.domain.downtime import resume
from server.rooms.catch_up import CatchUp, DamagedLog
from server.rooms.live_room import LiveRoom
from server.storage.interface import Append, Unavailable, append_and_wait
from server.storage.sqlite import store
from tests.e2e.conftest import ConnectGuest
from tests.e2e.conftest import connect_guest as connect_guest
from tests.e2e.guest import Guest
from tests.e2e.local_server import until
from tests.server.domain.helpers import ANN, BEN, move
from tests.server.fakes import Harness, RecordingClient


class Room:
    """A room with two players, to which another node writes."""

    def __init__(self, server: Harness, live: LiveRoom, ann: RecordingClient) -> None:
        self.server, self.live, self.ann = server, live, ann
        self.catch_up = CatchUp(server.store, server.app.broadcaster, server.clock)

    async def write(self, *events: AnyEvent) -> None:
        await self.write_payloads(*[MSGPACK.encode(event) for event in events])

    async def write_payloads(self, *payloads: bytes) -> None:
        await append_and_wait(self.server.store, Append(self.live.room.id, self.live.room.seq, payloads))

    def said(self, text: str) -> Said:
        return Said(**self.live.room.event_fields(self.server.clock()), name="ben", seat=1, text=text)


@pytest.fixture
async def room(server: Harness) -> Room:
    ann, ben = server.connect(ANN), server.connect(BEN)
    name = (await server.ask(ann, Create, game="cohcoh", seat=0)).room
    await server.ask(ben, Join, room=name)
    ann.messages.clear()
    return Room(server, server.room(name), ann)


async def test_missed_events_are_applied_kept_and_sent(room: Room) -> None:
    live, said = room.live, room.said("hm")
    await room.write(said)
    live.heard_seq = said.seq
    assert await room.catch_up.read(live) == [said]
    assert live.room.seq == said.seq
    assert live.log == await room.server.store.events(live.room.id)
    assert room.ann.messages == [said]
    assert (live.busy, live.heard_seq) == (False, 0)
    assert await room.catch_up.read(live) == []


async def test_moves_of_another_node_come_with_their_boards(room: Room) -> None:
    live = room.live
    (ben,) = live.players[1]
    room.ann.wishes = ben.wishes = frozenset({"board", "legal"})
    (moved,), _ = move(live.room, ANN, "a1", room.server.clock())
    await room.write(moved)
    await room.catch_up.read(live)
    shown = room.ann.messages[-1], ben.messages[-1]  # type: ignore[attr-defined]
    assert [(event.changed, event.last, event.legal is not None) for event in shown] == [
        (("a1",), ("a1",), False),
        (("a1",), ("a1",), True),
    ]


@pytest.mark.parametrize("connected", [True, False])
async def test_turn_of_a_connected_player_charges_from_when_it_is_sent(room: Room, connected: bool) -> None:
    live = room.live
    live.uncharged_ms = 500
    await room.write(room.said("hm"))
    await room.catch_up.read(live)
    assert live.uncharged_ms == 500
    (moved,), _ = move(live.room, ANN, "a1", room.server.clock() + 1)
    await room.write(replace(moved, room=live.room.id))
    if not connected:
        live.detach(live.players[1][0])
    room.server.clock.at = moved.at + 3600
    await room.catch_up.read(live)
    assert live.uncharged_ms == (3600 if connected else 0)


async def test_credit_that_another_node_wrote_is_not_counted_twice(room: Room) -> None:
    live = room.live
    live.uncharged_ms = 5000
    await room.write(Resumed(**live.room.event_fields(room.server.clock()), credit=1500, delay=2500, outage=True))
    await room.catch_up.read(live)
    assert live.uncharged_ms == 1000


async def test_room_stays_busy_if_the_store_cannot_be_read(room: Room) -> None:
    room.server.store.read_error = Unavailable("no connection")
    with pytest.raises(Unavailable):
        await room.catch_up.read(room.live)
    assert room.live.busy
    room.live.busy = False


@pytest.mark.parametrize("damage", ["unreadable", "impossible"])
async def test_room_stays_busy_if_its_log_is_damaged(room: Room, damage: str) -> None:
    again = MSGPACK.encode(room.live.room.setup)  # created twice
    await room.write_payloads(b"\xc1" if damage == "unreadable" else again)
    with pytest.raises(DamagedLog, match=room.live.room.id):
        await room.catch_up.read(room.live)
    assert room.live.busy
    room.live.busy = False


# -- two servers on one file


@pytest.fixture
async def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Running, Running]]:
    # these would keep the second server from the file
    monkeypatch.setattr(store, "lock_database", lambda path: None)
    monkeypatch.setattr(store, "wait_for_writers", AsyncMock())
    settings = Settings(port=0, db=str(tmp_path / "parlour.db"), watch_tick=0.0, sweep=3600.0, rooms_per_player=1)
    async with running(settings) as left, running(settings) as right:
        yield left, right


async def test_two_servers_on_one_file_play_one_game(two: tuple[Running, Running], connect_guest: ConnectGuest) -> None:
    left, right = two
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben", "json")
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    await ben.ask("join", room=room)
    await ben.find(type="snapshot")
    # the left node has not heard of the join: it decides on an old room, gets a conflict, and catches up
    await ann.ask("say", room=room, text="hello?")
    assert (await ann.find(type="started"))["seq"] == 4
    assert (await ann.find(type="said"))["seq"] == 5
    for ply, text in enumerate(["a1", "b1", "c1", "d1"]):
        mover = (ann, ben)[ply % 2]
        if ply:  # catch up first, which the bus would cause between real nodes
            await mover.answer(await mover.send("say", room=room, text="my turn?"))
            await mover.find(type="moved", ply=ply)
        await mover.ask("move", room=room, ply=ply, move=text)


@pytest.mark.parametrize("cause", ["conflict", "request"])
async def test_room_with_an_unreadable_event_of_another_node_is_given_up(
    two: tuple[Running, Running],
    connect_guest: ConnectGuest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cause: str,
) -> None:
    left, right = two
    ann, ben, eve = (
        await connect_guest(left.url, "ann"),
        await connect_guest(right.url, "ben"),
        await connect_guest(left.url, "eve"),
    )
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    await ben.ask("join", room=room)
    with closing(sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)) as connection:
        connection.execute("UPDATE events SET payload = x'c1' WHERE room = ? AND seq = 3", (room,))
    if cause == "conflict":
        app = left.app
        orphan = app.registry.rooms[room]
        assert (await ann.refused("say", room=room, text="hello?"))["code"] == "internal"
        for _ in range(2):  # actions on a room that is no longer in the registry do not wait forever
            app.processor.act(orphan, partial(resume, down_since=0))
        await until("the room is given up", lambda: not orphan.queue and not orphan.busy)
    else:
        monkeypatch.setattr(left.app.store, "shared", True, raising=False)
        assert (await eve.refused("watch", room=room))["code"] == "no_room"
    assert await ann.closed() == 1011
    assert (await eve.refused("watch", room=room))["code"] == "no_room"
    assert (await eve.ask("list"))["rooms"] == []
    back = await Guest.open(left.url)
    assert not (await back.hello(resume=ann.session)).get("rooms")
    await back.ask("create", game="cohcoh")  # the limit is one room
    await back.close()
