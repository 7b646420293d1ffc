"""Nobody owns a room: two servers on one database decide for the same room, and the store's key is the fence."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from server.app import Running, running
from server.config import Settings
from server.domain.endings import resume
from server.storage.sqlite import store
from tests.e2e.conftest import Come
from tests.e2e.conftest import come as come
from tests.e2e.guest import Guest
from tests.e2e.parlours import until


@pytest.fixture
async def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Running, Running]]:
    monkeypatch.setattr(store, "lock_database", lambda path: None)  # it keeps a second server from a file
    settings = Settings(port=0, db=str(tmp_path / "parlour.db"), watch_tick=0.0, sweep=3600.0, rooms_per_player=1)
    async with running(settings) as left, running(settings) as right:
        yield left, right


async def test_two_servers_on_one_file_play_one_game(two: tuple[Running, Running], come: Come) -> None:
    left, right = two
    ann, ben = await come(left.url, "ann"), await come(right.url, "ben", "json")
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    await ben.ask("join", room=room)
    await ben.find(type="snapshot")
    # the left node has not heard of the join: it decides on an old room, is told of the conflict, and catches up
    await ann.ask("say", room=room, text="hello?")
    assert (await ann.find(type="started"))["seq"] == 4
    assert (await ann.find(type="said"))["seq"] == 5
    for ply, text in enumerate(["a1", "b1", "c1", "d1"]):
        mover = (ann, ben)[ply % 2]
        if ply:  # catch up first, as the bus between nodes would see to
            await mover.answer(await mover.send("say", room=room, text="my turn?"))
            await mover.find(type="moved", ply=ply)
        await mover.ask("move", room=room, ply=ply, move=text)


@pytest.mark.parametrize("news", ["a conflict", "a look"])
async def test_what_another_node_wrote_cannot_be_read(
    two: tuple[Running, Running], come: Come, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, news: str
) -> None:
    left, right = two
    ann, ben, eve = await come(left.url, "ann"), await come(right.url, "ben"), await come(left.url, "eve")
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    await ben.ask("join", room=room)
    with closing(sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)) as connection:
        connection.execute("UPDATE events SET payload = x'c1' WHERE room = ? AND seq = 3", (room,))
    if news == "a conflict":
        app = left.app
        orphan = app.registry.rooms[room]
        assert (await ann.refused("say", room=room, text="hello?"))["code"] == "internal"
        for _ in range(2):  # whoever still has it does not wait for ever
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
    await back.ask("create", game="cohcoh")  # the only room she may have
    await back.close()
