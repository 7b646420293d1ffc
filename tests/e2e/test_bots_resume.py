"""Bots that come back: as whom, and to which games."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from client.sdk.session import Session
from protocol.commands import Join, List, Move, Resign
from protocol.replies import Invited
from server.rooms.live_room import LiveRoom
from tests.e2e.bots import OutputLines, builtin, create_account, in_state, run_bot, running_bot, seek, start_bot
from tests.e2e.parlours import parlour, session, until


async def test_a_token_counts_whatever_lies_in_the_state_file(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there:
        token = await create_account(there, "owner")
        words = ("random", "--name", "mine", "--url", there.url, "--state", str(tmp_path / "state.json"))
        for more, name, absent in (((), "mine", "owner"), (("--token", token), "owner", "mine"), ((), "mine", "owner")):
            process = await start_bot(*words, *more)
            await until(f"{name} is there", partial(there.app.presence.is_here, name))
            assert not there.app.presence.is_here(absent)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), 10) == 0
            await until(f"{name} is gone", lambda name=name: not there.app.presence.is_here(name))  # type: ignore[misc]


class Host:
    """Somebody who comes to every room to which she is invited."""

    def __init__(self, alice: Session) -> None:
        self.rooms: list[str] = []
        self._alice = alice
        self._task = asyncio.create_task(self._come())

    async def _come(self) -> None:
        async for happening in self._alice:
            if isinstance(happening, Invited):
                self.rooms.append(happening.room.room)
                await self._alice.ask(Join(id=self._alice.id(), room=happening.room.room))

    def close(self) -> None:
        self._task.cancel()


async def test_a_challenger_who_comes_back_goes_on_with_its_game_and_seeks_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the server takes its time to find the room."""
    async with parlour(tmp_path) as there, session(there.url, "alice") as alice:
        host, state = Host(alice), tmp_path / "state.json"
        seeking: dict[str, Any] = {"seeks": (seek("maxconnect4", "alice"),), "games": 1, "state": state}
        async with running_bot(there.url, builtin("random"), **seeking):
            await until("it has begun", lambda: host.rooms and in_state(alice, host.rooms[0], "running"))
        found, find, said = asyncio.Event(), there.app.registry.room, OutputLines()

        async def find_slowly(name: str) -> LiveRoom | None:
            await found.wait()
            return await find(name)

        monkeypatch.setattr(there.app.registry, "room", find_slowly)
        again = asyncio.create_task(run_bot(there.url, builtin("random"), said=said, **seeking))
        await until("it is welcome", partial(said.has, "connected to"))
        await alice.ask(List(id=alice.id()))  # time enough for a mistake
        found.set()
        table = alice.rooms[host.rooms[0]]
        await until("it is back", lambda: table.opponent is not None and table.opponent.online)
        while table.ply < 6:
            if table.my_move and table.game is not None:
                move = table.game.legal(table.state)[0]
                await alice.ask(Move(id=alice.id(), room=table.room, ply=table.ply, move=move))
            await asyncio.sleep(0.002)
        await alice.ask(Resign(id=alice.id(), room=table.room))
        assert await asyncio.wait_for(again, 10) == 1
        assert len(host.rooms) == 1
        host.close()


async def test_a_seeker_who_comes_back_knows_the_room_in_which_it_waits(tmp_path: Path) -> None:
    """Killed, so that it could not give its seat back."""
    async with parlour(tmp_path) as there:
        words = ("random", "--url", there.url, "--state", str(tmp_path / "state.json"), "--seek", "conga")
        process = await start_bot(*words)
        await until("it waits", lambda: there.app.server.rooms()["conga", "waiting"] == 1)
        process.kill()
        await process.wait()
        await until("it is gone", lambda: not there.app.presence.is_here("random"))
        more: dict[str, Any] = {"seeks": (seek("conga"), seek("mancala")), "policy": {"concurrent": 2}}
        async with running_bot(there.url, builtin("random"), state=tmp_path / "state.json", **more):
            await until("it seeks again", lambda: there.app.server.rooms().total() == 2)
            assert there.app.server.rooms() == {("conga", "waiting"): 1, ("mancala", "waiting"): 1}
