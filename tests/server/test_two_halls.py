"""Nobody owns a room: two servers on one database decide for the same room, and the store's key is the fence."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from server.app import running
from server.settings import Settings
from server.sqlite import store
from tests.e2e.guest import Guest


async def test_two_servers_on_one_file_play_one_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "claim", lambda path: None)  # which keeps a second server from a file
    settings = Settings(port=0, db=str(tmp_path / "parlour.db"), watch_tick=0.0)
    async with AsyncExitStack() as stack:
        left = await stack.enter_async_context(running(settings))
        right = await stack.enter_async_context(running(settings))
        ann, ben = await Guest.open(left.url), await Guest.open(right.url, "json")
        await ann.hello("ann")
        await ben.hello("ben")
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
        await ann.close()
        await ben.close()
