"""Quick pairing in the terminal client: change of room, lost connection, plain mode."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from client.presentation.launch_plan import GameRequest
from client.presentation.plain_play import Input, PlainPlay, read_events
from client.tui.screens.table import TableScreen
from protocol.commands import Pair, Resign
from tests.e2e.faults import FaultProxy
from tests.e2e.local_server import running_server, session, until
from tests.e2e.tui import at_table, client, settled
from tests.tui.offline_app import picture_of
from tests.waiting import TIMEOUT_S

PAIR = GameRequest("cohcoh", pair=True)


async def test_screen_follows_to_the_room_of_the_opponent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server(tmp_path, sweep=0.05) as server, session(server.url, "bob") as bob:
        made = await bob.ask(Pair(id=bob.id(), game="cohcoh"))
        with monkeypatch.context() as patch:
            patch.setattr("server.domain.pairing.is_close_enough", lambda *_: False)  # no opponent is acceptable yet
            async with client(server.url, tmp_path, "play", PAIR) as (app, pilot):
                await settled(pilot, "the room waits", lambda: "Waiting for an opponent" in picture_of(app))
                screen = app.screen
                assert isinstance(screen, TableScreen)
                assert screen.room != made.room
                patch.undo()
                await settled(pilot, "we are in the other room", lambda: screen.room == made.room)
                assert screen is await at_table(app, pilot)
                assert "bob" in picture_of(app)


async def test_lost_connection_does_not_end_pairing(tmp_path: Path) -> None:
    async with (  # noqa: SIM117
        running_server(tmp_path) as server,
        FaultProxy(server.url).open() as proxy,
        session(server.url, "bob") as bob,
    ):
        async with client(proxy.url, tmp_path, "play", PAIR) as (app, pilot):
            await settled(pilot, "the room waits", lambda: "Waiting for an opponent" in picture_of(app))
            screen = app.screen
            assert isinstance(screen, TableScreen)
            first = screen.room
            proxy.cut()
            await settled(pilot, "a new room waits", lambda: screen.room != first and screen.table)
            assert (await bob.ask(Pair(id=bob.id(), game="cohcoh"))).room == screen.room
            assert await at_table(app, pilot) is screen


async def test_plain_mode_follows_to_the_room_of_the_opponent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server(tmp_path, sweep=0.05) as server, session(server.url, "bob") as bob:
        made = await bob.ask(Pair(id=bob.id(), game="cohcoh"))
        async with session(server.url, "alice") as alice:
            with monkeypatch.context() as patch:
                patch.setattr("server.domain.pairing.is_close_enough", lambda *_: False)
                own = await alice.ask(Pair(id=alice.id(), game="cohcoh"))
            inputs: asyncio.Queue[Input] = asyncio.Queue()
            reader = asyncio.create_task(read_events(alice, inputs))
            said: list[str] = []
            play = PlainPlay(alice, own.room, said.append)
            playing = asyncio.create_task(play.run(inputs))
            await until("alice is in the other room", lambda: play.room == made.room and play.table)
            await alice.ask(Resign(id=alice.id(), room=made.room))
            await asyncio.wait_for(playing, TIMEOUT_S)
            assert any("bob" in line and "wins" in line for line in said)
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


async def test_plain_mode_pairs_with_a_bot(tmp_path: Path) -> None:
    command = ("play", "cohcoh", "--plain", "--private", "--pair")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", *command,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(TIMEOUT_S):
        while b"search" not in (line := await process.stdout.readline()):
            assert line, "the program ended early"
        process.stdin.write(b"resign\n")
        while b"you resigned" not in (line := await process.stdout.readline()):
            assert line, "the program ended early"
        process.stdin.close()
        assert await process.wait() == 0
