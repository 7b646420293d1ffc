"""Open a ladder: its journal, the arbiter's connection, and the runner. Then play until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from client.ladder.report import LadderReport
from client.ladder.runner import LadderRunner, OnMessage, OnUpdate, RunSettings
from client.ladder.state import LadderGame, LadderResult, LadderSettings, LadderState, replay, settings_entry
from client.presentation.texts import counted
from client.sdk.credentials import CredentialsFile
from client.tournament.journal.log import Log, read
from client.tournament.model.errors import TournamentError
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.reporter import Reporter
from client.tournament.play.setup import ServerAccess, open_arbiter_session
from runtime.file_errors import describe_file_error
from runtime.signals import calls_on_exit_signal
from runtime.untrusted_files import MAX_OWN_LOG_BYTES


def read_ladder(path: Path, max_bytes: int = MAX_OWN_LOG_BYTES) -> tuple[LadderSettings, LadderState]:
    """Return the settings and the state of a ladder, also while it runs. Raises TournamentError."""
    if not path.is_file():
        raise TournamentError(f"there is no ladder in {path}: check the name")
    state = replay(read(path, max_bytes))
    if state.settings is None:
        raise TournamentError(f"{path} is not the journal of a ladder: name another file")
    return state.settings, state


@asynccontextmanager
async def open_ladder(
    path: Path,
    wanted: LadderSettings | None,
    how: RunSettings,
    server: ServerAccess,
    on_message: OnMessage,
    on_update: OnUpdate,
) -> AsyncIterator[LadderRunner]:
    """Yield a runner that is ready. `wanted`: the settings of a new ladder.

    Raises TournamentError if the journal cannot be used, SessionError if the server cannot.
    """
    async with AsyncExitStack() as stack:
        log = Log(path)
        stack.push_async_callback(log.close)
        try:
            state = replay(log.open())
        except OSError as error:
            raise TournamentError(describe_file_error("write", path, error)) from None
        settings = state.settings or wanted
        if settings is None:
            raise TournamentError(f"there is no ladder in {path}: name its game with --game to begin one")
        if state.settings is None:
            state.settings = settings
            await log.append_durably(settings_entry(settings))
        arbiter = await connect_arbiter(path, settings, server, stack)
        yield LadderRunner(settings, how, log, state, arbiter, on_message, on_update)


async def connect_arbiter(path: Path, settings: LadderSettings, server: ServerAccess, stack: AsyncExitStack) -> Arbiter:
    """Connect as the arbiter. Without a token, a file beside the journal keeps the identity for the next run."""
    credentials = CredentialsFile(path.with_name(f"{path.name}.session"))
    session = await open_arbiter_session(server, credentials, settings.name, "ladder", stack)
    return Arbiter(session, settings, credentials)


class Ladder:
    """A ladder that runs: its games, its report, and the signals that stop it."""

    def __init__(self, on_message: OnMessage, on_result: OnUpdate, reported: bool = True) -> None:
        self._on_message, self._on_result, self._reported = on_message, on_result, reported
        self._reporter: Reporter | None = None
        self._signals = 0

    async def run(self, path: Path, wanted: LadderSettings | None, how: RunSettings, server: ServerAccess) -> bool:
        """Run until a signal or until enough games are played. Return whether no game was left running.

        Raises TournamentError or SessionError.
        """
        async with open_ladder(path, wanted, how, server, self._on_message, self._update) as runner:
            report = LadderReport(runner)
            if self._reported:
                self._reporter = Reporter(runner.arbiter, runner.settings.name, report, self._on_message)
            await self._play(runner)
            report.finished = True
            if self._reporter is not None:
                await self._reporter.report()
            return not runner.state.open

    async def _play(self, runner: LadderRunner) -> None:
        listening = asyncio.create_task(runner.arbiter.listen())
        playing = asyncio.create_task(runner.run())
        tasks = [listening, playing, *([] if self._reporter is None else [asyncio.create_task(self._reporter.run())])]
        try:
            with calls_on_exit_signal(lambda _: self._signalled(runner, playing)):
                await asyncio.wait({listening, playing}, return_when=asyncio.FIRST_COMPLETED)
            for task in (playing, listening):
                if task.done() and not task.cancelled():
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _signalled(self, runner: LadderRunner, playing: asyncio.Task[None]) -> None:
        self._signals += 1
        if self._signals > 1 or not runner.running:
            playing.cancel()
        else:
            self._on_message(
                f"finishing {counted(runner.running, 'game')}; Ctrl-C again leaves them, and the next run counts them"
            )
            runner.stop()

    def _update(self, game: LadderGame, result: LadderResult | None) -> None:
        self._on_result(game, result)
        if self._reporter is not None:
            self._reporter.changed()
