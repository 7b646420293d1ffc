"""The bots of the house beside a server of its own process: listed, restarted, and gone with it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from client.sdk.session import Session
from engine.registry import GAMES
from protocol.commands import Create, Lobby, Move
from protocol.replies import LobbyUpdate
from tests.client.sample_programs import arguments, gone
from tests.e2e.bots import start_bot
from tests.e2e.parlours import session, until

Spawn = Callable[..., Awaitable[Any]]


class LobbyView:
    """What a guest sees of the lobby."""

    def __init__(self, guest: Session) -> None:
        self.bots: dict[str, tuple[str, ...]] = {}
        self._task = asyncio.create_task(self._listen(guest))

    async def _listen(self, guest: Session) -> None:
        async for happening in guest:
            if isinstance(happening, LobbyUpdate) and happening.bots is not None:
                self.bots = {bot.name: bot.plays for bot in happening.bots}

    def close(self) -> None:
        self._task.cancel()


def children(pid: int) -> dict[str, int]:
    """The bots that a server has started, by name."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            words = arguments(int(child))
            if b"--name" in words:
                found[words[words.index(b"--name") + 1].decode()] = int(child)
    return found


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
async def test_house_bots(spawn: Spawn) -> None:
    house = await spawn(PARLOUR_HOUSE="random,greedy,search@2")
    async with session(house.url, "alice") as alice:
        lobby = LobbyView(alice)
        await alice.ask(Lobby(id=alice.id(), on=True))
        await until("all are listed", lambda: set(lobby.bots) == {"random", "greedy", "search@2"})
        assert lobby.bots["random"] == tuple(GAMES)
        made = await alice.ask(Create(id=alice.id(), game="maxconnect4", invite="search@2", seat=1))
        await until("it comes and moves", lambda: made.room in alice.rooms and alice.rooms[made.room].ply == 1)
        seat = alice.rooms[made.room].seats[0]
        assert seat is not None
        assert seat.account, "nobody else can take its name"

        pid = house.process.pid
        first = children(pid)
        os.kill(first["search@2"], signal.SIGKILL)
        await until("another one is started", lambda: children(pid).get("search@2", 0) not in (0, first["search@2"]))
        await alice.ask(Move(id=alice.id(), room=made.room, ply=1, move="4"))
        await until("and goes on with the game", lambda: alice.rooms[made.room].ply == 3)
        lobby.close()
    bots = children(pid)
    assert set(bots) == set(first)
    house.process.kill()
    await house.process.wait()
    for child in bots.values():
        await until("its bots leave with the server, however it ended", partial(gone, child))


async def test_house_bots_end_with_a_gentle_stop(spawn: Spawn) -> None:
    house = await spawn(PARLOUR_HOUSE="random")
    async with session(house.url, "alice") as alice:
        lobby = LobbyView(alice)
        await alice.ask(Lobby(id=alice.id(), on=True))
        await until("it is there", lambda: "random" in lobby.bots)
        bots = children(house.process.pid)
        lobby.close()
    assert await house.terminate() == 0
    assert [gone(child) for child in bots.values()] == [True]


async def test_a_house_bot_that_does_not_exist() -> None:
    for names, sentence in (("nobody", "there is no bot 'nobody'"), ("search@11", "only search has levels")):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", "serve", "--port", "0", "--house", names, stderr=asyncio.subprocess.PIPE
        )
        _, errors = await asyncio.wait_for(process.communicate(), 20)
        assert process.returncode == 2
        assert sentence in errors.decode()
        assert errors.count(b"\n") == 1


async def test_a_bot_that_is_called_like_one_of_the_house_comes_as_its_guest(spawn: Spawn) -> None:
    """The first example of `parlour bot --help`, beside the bots of the house."""
    house = await spawn(PARLOUR_HOUSE="random")
    async with session(house.url, "alice") as alice:
        lobby = LobbyView(alice)
        await alice.ask(Lobby(id=alice.id(), on=True))
        await until("the house is there", lambda: "random" in lobby.bots)
        words = ("random", "--url", house.url, "--no-state", "--seek", "conga", "--clock", "5+3")
        process = await start_bot(*words)
        await until("it is there", lambda: "random-guest" in lobby.bots)
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 10) == 0
        process = await start_bot(*words, "--name", "Random")
        _, errors = await asyncio.wait_for(process.communicate(), 20)
        assert process.returncode == 2
        assert "the name Random belongs to an account" in errors.decode()
        lobby.close()
