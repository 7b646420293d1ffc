"""The house bot that reviews games, as a process: it is started, restarted, and answers `parlour review --server`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client.sample_programs import arguments
from tests.e2e.conftest import ConnectGuest
from tests.e2e.play import play, room_of
from tests.waiting import until

Spawn = Callable[..., Awaitable[Any]]


def reviewers(pid: int) -> set[int]:
    """Return the process ids of the reviewers that a server has started."""
    children = (Path(f"/proc/{pid}/task") / str(pid) / "children").read_text().split()
    return {int(child) for child in children if b"reviewer" in arguments(int(child))}


@pytest.mark.long  # tests/client/bots/test_reviewer.py has the same without a process
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
async def test_house_bot_reviews_games_and_is_restarted(spawn: Spawn, connect_guest: ConnectGuest) -> None:
    server = await spawn(PARLOUR_HOUSE="reviewer")
    ann, ben = await connect_guest(server.url), await connect_guest(server.url)
    room = await room_of(ann, ben, options={"n": 4, "k": 3})
    await play(ann, ben, room, "a1", "b1", "d4", "a3")
    await ben.ask("resign", room=room)
    (first,) = reviewers(server.process.pid)
    while (answer := await ann.answer(await ann.send("review", room=room)))["type"] == "error":
        assert answer["code"] == "no_reviewer"  # it is still being started
        await asyncio.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    await until("the reviewer is restarted", lambda: reviewers(server.process.pid) - {first})
    while (update := await ann.find(type="review_update"))["state"] != "done":
        assert update["state"] in ("queued", "running")
    command = [sys.executable, "-m", "parlour", "review", room, "--server", "--json", "--url", server.url]
    process = await create_subprocess_exec(*command, stdout=PIPE)
    output, _ = await process.communicate()
    found = json.loads(output)
    assert found["accuracy"] == update["summary"]["accuracy"]
    assert [move["judgement"] for move in found["moves"]] == [move["judgement"] for move in update["moves"]]
    assert all(move["value_proved"] for move in found["moves"]), "the whole game is small enough to be proved"
