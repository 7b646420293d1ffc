"""Set up everything a tournament needs while it is played: log, server, players, arbiter and runner."""

from __future__ import annotations

import asyncio
import platform
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version

from client.local_server import BackgroundServer
from client.presentation.texts import counted
from client.programs.failure import Failure
from client.programs.jail.choice import JailSettings, choose
from client.programs.limits import Limits
from client.sdk.credentials import CredentialsFile
from client.sdk.session import Session
from client.tournament.formats.schedule import schedule
from client.tournament.formats.standings import standings
from client.tournament.journal import replay as entries
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log
from client.tournament.journal.replay import TournamentState, replay
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.opening_book import OpeningBook
from client.tournament.play.player_pool import OnMessage, PlayerPool
from client.tournament.play.position_tests import ask_position, unanswered
from client.tournament.play.runner import OnUpdate, Runner

CONNECT_TIMEOUT_S = 15.0
# The tournament's own server only serves its own players, so no limit should slow them down.
UNLIMITED = (
    "--rate", "1e9", "--burst", "1000000", "--rooms-per-player", "1000", "--rooms-per-minute", "1000000",
    "--connections-per-address", "10000",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """The server to play on, and the account there. Without a url the tournament starts its own server."""

    url: str = ""
    token: str = ""
    trust: str = ""


@asynccontextmanager
async def open_runner(
    folder: Folder, server: ServerAccess, on_message: OnMessage, on_update: OnUpdate
) -> AsyncIterator[Runner]:
    """Yield a runner that is ready to play.

    Raises TournamentError or SessionError if something is missing.
    """
    plan = folder.plan()
    async with AsyncExitStack() as stack:
        log, state = open_log(folder, stack)
        if log.was_cut:
            on_message("the last line of the log is incomplete and does not count; the lost entry is recovered")
        urls = (state.url, plan.url) if state.begun else (plan.url, state.url)  # until then the plan may change
        server = replace(server, url=server.url or urls[0] or urls[1])
        await log.append_durably(entries.run(versions(), "" if server.url == plan.url else server.url))
        book = OpeningBook(plan, log, state, on_message)
        stack.callback(book.close)
        await book.prepare(max((game.opening for game in schedule(plan, state.results).games), default=0))
        if not server.url:
            on_message("starting the tournament's own server")
            own_server = BackgroundServer(folder.server, UNLIMITED)
            stack.push_async_callback(own_server.stop)
            server = ServerAccess(await own_server.start())  # tokens of other servers are not valid there
        plan = with_jail(plan, on_message)
        arbiter = await connect_arbiter(plan, folder, server, stack)
        pool = await open_player_pool(plan, folder, server, stack, on_message)
        await run_position_tests(plan, folder, log, state, on_message)
        yield Runner(plan, folder, log, state, arbiter, pool, book, on_update)


def is_finished(plan: Plan, state: TournamentState) -> bool:
    """Return whether every game has a result and every question an answer."""
    return standings(plan, state.results).finished and not unanswered(plan, state)


def with_jail(plan: Plan, on_message: OnMessage) -> Plan:
    """Return the plan with the jail that "auto" means here, and say what it prevents.

    Raises TournamentError if the jail does not work here.
    """
    if not any(player.foreign for player in plan.players):
        return plan
    try:
        jail = choose(JailSettings(plan.jail, plan.jail_image, cores=plan.jail_cores))
    except Failure as failure:
        raise TournamentError(str(failure)) from None
    how = "" if jail.confines or plan.jail == "auto" else "; --jail auto confines them"
    on_message(jail.enforced(Limits()) + how)
    return replace(plan, jail=jail.name)


def versions() -> dict[str, str]:
    """Return the versions of the software that the tournament is played with."""
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for package in ("parlour", "numba", "websockets", "msgspec"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def open_log(folder: Folder, stack: AsyncExitStack) -> tuple[Log, TournamentState]:
    log = Log(folder.log_file)
    stack.push_async_callback(log.close)
    state = replay(log.open())
    folder.check_plan(state)
    if state.plan_digest != folder.plan_digest():
        log.append(entries.tournament(folder.plan_digest()))
        state.openings.clear()
    return log, state


async def connect_arbiter(plan: Plan, folder: Folder, server: ServerAccess, stack: AsyncExitStack) -> Arbiter:
    """Connect as the arbiter. A resumed tournament keeps the identity that has created its rooms."""
    credentials = CredentialsFile(folder.players / "arbiter.json")
    session = await open_arbiter_session(server, credentials, plan.name, "tournament", stack)
    return Arbiter(session, plan, credentials)


async def open_arbiter_session(
    server: ServerAccess, credentials: CredentialsFile, name: str, kind: str, stack: AsyncExitStack
) -> Session:
    """Connect as the arbiter of a tournament or a ladder: with the token, else with the identity in the file.

    A new guest is named after the tournament, and the file keeps its identity.
    """
    stack.callback(credentials.close)
    name = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:20] or kind
    session = Session(
        server.url, name=f"{name}-{secrets.token_hex(3)}", token=server.token, trust=server.trust,
        resume="" if server.token else credentials.open(), client=f"parlour-{kind}",
    )  # fmt: skip
    stack.push_async_callback(session.close)
    welcome = await session.open(CONNECT_TIMEOUT_S)
    credentials.save(welcome.session)
    return session


async def open_player_pool(
    plan: Plan, folder: Folder, server: ServerAccess, stack: AsyncExitStack, on_message: OnMessage
) -> PlayerPool:
    others = [player.name for player in plan.players if not player.started]
    if others:
        names = "that name" if len(others) == 1 else "those names"
        on_message(f"{', '.join(others)} should connect to {server.url} under {names}")
    if len(others) < len(plan.players):
        count = len(plan.players) - len(others)
        on_message(f"{counted(count, 'player')} will be started when needed")
    pool = PlayerPool(plan, folder, server.url, server.trust, on_message)
    stack.push_async_callback(pool.close)
    await pool.start()
    return pool


async def run_position_tests(
    plan: Plan, folder: Folder, log: Log, state: TournamentState, on_message: OnMessage
) -> None:
    """Ask the students' programs, one at a time and before any game, because their time is measured."""
    left = unanswered(plan, state)
    if left:
        on_message(f"asking students' programs for {counted(len(left), 'move')} in test positions")
    for student, goal, position in left:
        answer = await ask_position(plan, folder, student, goal, position)
        await log.append_durably(entries.answered(answer))
        state.answers[student, goal.name, position] = answer


async def play(runner: Runner) -> None:
    """Play to the end. Raises SessionError if the server ends the session."""
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
