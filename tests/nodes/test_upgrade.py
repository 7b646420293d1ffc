"""A cluster is upgraded one node after the other: for a while, nodes of two schema versions share a database."""

from __future__ import annotations

import pytest

from server.storage.interface import StoreError
from server.storage.migrations import load_migrations
from server.storage.postgres import schema
from tests.e2e.conftest import ConnectGuest
from tests.e2e.play import move, play, room_of
from tests.nodes.conftest import Start

ADDITIONS = """
    ALTER TABLE rooms ADD COLUMN later text NOT NULL DEFAULT '';
    ALTER TABLE events ADD COLUMN later text NOT NULL DEFAULT '';
    ALTER TABLE nodes ADD COLUMN later boolean NOT NULL DEFAULT true;
    ALTER TABLE sessions ADD COLUMN later bigint;
    CREATE TABLE later (room text PRIMARY KEY);
"""


async def test_game_goes_on_while_its_nodes_are_upgraded(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older node plays on, and refuses to start again."""
    old = await start()
    ann, ben = await connect_guest(old.url, "ann"), await connect_guest(old.url, "ben")
    room = await room_of(ann, ben)
    await play(ann, ben, room, "a1", "b1")
    migrations = load_migrations(schema.__package__)
    newest = migrations[-1][0] + 1
    with monkeypatch.context() as later:
        later.setattr(schema, "load_migrations", lambda package: [*migrations, (newest, ADDITIONS)])
        new = await start()
    await ben.close()
    ben = await connect_guest(new.url, resume=ben.session)
    await ben.find(type="snapshot", room=room)
    await move(ann, room, 2, "c1")
    await ben.find(type="moved", ply=3)
    await move(ben, room, 3, "d1")
    await ann.find(type="moved", ply=4)
    await ann.ask("resign", room=room)
    await ben.find(type="ended")
    second = await room_of(ben, await connect_guest(old.url, "cy"))
    await move(ben, second, 0, "a1")
    with pytest.raises(StoreError, match=f"schema {newest}, supported up to {newest - 1}"):
        await start()
