"""The flags of `parlour bot` that select opponents, each with a process and a server."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from client.sdk.session import Session
from protocol.commands import Create, History, Move
from protocol.types import TimeControl
from server.app import Running
from tests.e2e.bots import create_account, in_state, invite, start_bot
from tests.e2e.local_server import running_server, session, until
from tests.waiting import TIMEOUT_S

CLOCK = TimeControl(kind="fischer", base=60_000)


@asynccontextmanager
async def connected(server: Running, name: str, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `parlour bot random` with these flags for the length of the block."""
    process = await start_bot("random", "--name", name, "--url", server.url, "--no-state", *words)
    try:
        await until(f"{name} is connected", partial(server.app.presence.is_here, name))
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert errors == b""


async def wait_for_line(process: asyncio.subprocess.Process, *words: str) -> None:
    """Read the bot's output up to a line with these words."""
    assert process.stdout is not None
    line = ""
    async with asyncio.timeout(TIMEOUT_S):
        while not all(word in line for word in words):
            line = (await process.stdout.readline()).decode()


async def play_out(guest: Session, room: str) -> None:
    """Make the first legal move until the game is over."""
    while not in_state(guest, room, "ended"):
        table = guest.rooms.get(room)
        if table is not None and table.my_move and table.game is not None:
            move = table.game.legal(table.state)[0]
            await guest.ask(Move(id=guest.id(), room=room, ply=table.ply, move=move))
        await asyncio.sleep(0.002)


async def test_open_joins_waiting_rooms(tmp_path: Path) -> None:
    """--games limits which rooms it joins, and --count ends it."""
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        async with connected(server, "mixer", "--open", "--games", "cohcoh,conga", "--count", "1") as process:
            other = (await alice.ask(Create(id=alice.id(), game="mancala"))).room
            made = await alice.ask(Create(id=alice.id(), game="cohcoh", options={"n": 3, "k": 3}))
            await play_out(alice, made.room)
            assert await asyncio.wait_for(process.wait(), TIMEOUT_S) == 0
        assert in_state(alice, other, "waiting")


@pytest.mark.parametrize(("flags", "welcome"), [(("--avoid", "Mallory,eve"), "alice"), (("--opponents", "BOB"), "bob")])
async def test_avoid_and_opponents_decline_others(flags: tuple[str, ...], welcome: str, tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, connected(server, "shy", *flags) as process:  # noqa: SIM117
        async with session(server.url, "mallory") as mallory, session(server.url, welcome) as friend:
            refused = await invite(mallory, "shy")
            await wait_for_line(process, refused, "not joined, not against this opponent")
            room = await invite(friend, "shy")
            await until("the bot joins", partial(in_state, friend, room, "running"))
            assert in_state(mallory, refused, "waiting")


@pytest.mark.parametrize(("flag", "other"), [("--rated", "casual"), ("--casual", "rated")])
async def test_rated_and_casual_decline_the_other(flag: str, other: str, tmp_path: Path) -> None:
    """Both players have tokens, because rated games need accounts."""
    async with running_server(tmp_path) as server:
        mine, hers = await create_account(server, "owner"), await create_account(server, "alice")
        async with (
            connected(server, "owner", "--token", mine, flag) as process,
            session(server.url, token=hers) as alice,
        ):
            declined = await invite(alice, "owner", rated=other == "rated", clock=CLOCK)
            await wait_for_line(process, declined, f"not joined, only {flag[2:]} games")
            room = await invite(alice, "owner", rated=flag == "--rated", clock=CLOCK)
            await until("the bot joins", partial(in_state, alice, room, "running"))
            seat = alice.rooms[room].seats[1]
            assert seat is not None
            assert (seat.name, seat.account, alice.rooms[room].setup.rated) == ("owner", True, flag == "--rated")


async def test_rated_seek_without_an_account_fails(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        process = await start_bot("random", "--url", server.url, "--no-state", "--seek", "conga", "--rated")
        _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert process.returncode == 2
        assert "a rated game needs an account" in errors.decode()


async def test_two_accounts_seek_a_rated_game(tmp_path: Path) -> None:
    """--seek with --rated, --option, --clock and --count; tokens come from the environment."""
    flags = ("--no-state", "--seek", "cohcoh", "--rated", "--option", "n=3", "--option", "k=3", "--clock", "1+1")
    async with running_server(tmp_path) as server:
        tokens = [await create_account(server, name) for name in ("ann", "ben")]
        players = [
            await start_bot("random", "--url", server.url, *flags, "--count", "1", PARLOUR_TOKEN=token)
            for token in tokens
        ]
        for player in players:
            output, errors = await asyncio.wait_for(player.communicate(), TIMEOUT_S)
            assert (player.returncode, errors) == (0, b"")
            assert b"cohcoh as " in output
        async with session(server.url) as guest:
            (game,) = (await guest.ask(History(id=guest.id(), limit=9))).rooms or ()
        assert (game.rated, game.clock.base, game.options["n"]) == (True, 60_000, 3)
        assert {seat.name for seat in game.seats if seat is not None} == {"ann", "ben"}


@pytest.mark.parametrize("code", ["raise SystemExit('no idea')", "print('a nonsense move', flush=True)"])
async def test_exit_code_is_1_after_the_program_failed(code: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"input()\n{code}\n")
    words = (
        "--exec",
        shlex.join([sys.executable, str(program)]),
        "--name",
        "failing",
        "--no-state",
        "--open",
        "--count",
        "1",
    )
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        await alice.ask(Create(id=alice.id(), game="cohcoh", seat=1))
        process = await start_bot(*words, "--url", server.url, XDG_STATE_HOME=str(tmp_path))
        output, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert process.returncode == 1, (output, errors)
        assert b"the bot failed in 1 game" in errors
