"""Rooms that are missing in the log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from client.sdk.credentials import CredentialsFile
from client.tournament.journal.folder import Folder
from client.tournament.journal.replay import dropped
from client.tournament.model.results import Pairing
from client.tournament.play.arbiter import Arbiter
from tests.e2e.local_server import running_server, session
from tests.tournament.live import contestants, moves, plan_of, run, server_with_bots


async def test_unlogged_rooms_are_found_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("round-robin", contestants(3)))
    async with server_with_bots(tmp_path, 3) as url:
        await run(folder, url)
        before = moves(folder)
        lines = folder.log_file.read_text().splitlines(keepends=True)
        rooms = {result.room for result in folder.state().results.values()}
        folder.log_file.write_text("".join(lines[:2]) + lines[2][:17])  # as after a power failure
        await run(folder, url)
    assert moves(folder) == before
    assert {result.room for result in folder.state().results.values()} == rooms


async def test_room_that_was_dropped_is_not_taken_for_an_unlogged_one(tmp_path: Path) -> None:
    """A game that was lost only because the runner was killed would count after the next restart."""
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("round-robin", contestants(3)))
    async with server_with_bots(tmp_path, 3) as url:
        await run(folder, url)
        lines = folder.log_file.read_text().splitlines(keepends=True)
        last = json.loads(lines[-1])
        lines[-1] = json.dumps(dropped(last["game"], last["room"], "interrupted")) + "\n"
        folder.log_file.write_text("".join(lines))
        await run(folder, url)
    assert folder.state().results[last["game"]].room != last["room"]


async def test_lost_reply_does_not_take_an_older_room_of_the_same_players(tmp_path: Path) -> None:
    """Without openings, only the log tells the rooms of two games between the same players apart."""
    async with running_server(tmp_path) as server, session(server.url, "judge") as judge:
        credentials = CredentialsFile(tmp_path / "judge.json")
        plan = plan_of("match", contestants(2), opening_plies=0)
        arbiter = Arbiter(judge, plan, credentials)
        listening = asyncio.create_task(arbiter.listen())
        game = Pairing(1, 1, 1, ("ann", "ben"), 1)
        old = await arbiter.create_room(game, "")
        await arbiter.abort(old)
        await arbiter.find_unlogged_rooms(set())  # as after a lost reply
        assert arbiter.take_unlogged_room(game, "") == ""
        assert await arbiter.create_room(game, "") != old
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def test_room_of_another_log_is_not_taken(tmp_path: Path) -> None:
    """One account may be the arbiter of several ladders, whose bots play the same openings."""
    async with running_server(tmp_path) as server, session(server.url, "judge") as judge:
        plan = plan_of("match", contestants(2), opening_plies=0)
        game = Pairing(1, 1, 1, ("ann", "ben"), 1)
        old = await Arbiter(judge, plan, CredentialsFile(tmp_path / "one.json")).create_room(game, "")
        arbiter = Arbiter(judge, plan, CredentialsFile(tmp_path / "other.json"))
        await arbiter.find_unlogged_rooms(set())
        assert arbiter.take_unlogged_room(game, "", since_ms=server.app.now() + 1) == ""
        assert arbiter.take_unlogged_room(game, "") == old


async def test_snapshot_that_is_lost_is_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.tournament.play.arbiter.SNAPSHOT_TIMEOUT_S", 0.05)
    async with running_server(tmp_path) as server, session(server.url, "judge") as judge:
        plan = plan_of("match", contestants(2))
        room = await Arbiter(judge, plan, CredentialsFile(tmp_path / "one.json")).create_room(
            Pairing(1, 1, 1, ("ann", "ben"), 1), ""
        )
        async with session(server.url, "other") as other:
            arbiter = Arbiter(other, plan, CredentialsFile(tmp_path / "other.json"))
            listening = asyncio.create_task(arbiter.listen())
            receive, lost = other._receive_snapshot, list[object]()
            monkeypatch.setattr(
                other, "_receive_snapshot", lambda *given: receive(*given) if lost else lost.append(given)
            )
            view = await arbiter.watch(room)
            assert view is not None
            assert lost
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
