"""Run bots against a real server: in this process, with their output captured, or as processes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from client.bots.factory import BotFactory, spec_factory
from client.bots.game_loop import PlaySettings
from client.bots.main import ConnectionSettings, play
from client.bots.move_request import BotSource
from client.bots.policy import Policy, Seek
from client.bots.spec import BotSpec
from client.sdk.session import Session
from protocol.commands import Create, History
from protocol.types import Options, RoomInfo, TimeControl
from runtime.backoff import Backoff
from server.app import Running
from tests.e2e.local_server import until

NONE = TimeControl()


class OutputLines:
    """Captures the lines that a bot prints."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, line: str) -> None:
        self.lines.append(line)

    def has(self, *words: str) -> bool:
        return any(all(word in line for word in words) for line in self.lines)


def builtin(name: str, **more: Any) -> BotFactory:
    """Return the factory of a built-in bot."""
    return spec_factory(BotSpec(name, **more), lazy=True)


def seek(game: str, opponent: str = "", clock: TimeControl = NONE, options: Options | None = None) -> Seek:
    return Seek(game, options or {}, clock, opponent=opponent)


async def run_bot(
    url: str,
    factory: BotFactory,
    *,
    name: str = "",
    forensics: Path | None = None,
    policy: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    cpu_clock: bool = False,
    output: OutputLines | None = None,
    state: Path | None = None,
    token: str = "",
    ladder: bool = False,
    **more: Any,
) -> int:
    """Run a bot until it has played its games. Return how many there were."""
    connection = ConnectionSettings(url, name, token, state or Path(), backoff=Backoff(0.01, 0.1), ladder=ladder)
    source = BotSource(factory.source, forensics or Path("/nonexistent"), cpu_clock)
    chosen = Policy(**{"games": factory.games, **(policy or {})})
    runner = await play(
        connection,
        factory,
        chosen,
        PlaySettings(source=source, **(settings or {})),
        notify=output or OutputLines(),
        **more,
    )
    return runner.played


@asynccontextmanager
async def running_bot(
    url: str, factory: BotFactory, output: OutputLines | None = None, **more: Any
) -> AsyncIterator[OutputLines]:
    """Run a bot for the length of the block. Yield its output."""
    output = output or OutputLines()
    task = asyncio.create_task(run_bot(url, factory, output=output, **more))
    try:
        await until("the bot is connected", lambda: task.done() or output.has("connected to"))
        yield output
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def finished_games(session: Session, player: str = "") -> list[RoomInfo]:
    answer = await session.ask(History(id=session.id(), player=player, limit=100))
    return list(answer.rooms or ())


async def invite(guest: Session, name: str, game: str = "cohcoh", **setup: object) -> str:
    made = await guest.ask(Create(id=guest.id(), game=game, invite=name, seat=0, **setup))  # type: ignore[arg-type]
    return made.room


def in_state(guest: Session, room: str, status: str, ply: int = 0) -> bool:
    return room in guest.rooms and guest.rooms[room].status == status and guest.rooms[room].ply >= ply


async def start_bot(*words: str, **environment: str) -> asyncio.subprocess.Process:
    """Start `parlour bot` as a process."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "bot", *words,
        env={**os.environ, **environment}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def create_account(server: Running, name: str) -> str:
    """Create an account and return its token."""
    assert await server.app.store.add_account(name, f"p-{name}", f"token-of-{name}", 0)
    return f"token-of-{name}"
