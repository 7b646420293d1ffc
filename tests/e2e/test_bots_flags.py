"""The flags of `parlour bot` that say whom it plays, each with a process and a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from client.sdk.session import Session
from protocol.commands import Create, History, Move
from server.app import Running
from tests.e2e.bots import create_account, in_state, invite, start_bot
from tests.e2e.parlours import parlour, session, until


@asynccontextmanager
async def connected(there: Running, name: str, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """`parlour bot random` with these flags, for as long as the block lasts."""
    process = await start_bot("random", "--name", name, "--url", there.url, "--no-state", *words)
    try:
        await until(f"{name} is there", partial(there.app.presence.is_here, name))
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        _, errors = await asyncio.wait_for(process.communicate(), 10)
        assert errors == b""


async def heard(process: asyncio.subprocess.Process, *words: str) -> None:
    """Wait for a line of the bot's with these words."""
    assert process.stdout is not None
    line = ""
    async with asyncio.timeout(20):
        while not all(word in line for word in words):
            line = (await process.stdout.readline()).decode()


async def play_out(guest: Session, room: str) -> None:
    """Answer with any move until the game is over."""
    while not in_state(guest, room, "ended"):
        table = guest.rooms.get(room)
        if table is not None and table.my_move and table.game is not None:
            move = table.game.legal(table.state)[0]
            await guest.ask(Move(id=guest.id(), room=room, ply=table.ply, move=move))
        await asyncio.sleep(0.002)


async def test_open(tmp_path: Path) -> None:
    """--open joins whoever waits, and --count leaves after so many games."""
    async with parlour(tmp_path) as there, session(there.url, "alice") as alice:
        async with connected(there, "mixer", "--open", "--games", "cohcoh,conga", "--count", "1") as process:
            other = (await alice.ask(Create(id=alice.id(), game="mancala"))).room
            made = await alice.ask(Create(id=alice.id(), game="cohcoh", options={"n": 3, "k": 3}))
            await play_out(alice, made.room)
            assert await asyncio.wait_for(process.wait(), 10) == 0
        assert in_state(alice, other, "waiting")


@pytest.mark.parametrize(("flags", "welcome"), [(("--avoid", "Mallory,eve"), "alice"), (("--opponents", "BOB"), "bob")])
async def test_avoid_and_opponents(flags: tuple[str, ...], welcome: str, tmp_path: Path) -> None:
    async with parlour(tmp_path) as there, connected(there, "shy", *flags) as process:  # noqa: SIM117
        async with session(there.url, "mallory") as mallory, session(there.url, welcome) as friend:
            refused = await invite(mallory, "shy")
            await heard(process, refused, "not joined, not against this opponent")
            room = await invite(friend, "shy")
            await until("it comes", partial(in_state, friend, room, "running"))
            assert in_state(mallory, refused, "waiting")


@pytest.mark.parametrize(("flag", "other"), [("--rated", "casual"), ("--casual", "rated")])
async def test_stakes(flag: str, other: str, tmp_path: Path) -> None:
    """With --token on both sides: rated games are for accounts."""
    async with parlour(tmp_path) as there:
        mine, hers = await create_account(there, "owner"), await create_account(there, "alice")
        async with connected(there, "owner", "--token", mine, flag) as process, session(there.url, token=hers) as alice:
            declined = await invite(alice, "owner", rated=other == "rated")
            await heard(process, declined, f"not joined, only {flag[2:]} games")
            room = await invite(alice, "owner", rated=flag == "--rated")
            await until("it comes", partial(in_state, alice, room, "running"))
            seat = alice.rooms[room].seats[1]
            assert seat is not None
            assert (seat.name, seat.account, alice.rooms[room].setup.rated) == ("owner", True, flag == "--rated")


async def test_a_seeker_of_rated_games_without_an_account_is_told(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there:
        process = await start_bot("random", "--url", there.url, "--no-state", "--seek", "conga", "--rated")
        _, errors = await asyncio.wait_for(process.communicate(), 20)
        assert process.returncode == 2
        assert "a rated game needs an account" in errors.decode()


async def test_two_accounts_seek_a_rated_game(tmp_path: Path) -> None:
    """--seek with --rated, --option, --clock and --count, by tokens of the environment."""
    flags = ("--no-state", "--seek", "cohcoh", "--rated", "--option", "n=3", "--option", "k=3", "--clock", "1+1")
    async with parlour(tmp_path) as there:
        tokens = [await create_account(there, name) for name in ("ann", "ben")]
        players = [
            await start_bot("random", "--url", there.url, *flags, "--count", "1", PARLOUR_TOKEN=token)
            for token in tokens
        ]
        for player in players:
            said, errors = await asyncio.wait_for(player.communicate(), 30)
            assert (player.returncode, errors) == (0, b"")
            assert b"cohcoh as " in said
        async with session(there.url) as guest:
            (game,) = (await guest.ask(History(id=guest.id(), limit=9))).rooms or ()
        assert (game.rated, game.clock.base, game.options["n"]) == (True, 60_000, 3)
        assert {seat.name for seat in game.seats if seat is not None} == {"ann", "ben"}
