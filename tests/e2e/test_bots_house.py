"""House bots: listed in the lobby, restarted after a crash, and ended with the server."""

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
from tests.e2e.local_server import session, until
from tests.waiting import TIMEOUT_S

Spawn = Callable[..., Awaitable[Any]]


class LobbyView:
    """The bots that a guest sees in the lobby."""

    def __init__(self, guest: Session) -> None:
        self.bots: dict[str, tuple[str, ...]] = {}
        self._task = asyncio.create_task(self._listen(guest))

    async def _listen(self, guest: Session) -> None:
        async for event in guest:
            if isinstance(event, LobbyUpdate) and event.bots is not None:
                self.bots = {bot.name: bot.plays for bot in event.bots}

    def close(self) -> None:
        self._task.cancel()


def children(pid: int) -> dict[str, int]:
    """Return the process ids of the bots that a server has started, by name."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            words = arguments(int(child))
            if b"--name" in words:
                found[words[words.index(b"--name") + 1].decode()] = int(child)
    return found


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
async def test_house_bots_are_listed_and_restarted(spawn: Spawn) -> None:
    server = await spawn(PARLOUR_HOUSE="random,greedy,search@2")
    async with session(server.url, "alice") as alice:
        lobby = LobbyView(alice)
        await alice.ask(Lobby(id=alice.id(), on=True))
        await until("all bots are listed", lambda: set(lobby.bots) == {"random", "greedy", "search@2"})
        assert lobby.bots["random"] == tuple(GAMES)
        made = await alice.ask(Create(id=alice.id(), game="maxconnect4", invite="search@2", seat=1))
        await until("the bot joins and moves", lambda: made.room in alice.rooms and alice.rooms[made.room].ply == 1)
        seat = alice.rooms[made.room].seats[0]
        assert seat is not None
        assert seat.account, "its name is reserved"

        pid = server.process.pid
        first = children(pid)
        os.kill(first["search@2"], signal.SIGKILL)
        await until("the bot is restarted", lambda: children(pid).get("search@2", 0) not in (0, first["search@2"]))
        await alice.ask(Move(id=alice.id(), room=made.room, ply=1, move="4"))
        await until("the bot continues its game", lambda: alice.rooms[made.room].ply == 3)
        lobby.close()
    bots = children(pid)
    assert set(bots) == set(first)
    server.process.kill()
    await server.process.wait()
    for child in bots.values():
        await until("the bots exit with the killed server", partial(gone, child))


async def test_house_bots_end_with_a_graceful_stop(spawn: Spawn) -> None:
    server = await spawn(PARLOUR_HOUSE="random")
    async with session(server.url, "alice") as alice:
        lobby = LobbyView(alice)
        await alice.ask(Lobby(id=alice.id(), on=True))
        await until("the bot is listed", lambda: "random" in lobby.bots)
        bots = children(server.process.pid)
        lobby.close()
    assert await server.terminate() == 0
    assert [gone(child) for child in bots.values()] == [True]


async def test_unknown_house_bot_is_an_error() -> None:
    for names, sentence in (("unknown", "there is no bot 'unknown'"), ("search@11", "only search has levels")):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", "serve", "--port", "0", "--house", names, stderr=asyncio.subprocess.PIPE
        )
        _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert process.returncode == 2
        assert sentence in errors.decode()
        assert errors.count(b"\n") == 1


async def test_bot_with_the_name_of_a_house_bot_gets_the_fallback_name(spawn: Spawn) -> None:
    """The first example of `parlour bot --help`, on a server with house bots."""
    server = await spawn(PARLOUR_HOUSE="random")
    async with session(server.url, "alice") as alice:
        lobby = LobbyView(alice)
        await alice.ask(Lobby(id=alice.id(), on=True))
        await until("the house bot is listed", lambda: "random" in lobby.bots)
        words = ("random", "--url", server.url, "--no-state", "--seek", "conga", "--clock", "5+3")
        process = await start_bot(*words)
        await until("the bot is listed", lambda: "random-guest" in lobby.bots)
        process.terminate()
        assert await asyncio.wait_for(process.wait(), TIMEOUT_S) == 0
        process = await start_bot(*words, "--name", "Random")
        _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert process.returncode == 2
        assert "the name Random belongs to an account" in errors.decode()
        lobby.close()
