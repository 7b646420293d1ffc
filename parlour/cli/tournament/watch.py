"""`parlour tournament watch`: follow a tournament that a server shows."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from urllib.parse import unquote, urlsplit

from client.bots.main import run_until_signal
from client.presentation.launch_plan import LaunchPlan
from client.presentation.texts import clock_text, counted, lost_text
from client.presentation.tournament_texts import elo_text, row_name
from client.sdk.errors import SessionError
from client.sdk.events import Disconnected
from client.sdk.session import Session
from client.sdk.url import DEFAULT_URL
from client.tournament.export.tables import columns
from client.tui.app.run import has_terminal
from client.tui.app.tournament_app import TournamentApp, watch_tournament
from client.tui.render.appearance import Appearance
from parlour.errors import UserError
from protocol.commands import MAX_TOURNAMENT_NAME, WatchTournament
from protocol.replies import TournamentUpdate
from protocol.types import TournamentGame, TournamentReport, TournamentRow
from runtime.printable import print_line

CONNECT_TIMEOUT_S = 15.0
HEADINGS = ["", "player", "points", "", "games", "+", "=", "-", "Elo", "s/move", "forfeits"]
POINTS_BAR_WIDTH = 12


def run(args: Namespace) -> int:
    name, url = parse_address(args.name, args.url or os.environ.get("PARLOUR_URL", "") or DEFAULT_URL)
    if not 0 < len(name) <= MAX_TOURNAMENT_NAME:
        raise UserError(f"the name of a tournament has 1 to {MAX_TOURNAMENT_NAME} characters")
    if not args.quiet and has_terminal():
        return watch_on_screen(name, url, args)
    watcher = Watcher(name)
    session = Session(url, client="parlour-tournament", trust=args.tls_trust, wait_for_server=False)
    try:
        asyncio.run(run_until_signal(watch(session, watcher), with_stdin=False))
    except SessionError as error:
        raise UserError(str(error)) from None
    return 0 if watcher.finished else 130


def watch_on_screen(name: str, url: str, args: Namespace) -> int:
    """Show the tournament until the user leaves. Print the final standings of a finished one. Raises UserError."""
    plan = LaunchPlan(mode="watch", url=url, trust=args.tls_trust)
    app = TournamentApp(plan, name, Appearance.choose(args.theme, args.ascii, motion=not args.no_motion))
    error = asyncio.run(watch_tournament(app))
    if error:
        raise UserError(error)
    report = app.tournament.report
    if report is not None and report.finished:
        for line in standings_lines(report):
            print_line(line)
        return 0
    return app.return_code or 0


def parse_address(text: str, url: str) -> tuple[str, str]:
    """Return the name and the server of a tournament, from a name or from the address of its page."""
    if "://" not in text:
        return text, url
    parts = urlsplit(text)
    start, _, name = parts.path.rpartition("/tournament/")
    return unquote(name), parts._replace(path=f"{start}/ws", query="", fragment="").geturl()


async def watch(session: Session, watcher: Watcher) -> None:
    """Show reports until the tournament is finished."""
    try:
        await session.open(CONNECT_TIMEOUT_S)
        await session.ask(WatchTournament(id=session.id(), name=watcher.name))
        watcher.wait()
        async for event in session:
            if isinstance(event, TournamentUpdate):
                watcher.show(event)
            elif isinstance(event, Disconnected):
                print_line(lost_text(event, session.url), file=sys.stderr, flush=True)
            if watcher.finished:
                break
    finally:
        await session.close()


class Watcher:
    """Prints a line per result, and the standings at the end."""

    def __init__(self, name: str) -> None:
        self.name, self.finished = name, False
        self._begun = False
        self._printed: set[int] = set()

    def wait(self) -> None:
        """Say that there is no report yet."""
        if not self._begun:
            print_line(f"No tournament named {self.name} has been reported to the server. Waiting until it starts.")

    def show(self, update: TournamentUpdate) -> None:
        """Print what is new in a report."""
        self.finished = update.report.finished
        self._print_news(update.report, not self._begun)
        self._begun = True

    def _print_news(self, report: TournamentReport, first: bool) -> None:
        if first:
            print_line(f"{report.title}: {about(report)}", flush=True)
        for game in reversed(report.latest):
            if game.number not in self._printed:
                self._printed.add(game.number)
                print_line(result_line(game), flush=True)
        if report.finished:
            for line in ["", *standings_lines(report)]:
                print_line(line, flush=True)


def about(report: TournamentReport) -> str:
    clock = "" if report.clock.kind == "none" else f", clock {clock_text(report.clock)}"
    return f"{report.format} of {counted(report.players, 'player')} in {report.game}{clock}"


def standings_lines(report: TournamentReport) -> list[str]:
    best = max([row.points for row in report.rows], default=0.0) or 1.0
    return columns([HEADINGS, *(row_cells(number, row, best, report) for number, row in enumerate(report.rows, 1))])


def row_cells(number: int, row: TournamentRow, best: float, report: TournamentReport) -> list[str]:
    bar = "#" * round(POINTS_BAR_WIDTH * max(0.0, min(1.0, row.points / best)))
    return [
        str(number), row_name(row), f"{row.points:g}", bar.ljust(POINTS_BAR_WIDTH), str(row.games), str(row.wins),
        str(row.draws), str(row.losses), elo_text(row, report), f"{row.seconds:.3f}", str(row.forfeits or ""),
    ]  # fmt: skip


def result_line(game: TournamentGame) -> str:
    forfeit = "forfeit, " if game.forfeit else ""
    return f"game {game.number}, round {game.round}: {game.first} - {game.second} {game.result} ({forfeit}{game.why})"
