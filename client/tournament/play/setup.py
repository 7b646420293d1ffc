"""Everything that a tournament needs while it is played, put together: log, server, players, arbiter, runner."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from client.hosting import Hosting
from client.sdk.credentials import CredentialsFile
from client.sdk.session import Session
from client.tournament.journal import replay as entries
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log
from client.tournament.journal.replay import Story, tell
from client.tournament.model.plan import Plan
from client.tournament.model.versions import versions
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.player_pool import Cast, Say
from client.tournament.play.position_tests import ask, unanswered
from client.tournament.play.runner import Runner, Tell

PATIENCE = 15.0  # seconds to wait for the server
# Of a server of our own: the bots are ours too, and their number is known. No limit is to slow them down.
UNLIMITED = ("--rate", "1e9", "--burst", "1000000", "--rooms-per-player", "1000", "--connections-per-address", "10000")


@dataclass(frozen=True, slots=True)
class Where:
    """The server, and who we are there. Without a url the tournament has a server of its own."""

    url: str = ""
    token: str = ""
    trust: str = ""


@asynccontextmanager
async def prepared(folder: Folder, where: Where, say: Say, news: Tell) -> AsyncIterator[Runner]:
    """A runner that can begin. TournamentError or SessionError if something is missing."""
    plan = folder.plan()
    async with AsyncExitStack() as stack:
        log, story = open_log(folder, stack)
        if log.was_cut:
            say("the last line of the log was cut off and does not count; what it told comes again")
        known = (story.url, plan.url) if story.begun else (plan.url, story.url)  # a plan may change until then
        where = replace(where, url=where.url or known[0] or known[1])
        await log.keep(entries.run(versions(), "" if where.url == plan.url else where.url))
        if not where.url:
            say("starting a server of its own")
            hosting = Hosting(folder.server, UNLIMITED)
            stack.push_async_callback(hosting.stop)
            where = Where(await hosting.start())  # where no token of any other server is known
        arbiter = await connect(plan, folder, where, stack)
        cast = await gather_players(plan, folder, where, stack, say)
        await ask_students(plan, folder, log, story, say)
        yield Runner(plan, folder, log, story, arbiter, cast, news)


def open_log(folder: Folder, stack: AsyncExitStack) -> tuple[Log, Story]:
    log = Log(folder.log_file)
    stack.push_async_callback(log.close)
    story = tell(log.open())
    folder.check(story)
    if story.plan != folder.digest():
        log.write(entries.beginning(folder.digest()))
    return log, story


async def connect(plan: Plan, folder: Folder, where: Where, stack: AsyncExitStack) -> Arbiter:
    state = CredentialsFile(folder.players / "arbiter.json")
    stack.callback(state.close)
    name = re.sub(r"[^A-Za-z0-9]+", "-", plan.name).strip("-")[:20] or "tournament"
    session = Session(
        where.url, name=f"{name}-{secrets.token_hex(3)}", token=where.token, trust=where.trust,
        resume="" if where.token else state.open(), client="parlour-tournament",
    )  # fmt: skip
    stack.push_async_callback(session.close)
    welcome = await session.open(PATIENCE)
    state.save(welcome.session)  # rooms that we make are ours alone
    return Arbiter(session, plan, state)


async def gather_players(plan: Plan, folder: Folder, where: Where, stack: AsyncExitStack, say: Say) -> Cast:
    others = [player.name for player in plan.players if not player.started]
    if others:
        names = "that name" if len(others) == 1 else "those names"
        say(f"{', '.join(others)} should connect to {where.url} under {names}")
    if len(others) < len(plan.players):
        count = len(plan.players) - len(others)
        say(f"{count} {'player is started as it is' if count == 1 else 'players are started as they are'} needed")
    cast = Cast(plan, folder, where.url, where.trust, say)
    stack.push_async_callback(cast.close)
    await cast.open()
    return cast


async def ask_students(plan: Plan, folder: Folder, log: Log, story: Story, say: Say) -> None:
    """One at a time, before any game is played: their time is measured."""
    left = unanswered(plan, story)
    if left:
        say(f"asking {'once' if len(left) == 1 else f'{len(left)} times'} for the move of a position")
    for student, goal, position in left:
        answer = await ask(plan, folder, student, goal, position)
        await log.keep(entries.answered(answer))
        story.answers[student, goal.name, position] = answer


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
