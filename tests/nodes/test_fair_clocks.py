"""Parts fail for a few seconds during games with short clocks: no player who answers at once loses on time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from bench.cluster.broker import Broker
from bench.cluster.link import link_to_broker
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres
from server.app import Running
from server.domain.clock import MAX_CREDIT_PER_MOVE_MS
from tests.e2e.conftest import ConnectGuest
from tests.e2e.play import move, room_of
from tests.nodes.conftest import Start
from tests.nodes.fault_games import FLAGS
from tests.nodes.faults import stopped
from tests.waiting import until

# a clock per move: on a busy machine, clients need longer, and must not run out of time because of that
PER_MOVE_MS = 3000
CLOCK = {"kind": "move", "per_move": PER_MOVE_MS}
SHORT_CLOCK = {"kind": "move", "per_move": 200}
MAX_SWEEPS_TO_FLAG = 10  # a second, at the interval of these tests


async def until_out_of_time(node: Running, turn_began: int) -> None:
    """Wait until a player who could move since then would have lost on time, with all credit for latency."""
    await until("time passes", lambda: node.app.now() > turn_began + PER_MOVE_MS + MAX_CREDIT_PER_MOVE_MS + 500)


def count_overdue_sweeps(node: Running, room: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count the sweeps of a node in which the deadline of a game has passed. Return a function for the number.

    Time at a busy machine says little; a sweep is late there as well.
    """
    overdue = 0
    sweep = node.app.registry.sweep

    async def counted() -> None:
        nonlocal overdue
        live = node.app.registry.rooms[room]
        due = live.deadline
        overdue += live.room.status == "running" and due is not None and due < node.app.now()
        await sweep()

    monkeypatch.setattr(node.app.registry, "sweep", counted)
    return lambda: overdue


async def test_database_that_hangs_costs_no_game(
    start: Start, connect_guest: ConnectGuest, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann's move cannot be stored, so ben cannot be told of it. In the second game, ann thinks meanwhile.

    Afterwards, ben loses on time in a game in which he does not move.
    """
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    first, second = await room_of(ann, ben, clock=CLOCK), await room_of(ann, ben, clock=CLOCK)
    began = left.app.now()
    with stopped(postgres.pid):
        asked = await ann.send("move", room=first, ply=0, move="a1")
        await until_out_of_time(left, began)
    assert (await ann.answer(asked))["type"] == "ok"
    await ben.find(type="moved", room=first, ply=1)
    await move(ben, first, 1, "b1")
    assert (await move(ann, second, 0, "a1"))["charged"] < PER_MOVE_MS
    third = await room_of(ann, ben, clock=SHORT_CLOCK)
    overdue = [count_overdue_sweeps(node, third, monkeypatch) for node in (left, right)]
    await move(ann, third, 0, "a1")
    assert (await ann.find(type="ended", room=third))["reason"] == "time"
    assert max(count() for count in overdue) <= MAX_SWEEPS_TO_FLAG


async def test_node_that_is_cut_off_from_the_broker_costs_no_game(
    start: Start, connect_guest: ConnectGuest, broker: Broker
) -> None:
    link = await link_to_broker(broker.url)
    try:
        left, right = await start(), await start(bus=f"mqtt://127.0.0.1:{link.port}")
        ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
        room = await room_of(ann, ben, clock=CLOCK)
        with link.cut():
            await move(ann, room, 0, "a1")
            moved = await ben.find(type="moved", ply=1)  # late, from the store
            assert (await move(ben, room, 1, "b1"))["charged"] < PER_MOVE_MS
            assert moved["seq"] < (await ann.find(type="moved", ply=2))["seq"]
    finally:
        await link.close()


async def test_node_that_is_stopped_costs_no_game(
    start: Start, connect_guest: ConnectGuest, database: str, broker: Broker, prefix: str
) -> None:
    """Ann has been told of her turn, and her move waits in the buffer of a node that does not run."""
    far = Node(database, broker.url, "--bus-prefix", prefix, *FLAGS)
    await asyncio.to_thread(far.start)
    assert far.process is not None
    try:
        here = await start()
        ann, ben = await connect_guest(far.url, "ann"), await connect_guest(here.url, "ben")
        room = await room_of(ann, ben, clock=CLOCK)
        with stopped(far.process.pid):
            asked = await ann.send("move", room=room, ply=0, move="a1")
            await until_out_of_time(here, here.app.now())
        assert (await ann.answer(asked))["type"] == "ok"
        await ben.find(type="moved", room=room, ply=1)
    finally:
        await asyncio.to_thread(far.kill)
