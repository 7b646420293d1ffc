"""Entry point of a bot program: `from parlour import Bot, run`."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Coroutine, Mapping
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
from protocol.types import MAX_PROGRAM_CHARS
from runtime import printable as terminal
from runtime.backoff import Backoff
from runtime.child_process import wait_for_stdin_end
from runtime.event_loop import run_loop
from runtime.signals import calls_on_exit_signal
from runtime.threads import in_thread

MAX_NAME_STEM_CHARS = 26  # leaves room for a suffix within the server's limit


def print_line(sentence: str) -> None:
    """Print a line. Raises BrokenPipeError once if the reader has gone; ignores other errors, such as a full disk."""
    try:
        terminal.print_line(sentence, flush=True)
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.EIO):  # the reader or the terminal has gone
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
    ladder: bool = False,
    options: Mapping[str, object] | None = None,
) -> None:
    """Connect a bot and play until interrupted, or until `games` games are played.

    `seek`: a game for which to seek opponents. Without it the bot waits for invitations. `clock`: the time control of
    that game. `concurrent`: the most games at a time. `ladder`: a ladder of the server may pair the bot. `options`: of
    the game to seek; the bot accepts only games with these options. `url` and `token` default to the environment
    variables PARLOUR_URL and PARLOUR_TOKEN. An error is printed as one sentence and ends the program with status 2.
    `parlour bot FILE.py` has more options.
    """
    server, secret = url or os.environ.get("PARLOUR_URL", ""), token or os.environ.get("PARLOUR_TOKEN", "")
    try:
        factory = class_factory(bot)
        seeks = (Seek(seek, dict(create(seek, options).spec.options), parse_time_control(clock)),) if seek else ()
        if concurrent < 1 or (games is not None and games < 1):
            raise LoadError("a bot plays at least one game: games and concurrent must be 1 or more")
        required = {name: str(value) for name, value in (options or {}).items()}
        policy = Policy(factory.games, options=required, concurrent=concurrent)
        settings = PlaySettings(source=BotSource(factory.source))
        connection = ConnectionSettings(server, name, secret, ladder=ladder)
        run_loop(play(connection, factory, policy, settings, seeks=seeks, games=games))
    except KeyboardInterrupt:
        pass
    except (LoadError, GameError, Failure, SessionError) as error:
        terminal.print_error(str(error))
        sys.exit(2)


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """The server and the identity. `state`: the credentials file; None is the default file, Path() means none.

    With a token no credentials file is used: the token identifies the player, and the file may be another player's.
    """

    url: str = ""
    name: str = ""
    token: str = ""
    state: Path | None = None
    trust: str = ""
    idle_timeout: float = 20.0
    backoff: Backoff | None = None
    with_stdin: bool = False  # stop when standard input ends
    ladder: bool = False  # a ladder may pair the bot

    def credentials(self, name: str) -> CredentialsFile | None:
        """Return the credentials file of a player name, or None."""
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
    notify: Notify = print_line,
) -> Runner:
    """Play until enough games are played or a signal arrives. Return the runner. Raises SessionError."""
    name = connection.name or factory.name
    credentials = connection.credentials(name)
    resume = "" if credentials is None else credentials.open()
    session = Session(
        connection.url or DEFAULT_URL,
        name=name,
        fallback_name="" if connection.name else f"{name[:MAX_NAME_STEM_CHARS]}-guest",  # a house bot may have the name
        token=connection.token,
        resume=resume,
        client=f"parlour-bot {sys.version_info.major}.{sys.version_info.minor}",
        plays=policy.games,
        bot=True,
        engine=printable_start(factory.engine),
        version=printable_start(factory.version),
        concurrent=policy.concurrent,
        ladder=connection.ladder,
        trust=connection.trust,
        idle_timeout=connection.idle_timeout,
        backoff=connection.backoff,
    )

    def notify_or_stop(sentence: str) -> None:
        try:
            notify(sentence)
        except BrokenPipeError:
            runner.stop()

    runner = Runner(
        session,
        factory,
        policy,
        settings,
        notify_or_stop,
        seeks=seeks,
        open_rooms=open_rooms,
        games=games,
        credentials=credentials,
    )
    try:
        await run_until_signal(run_session(session, factory, policy.games, runner), connection.with_stdin)
        return runner
    finally:
        if credentials is not None:
            credentials.close()


def printable_start(text: str) -> str:
    """Return as much of a text as the server accepts for the name or the version of a program."""
    return terminal.printable(text)[:MAX_PROGRAM_CHARS]


async def run_session(session: Session, factory: BotFactory, games: tuple[str, ...], runner: Runner) -> None:
    """Load the bot, connect, play, and release everything at the end."""
    try:
        await in_thread(lambda: factory.warm(games))
        session.start()
        await runner.run()
    finally:
        await session.close()
        await in_thread(factory.close)


async def run_until_signal(work: Coroutine[Any, Any, None], with_stdin: bool) -> None:
    """Run the work. Cancel it when a signal asks this process to exit, or at the end of standard input."""
    task = asyncio.create_task(work)
    if with_stdin:
        in_thread(wait_for_stdin_end).add_done_callback(lambda ended: task.cancel())
    with calls_on_exit_signal(lambda number: task.cancel()):
        try:
            await task
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling():  # not a signal: the caller was cancelled too
                raise
