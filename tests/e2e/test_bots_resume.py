"""Bots that return after an exit: their identity and their games."""

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
from tests.e2e.local_server import running_server, session, until
from tests.waiting import TIMEOUT_S


async def test_token_takes_precedence_over_the_credentials_file(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        token = await create_account(server, "owner")
        words = ("random", "--name", "mine", "--url", server.url, "--state", str(tmp_path / "state.json"))
        for more, name, absent in (((), "mine", "owner"), (("--token", token), "owner", "mine"), ((), "mine", "owner")):
            process = await start_bot(*words, *more)
            await until(f"{name} is connected", partial(server.app.presence.is_here, name))
            assert not server.app.presence.is_here(absent)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), TIMEOUT_S) == 0
            await until(f"{name} is disconnected", lambda name=name: not server.app.presence.is_here(name))  # type: ignore[misc]


class InvitedPlayer:
    """Joins every room to which alice is invited."""

    def __init__(self, alice: Session) -> None:
        self.rooms: list[str] = []
        self._alice = alice
        self._task = asyncio.create_task(self._join_all())

    async def _join_all(self) -> None:
        async for event in self._alice:
            if isinstance(event, Invited):
                self.rooms.append(event.room.room)
                await self._alice.ask(Join(id=self._alice.id(), room=event.room.room))

    def close(self) -> None:
        self._task.cancel()


async def test_restarted_challenger_resumes_its_game_and_seeks_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the server is slow to load the room."""
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        host, state = InvitedPlayer(alice), tmp_path / "state.json"
        seeking: dict[str, Any] = {"seeks": (seek("maxconnect4", "alice"),), "games": 1, "state": state}
        async with running_bot(server.url, builtin("random"), **seeking):
            await until("the game runs", lambda: host.rooms and in_state(alice, host.rooms[0], "running"))
        found, find, output = asyncio.Event(), server.app.registry.room, OutputLines()

        async def find_slowly(name: str, *args: Any) -> LiveRoom | None:
            await found.wait()
            return await find(name, *args)

        monkeypatch.setattr(server.app.registry, "room", find_slowly)
        again = asyncio.create_task(run_bot(server.url, builtin("random"), output=output, **seeking))
        await until("the bot is connected", partial(output.has, "connected to"))
        await alice.ask(List(id=alice.id()))  # gives the bot time for a mistake
        found.set()
        table = alice.rooms[host.rooms[0]]
        await until("the bot is back in its game", lambda: table.opponent is not None and table.opponent.online)
        while table.ply < 6:
            if table.my_move and table.game is not None:
                move = table.game.legal(table.state)[0]
                await alice.ask(Move(id=alice.id(), room=table.room, ply=table.ply, move=move))
            await asyncio.sleep(0.002)
        await alice.ask(Resign(id=alice.id(), room=table.room))
        assert await asyncio.wait_for(again, TIMEOUT_S) == 1
        assert len(host.rooms) == 1
        host.close()


async def test_restarted_challenger_recognises_its_waiting_room(tmp_path: Path) -> None:
    """It was killed, so it could not leave the room. An invitation stays open, a wait for any opponent would not."""
    async with running_server(tmp_path) as server, session(server.url, "alice"):
        words = ("random", "--url", server.url, "--state", str(tmp_path / "state.json"))
        process = await start_bot(*words, "--seek", "conga", "--challenge", "alice")
        await until("the bot waits", lambda: server.app.server.rooms()["conga", "waiting"] == 1)
        process.kill()
        await process.wait()
        await until("the bot is disconnected", lambda: not server.app.presence.is_here("random"))
        seeks = (seek("conga", "alice"), seek("mancala", "alice"))
        more: dict[str, Any] = {"state": tmp_path / "state.json", "seeks": seeks, "policy": {"concurrent": 2}}
        async with running_bot(server.url, builtin("random"), **more):
            await until("the bot seeks again", lambda: server.app.server.rooms().total() == 2)
            assert server.app.server.rooms() == {("conga", "waiting"): 1, ("mancala", "waiting"): 1}
