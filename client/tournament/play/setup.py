"""Everything that a tournament needs while it is played, put together: log, server, players, arbiter, runner."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from client.local_server import BackgroundServer
from client.sdk.credentials import CredentialsFile
from client.sdk.session import Session
from client.tournament.journal import replay as entries
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log
from client.tournament.journal.replay import TournamentState, replay
from client.tournament.model.plan import Plan
from client.tournament.model.versions import versions
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.player_pool import OnMessage, PlayerPool
from client.tournament.play.position_tests import ask_position, unanswered
from client.tournament.play.runner import OnUpdate, Runner

CONNECT_TIMEOUT_S = 15.0  # seconds to wait for the server
# Of a server of our own: the bots are ours too, and their number is known. No limit is to slow them down.
UNLIMITED = ("--rate", "1e9", "--burst", "1000000", "--rooms-per-player", "1000", "--connections-per-address", "10000")


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """The server, and who we are there. Without a url the tournament has a server of its own."""

    url: str = ""
    token: str = ""
    trust: str = ""


@asynccontextmanager
async def open_runner(
    folder: Folder, server: ServerAccess, on_message: OnMessage, on_update: OnUpdate
) -> AsyncIterator[Runner]:
    """A runner that can begin. TournamentError or SessionError if something is missing."""
    plan = folder.plan()
    async with AsyncExitStack() as stack:
        log, state = open_log(folder, stack)
        if log.was_cut:
            on_message("the last line of the log was cut off and does not count; what it told comes again")
        known = (state.url, plan.url) if state.begun else (plan.url, state.url)  # a plan may change until then
        server = replace(server, url=server.url or known[0] or known[1])
        await log.keep(entries.run(versions(), "" if server.url == plan.url else server.url))
        if not server.url:
            on_message("starting a server of its own")
            hosting = BackgroundServer(folder.server, UNLIMITED)
            stack.push_async_callback(hosting.stop)
            server = ServerAccess(await hosting.start())  # server no token of any other server is known
        arbiter = await connect_arbiter(plan, folder, server, stack)
        pool = await open_player_pool(plan, folder, server, stack, on_message)
        await run_position_tests(plan, folder, log, state, on_message)
        yield Runner(plan, folder, log, state, arbiter, pool, on_update)


def open_log(folder: Folder, stack: AsyncExitStack) -> tuple[Log, TournamentState]:
    log = Log(folder.log_file)
    stack.push_async_callback(log.close)
    state = replay(log.open())
    folder.check_plan(state)
    if state.plan != folder.digest():
        log.write(entries.tournament(folder.digest()))
    return log, state


async def connect_arbiter(plan: Plan, folder: Folder, server: ServerAccess, stack: AsyncExitStack) -> Arbiter:
    state = CredentialsFile(folder.players / "arbiter.json")
    stack.callback(state.close)
    name = re.sub(r"[^A-Za-z0-9]+", "-", plan.name).strip("-")[:20] or "tournament"
    session = Session(
        server.url, name=f"{name}-{secrets.token_hex(3)}", token=server.token, trust=server.trust,
        resume="" if server.token else state.open(), client="parlour-tournament",
    )  # fmt: skip
    stack.push_async_callback(session.close)
    welcome = await session.open(CONNECT_TIMEOUT_S)
    state.save(welcome.session)  # rooms that we make are ours alone
    return Arbiter(session, plan, state)


async def open_player_pool(
    plan: Plan, folder: Folder, server: ServerAccess, stack: AsyncExitStack, on_message: OnMessage
) -> PlayerPool:
    others = [player.name for player in plan.players if not player.started]
    if others:
        names = "that name" if len(others) == 1 else "those names"
        on_message(f"{', '.join(others)} should connect to {server.url} under {names}")
    if len(others) < len(plan.players):
        count = len(plan.players) - len(others)
        on_message(
            f"{count} {'player is started as it is' if count == 1 else 'players are started as they are'} needed"
        )
    pool = PlayerPool(plan, folder, server.url, server.trust, on_message)
    stack.push_async_callback(pool.close)
    await pool.open()
    return pool


async def run_position_tests(
    plan: Plan, folder: Folder, log: Log, state: TournamentState, on_message: OnMessage
) -> None:
    """One at a time, before any game is played: their time is measured."""
    left = unanswered(plan, state)
    if left:
        on_message(f"asking {'once' if len(left) == 1 else f'{len(left)} times'} for the move of a position")
    for student, goal, position in left:
        answer = await ask_position(plan, folder, student, goal, position)
        await log.keep(entries.answered(answer))
        state.answers[student, goal.name, position] = answer


async def play(runner: Runner) -> None:
    """To the end. SessionError if the server does not want us any more."""
    listening = asyncio.create_task(runner.arbiter.listen())
    playing = asyncio.create_task(runner.run())
    try:
        await asyncio.wait({listening, playing}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            playing.result()
        else:
            listening.result()
    finally:
        for task in (listening, playing):
            task.cancel()
        await asyncio.gather(listening, playing, return_exceptions=True)
