"""Play tournaments on a real server with fast bots, in this process or in subprocesses that can be killed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant, Plan
from client.tournament.model.plan_defaults import with_defaults
from client.tournament.play.runner import GameUpdate
from client.tournament.play.setup import ServerAccess, open_runner, play
from tests.e2e.bots import builtin, running_bot
from tests.e2e.local_server import running_server
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[2]
NAMES = ("ann", "ben", "cy", "dot", "eve", "fay")


def contestants(count: int, **more: Any) -> tuple[Contestant, ...]:
    return tuple(Contestant(name, at_a_time=3, **more) for name in NAMES[:count])


def plan_of(format: str, players: tuple[Contestant, ...], **more: Any) -> Plan:
    given = {"game": "maxconnect4", "opening_plies": 6, "concurrency": 6, "wait": TIMEOUT_S, **more}
    return with_defaults(Plan("test", format=format, players=players, **given), "test")  # type: ignore[arg-type]


@asynccontextmanager
async def server_with_bots(folder: Path, count: int) -> AsyncIterator[str]:
    """Start a server with `count` connected bots."""
    async with running_server(folder) as running, AsyncExitStack() as stack:
        for number, name in enumerate(NAMES[:count]):
            maker = builtin("greedy" if number % 2 else "random", seed=number)
            await stack.enter_async_context(running_bot(running.url, maker, name=name))
        yield running.url


class Recorder:
    """Records everything a runner reports."""

    def __init__(self) -> None:
        self.updates: list[GameUpdate] = []
        self.messages: list[str] = []

    def ended(self) -> list[int]:
        return [update.game.number for update in self.updates if update.kind == "ended"]


async def run(folder: Folder, url: str = "", recorder: Recorder | None = None) -> None:
    """Play to the end."""
    recorder = recorder or Recorder()
    async with open_runner(folder, ServerAccess(url), recorder.messages.append, recorder.updates.append) as runner:
        await play(runner)


def table(folder: Folder) -> list[tuple[Any, ...]]:
    """Return the table without times: this must not depend on interruptions."""
    known = standings(folder.plan(), folder.state().results)
    assert known.finished
    return [(row.name, row.points, row.seats, row.forfeits, row.rating) for row in known.rows]


def moves(folder: Folder) -> dict[int, list[str]]:
    """Return the moves of every game of the schedule."""
    state = folder.state()
    known = standings(folder.plan(), state.results)
    return {
        game.number: [line.split()[2] for line in state.results[game.number].record.partition("\n\n")[2].splitlines()]
        for game in known.schedule.games
    }


async def start_command(*words: str) -> asyncio.subprocess.Process:
    token = {} if "--url" in words else {"PARLOUR_TOKEN": "not valid on the tournament's own server"}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "tournament", *words,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **token},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def lines_of(process: asyncio.subprocess.Process) -> AsyncIterator[dict[str, Any]]:
    assert process.stdout is not None
    async for line in process.stdout:
        yield json.loads(line)
