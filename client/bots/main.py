"""Running a bot of one's own: `from parlour import Bot, run`."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client.bots.factory import BotFactory, class_factory
from client.bots.game_loop import Notify, PlaySettings
from client.bots.loader import LoadError
from client.bots.move_request import BotSource
from client.bots.policy import Policy, Seek
from client.bots.runner import Runner
from client.programs.failure import Failure
from client.sdk.bot import Bot
from client.sdk.credentials import CredentialsFile, default_credentials_path
from client.sdk.errors import SessionError
from client.sdk.session import Session
from client.sdk.time_control import parse_time_control
from client.sdk.url import DEFAULT_URL
from engine.errors import GameError
from engine.registry import create
from runtime.backoff import Backoff
from runtime.child_process import wait_for_stdin_end
from runtime.event_loop import run_loop
from runtime.threads import in_thread

LONGEST = 26  # characters of a name that leave room for more


def say(sentence: str) -> None:
    """BrokenPipeError once, when nobody reads any more. A full disk costs what we say, not the game."""
    try:
        print(sentence, flush=True)
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.EIO):  # a reader or a terminal that has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise BrokenPipeError from None


def run(
    bot: type[Bot],
    *,
    url: str = "",
    name: str = "",
    token: str = "",
    seek: str = "",
    clock: str = "none",
    games: int | None = None,
    concurrent: int = 4,
) -> None:
    """Connect a bot and play until interrupted, or so many games. `seek`: a game to look for opponents in.

    Without url and token, the environment's PARLOUR_URL and PARLOUR_TOKEN. `parlour bot FILE.py` has more to choose.
    What cannot be done is said in one sentence and ends the program with status 2.
    """
    place, secret = url or os.environ.get("PARLOUR_URL", ""), token or os.environ.get("PARLOUR_TOKEN", "")
    try:
        factory = class_factory(bot)
        seeks = (Seek(seek, dict(create(seek).spec.options), parse_time_control(clock)),) if seek else ()
        if concurrent < 1 or (games is not None and games < 1):
            raise LoadError("a bot plays one game at least: games and concurrent are 1 or more")
        policy, settings = Policy(factory.games, concurrent=concurrent), PlaySettings(source=BotSource(factory.source))
        run_loop(play(ConnectionSettings(place, name, secret), factory, policy, settings, seeks=seeks, games=games))
    except KeyboardInterrupt:
        pass
    except (LoadError, GameError, Failure, SessionError) as error:
        print(f"parlour: {error}", file=sys.stderr)
        sys.exit(2)


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Where to and as whom. `state`: the file with the way back; None is the usual one, an empty path none at all.

    A token is a way back by itself: with one, nobody looks into a file that may belong to somebody else.
    """

    url: str = ""
    name: str = ""
    token: str = ""
    state: Path | None = None
    trust: str = ""
    idle_timeout: float = 20.0
    backoff: Backoff | None = None
    with_stdin: bool = False  # leave when standard input ends

    def state_file(self, name: str) -> CredentialsFile | None:
        if self.token or self.state == Path():
            return None
        return CredentialsFile(self.state or default_credentials_path(self.url or DEFAULT_URL, name))


async def play(
    connection: ConnectionSettings,
    factory: BotFactory,
    policy: Policy,
    settings: PlaySettings,
    *,
    seeks: tuple[Seek, ...] = (),
    open_rooms: bool = False,
    games: int | None = None,
    tell: Notify = say,
) -> int:
    """Play until it is enough or somebody interrupts; how many games there were. SessionError."""
    name = connection.name or factory.name
    state = connection.state_file(name)
    resume = "" if state is None else state.open()
    session = Session(
        connection.url or DEFAULT_URL,
        name=name,
        fallback_name=""
        if connection.name
        else f"{name[:LONGEST]}-guest",  # as where a bot of the house is called the same
        token=connection.token,
        resume=resume,
        client=f"parlour-bot {sys.version_info.major}.{sys.version_info.minor}",
        plays=policy.games,
        trust=connection.trust,
        idle_timeout=connection.idle_timeout,
        backoff=connection.backoff,
    )

    def speak(sentence: str) -> None:
        try:
            tell(sentence)
        except BrokenPipeError:
            runner.leave()

    runner = Runner(
        session, factory, policy, settings, speak, seeks=seeks, open_rooms=open_rooms, games=games, state=state
    )
    try:
        await interruptible(live(session, factory, policy.games, runner), connection.with_stdin)
        return runner.played
    finally:
        if state is not None:
            state.close()


async def live(session: Session, factory: BotFactory, games: tuple[str, ...], runner: Runner) -> None:
    try:
        await in_thread(lambda: factory.warm(games))
        session.start()
        await runner.run()
    finally:
        await session.close()
        await in_thread(factory.close)


async def interruptible(work: Coroutine[Any, Any, None], with_stdin: bool) -> None:
    """Work until its end, or until a signal or the end of the terminal or of the input; then it takes its leave."""
    task = asyncio.create_task(work)
    if with_stdin:
        in_thread(wait_for_stdin_end).add_done_callback(lambda ended: task.cancel())
    loop = asyncio.get_running_loop()
    numbers = [signal.SIGTERM, signal.SIGINT]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup wants it
        numbers.append(signal.SIGHUP)
    for number in numbers:
        with suppress(NotImplementedError, ValueError, RuntimeError):  # not in this thread, or not on this system
            loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():  # it was not the task that was told to end, but we
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise
    finally:
        for number in numbers:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)
