"""Show the progress of a tournament: the tournament screen on a terminal, lines elsewhere, or JSON lines."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable
from functools import partial

from client.presentation.launch_plan import LaunchPlan
from client.tournament.export.report import ReportBuilder, reason_text
from client.tournament.model.results import Pairing, Result
from client.tournament.play.runner import GameUpdate, Runner
from client.tui.app.tournament_app import INTERRUPTED, TournamentApp, run_in_terminal
from client.tui.render.appearance import Appearance
from runtime.printable import print_line

REDRAW_INTERVAL_S = 0.5
REDRAW_COST_FACTOR = 20  # wait at least this many times as long as drawing takes

Print = Callable[[str], None]
PRINT_AT_ONCE: Print = partial(print_line, flush=True)


def result_line(game: Pairing, result: Result) -> str:
    first, second = game.seats
    why = f"{'forfeit, ' if result.forfeit else ''}{reason_text(game, result)}"
    return f"game {game.number}, round {game.round}: {first} - {second} {result.result} ({why})"


class LineOutput:
    """Prints one line per event."""

    def __init__(self, out: Print = PRINT_AT_ONCE) -> None:
        self._out = out

    def message(self, text: str) -> None:
        self._out(text)

    def update(self, update: GameUpdate) -> None:
        if update.result is not None:
            self._out(result_line(update.game, update.result))
        elif update.kind == "again":
            self._out(f"game {update.game.number}: room {update.room} ended without a result, playing again")

    async def show(self, runner: Runner) -> None:
        """Show a screen while the tournament runs. Plain lines need none."""


class JsonOutput(LineOutput):
    """Prints one JSON object per event."""

    def message(self, text: str) -> None:
        self._out(json.dumps({"type": "said", "text": text}))

    def update(self, update: GameUpdate) -> None:
        game = update.game
        entry = {
            "type": update.kind,
            "game": game.number,
            "round": game.round,
            "seats": game.seats,
            "room": update.room,
        }
        if update.result is not None:
            result = update.result
            entry |= {"result": result.result, "reason": result.reason, "forfeit": result.forfeit}
        self._out(json.dumps(entry, ensure_ascii=False))


class ScreenOutput(LineOutput):
    """Shows the tournament screen. If the user leaves it, the tournament continues and prints a line per event."""

    def __init__(self, appearance: Appearance, trust: str) -> None:
        """Show a screen. `trust`: a certificate to trust, for the connection of the screen."""
        super().__init__()
        self._appearance, self._trust = appearance, trust
        self._app: TournamentApp | None = None
        self._held: list[str] = []  # messages to print after the screen

    def message(self, text: str) -> None:
        if self._app is None:
            super().message(text)
        else:
            self._held.append(text)
            self._app.tournament.show_notice(text)

    def update(self, update: GameUpdate) -> None:
        if self._app is None:
            super().update(update)

    async def show(self, runner: Runner) -> None:
        """Show the screen until the tournament is over or the user leaves. Ctrl-C stops the tournament as a signal."""
        session = runner.arbiter.session
        plan = LaunchPlan(mode="watch", url=session.url, trust=self._trust)
        self._app = app = TournamentApp(plan, runner.plan.name, self._appearance, local=True)
        reporting = asyncio.create_task(report_to(app, ReportBuilder(runner)))
        try:
            error = await run_in_terminal(app)
        finally:
            reporting.cancel()
            await asyncio.gather(reporting, return_exceptions=True)
            self._app = None
            for text in self._held:
                super().message(text)
        if app.return_code == INTERRUPTED:
            signal.raise_signal(signal.SIGINT)
        else:
            super().message(error or "the tournament continues; Ctrl-C stops it")


async def report_to(app: TournamentApp, build: ReportBuilder) -> None:
    """Show the state of the tournament at intervals."""
    while True:
        began = time.monotonic()
        report = build()
        spent = time.monotonic() - began
        if app.tournament.ready:
            app.show_report(report)
        await asyncio.sleep(max(REDRAW_INTERVAL_S, REDRAW_COST_FACTOR * spent))
