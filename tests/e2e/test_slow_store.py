"""A store that takes its time: nobody pays for it with time, or with a seat."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server.agenda import RETRY
from server.clock import MOST_CREDIT
from server.desk import MOST_WAITING
from tests.e2e.conftest import Come, Start
from tests.e2e.parlours import until
from tests.e2e.play import room_of


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Nothing is written as long as this lasts."""
    other = sqlite3.connect(folder / "parlour.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("COMMIT")
        other.close()


async def test_talk_costs_no_player_time(start: Start, come: Come, tmp_path: Path) -> None:
    server = await start()
    ann, ben, eve = [await come(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 500})
    live, hall = server.house.hall.rooms[room], server.house.hall
    await eve.ask("watch", room=room)
    with held(tmp_path):
        lines = [await eve.send("say", room=room, text=f"line {n}") for n in range(MOST_WAITING + 3)]
        assert (await eve.answer(lines[-1]))["code"] == "rate_limited"
        asked = await ann.send("move", room=room, ply=0, move="a1")
        await until("the move waits", lambda: len(live.queue) > MOST_WAITING)
        await until("its time is up", lambda: hall.now() > (live.room.deadline or 0))
    assert (await ann.answer(asked))["type"] == "ok"
    assert (await ben.find(type="moved"))["took"] < 500
    assert [(await eve.answer(line))["type"] for line in lines[:-1]].count("ok") == MOST_WAITING + 1


async def test_who_is_gone_before_the_seat_is_written_is_away(start: Start, come: Come, tmp_path: Path) -> None:
    server = await start()
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    live, hall = server.house.hall.rooms[room], server.house.hall
    with held(tmp_path):
        await ben.send("join", room=room)
        await until("the seat is being written", lambda: live.busy)
        ben.socket.transport.abort()
        begin = hall.now()
        await until("nobody waits as long as that for an answer", lambda: hall.now() > begin + RETRY * 1000 + 100)
    assert (await ann.find(type="presence"))["seat"] == 1
    assert not live.players[1]


async def test_a_pair_that_takes_long_is_a_pair(start: Start, come: Come, tmp_path: Path) -> None:
    server = await start()
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = (await ann.ask("pair", game="cohcoh"))["room"]
    live, hall = server.house.hall.rooms[room], server.house.hall
    with held(tmp_path):
        asked = await ben.send("pair", game="cohcoh")
        await until("the seat is being written", lambda: live.busy)
        begin = hall.now()
        await until("nobody waits as long as that for an answer", lambda: hall.now() > begin + RETRY * 1000 + 100)
    assert (await ben.answer(asked))["room"] == room
    assert (await ben.find(type="snapshot"))["status"] == "running"


async def test_a_turn_begins_when_the_move_before_it_is_told(start: Start, come: Come, tmp_path: Path) -> None:
    server = await start()
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 200})
    live, hall = server.house.hall.rooms[room], server.house.hall
    with held(tmp_path):
        asked = await ann.send("move", room=room, ply=0, move="a1")
        await until("the move is being written", lambda: live.busy)
        begin = hall.now()
        await until("ben would be out of time", lambda: hall.now() > begin + 200 + MOST_CREDIT + 100)
    assert (await ann.answer(asked))["type"] == "ok"
    await ben.find(type="moved", ply=1)
    await ben.ask("move", room=room, ply=1, move="b1")
    assert (await ann.find(type="moved", ply=2))["took"] < 200
    assert (await ben.find(type="ended"))["winner"] == 1, "ann, who knows of it, does not move in time"
