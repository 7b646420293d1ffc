"""The application that shows a tournament: one that a server reports, or one that runs in this process."""

from __future__ import annotations

import asyncio

from client.presentation.launch_plan import LaunchPlan
from client.sdk.session import Session
from client.tui.app.app import ParlourApp
from client.tui.app.run import exit_on_hangup
from client.tui.app.server_choice import OPEN_TIMEOUT_S, ServerChoice
from client.tui.render.appearance import Appearance
from client.tui.screens.tournament import TournamentScreen
from protocol.types import TournamentReport
from runtime.signals import calls_on_exit_signal

INTERRUPTED = 130  # the exit code after Ctrl-C


class WatcherConnection(ServerChoice):
    """A session of a watcher, who is not known by name and saves nothing."""

    async def connect(self) -> Session:
        """Return an open session. Raises SessionError if no server can be reached."""
        self.session = Session(self.plan.url, client="parlour-tournament", trust=self.plan.trust, wait_for_server=False)
        await self.session.open(OPEN_TIMEOUT_S)
        return self.session


class TournamentApp(ParlourApp):
    """Shows a tournament on the server of the plan. `local`: `show_report` is called with its reports."""

    def __init__(self, plan: LaunchPlan, name: str, appearance: Appearance, *, local: bool = False) -> None:
        super().__init__(plan, appearance)
        self.tournament = TournamentScreen(name, local=local)

    def choose_server(self) -> ServerChoice:
        return WatcherConnection(self.plan)

    def _start_mode(self) -> None:
        self.push_screen(self.tournament)

    def show_report(self, report: TournamentReport) -> None:
        """Show the state of the tournament that runs in this process."""
        self.tournament.show_report(report)

    async def action_quit(self) -> None:
        self.exit(return_code=INTERRUPTED)


async def watch_tournament(app: TournamentApp) -> str:
    """Run the application. Return an error message, or an empty string."""
    with calls_on_exit_signal(lambda number: app.exit(return_code=INTERRUPTED)):
        return await run_in_terminal(app)


async def run_in_terminal(app: TournamentApp) -> str:
    """Run the application until the user leaves. A cancellation restores the terminal first."""
    hangups = asyncio.create_task(exit_on_hangup(app))
    running = asyncio.create_task(app.run_async())
    try:
        return await asyncio.shield(running) or ""
    except asyncio.CancelledError:
        app.exit()
        await running
        raise
    finally:
        hangups.cancel()
        await app.close()
