"""`parlour tournament watch`: follow a tournament that a server shows."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from argparse import Namespace
from urllib.parse import unquote, urlsplit

from client.bots.main import run_until_signal
from client.presentation.texts import clock_text, counted, lost_text
from client.sdk.errors import SessionError
from client.sdk.events import Connected, Disconnected
from client.sdk.session import Session
from client.sdk.url import DEFAULT_URL
from client.tournament.export.tables import columns, signed
from parlour.cli.tournament.progress import BAR_WIDTH, Screen
from parlour.errors import UserError
from protocol.commands import MAX_TOURNAMENT_NAME, WatchTournament
from protocol.replies import TournamentUpdate
from protocol.types import TournamentGame, TournamentReport, TournamentRow, TournamentTest
from runtime.printable import print_line

CONNECT_TIMEOUT_S = 15.0
REFRESH_INTERVAL_S = 1.0
SILENT_AFTER_S = 150.0  # a running tournament reports once a minute
HEADINGS = ["", "player", "points", "", "games", "+", "=", "-", "Elo", "s/move", "forfeits"]
POINTS_BAR_WIDTH = 12
MAX_CROSSTABLE_ROWS = 12
GOAL_MARKS = {"pass": "met", "fail": "not met", "open": "open"}


def run(args: Namespace) -> int:
    name, url = parse_address(args.name, args.url or os.environ.get("PARLOUR_URL", "") or DEFAULT_URL)
    if not 0 < len(name) <= MAX_TOURNAMENT_NAME:
        raise UserError(f"the name of a tournament has 1 to {MAX_TOURNAMENT_NAME} characters")
    watcher = Watcher(name, sys.stdout.isatty() and not args.quiet)
    session = Session(url, client="parlour-tournament", trust=args.tls_trust, wait_for_server=False)
    try:
        asyncio.run(run_until_signal(watch(session, watcher), with_stdin=False))
    except SessionError as error:
        raise UserError(str(error)) from None
    return 0 if watcher.finished else 130


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
        refreshing = asyncio.create_task(watcher.refresh())
        try:
            async for event in session:
                if isinstance(event, TournamentUpdate):
                    watcher.show(event)
                elif isinstance(event, Connected | Disconnected):
                    watcher.notice = lost_text(event, session.url) if isinstance(event, Disconnected) else ""
                if watcher.finished:
                    break
        finally:
            refreshing.cancel()
            await asyncio.gather(refreshing, return_exceptions=True)
    finally:
        await session.close()


class Watcher:
    """Draws a screen in place on a terminal, and prints a line per result elsewhere."""

    def __init__(self, name: str, on_screen: bool) -> None:
        self.name, self.notice, self.finished = name, "", False
        self._screen = Screen() if on_screen else None
        self._update: TournamentUpdate | None = None
        self._received = time.monotonic()
        self._printed: set[int] = set()

    async def refresh(self) -> None:
        """Draw at intervals, because the age of the report and the size of the terminal change."""
        while True:
            self._draw()
            await asyncio.sleep(REFRESH_INTERVAL_S)

    def show(self, update: TournamentUpdate) -> None:
        """Show a new report."""
        first = self._update is None
        self._update, self._received = update, time.monotonic() - update.age / 1000
        self.finished = update.report.finished
        if self._screen is None:
            self._print_news(update.report, first)
        self._draw()

    def _draw(self) -> None:
        if self._screen is None:
            return
        if self._update is None:
            waiting = f"The server has heard nothing of a tournament named {self.name}. Waiting until it starts."
            self._screen.draw([self.notice or waiting])
            return
        lines = report_lines(self._update.report, time.monotonic() - self._received, shutil.get_terminal_size()[1] - 2)
        self._screen.draw([*lines, *([self.notice] if self.notice else [])])

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


def report_lines(report: TournamentReport, age_s: float, height: int) -> list[str]:
    """Return the screen. The least important parts are left out if it is too low."""
    total = max(1, report.total)
    full = BAR_WIDTH * min(report.done, total) // total
    more = ", more to follow" if report.open_ended else ""
    head = [
        f"{report.title}: {about(report)}",
        f"[{'#' * full}{'.' * (BAR_WIDTH - full)}] {report.done} of {counted(report.total, 'game')}{more}, "
        f"{state_text(report, age_s)}",
    ]
    parts = [
        ["", *standings_lines(report)],
        part("On the boards", [running_line(game) for game in report.running]),
        part("Latest results", [result_line(game) for game in report.latest[:6]]),
        part("", [] if report.sprt is None else [test_line(report.sprt)]),
        part(f"Goals: {report.goals_met} of {report.goals_total} met", goal_lines(report)),
        part("Each against each", crosstable_lines(report)),
    ]
    shown = list(head)
    for lines in parts:
        if len(shown) + len(lines) <= height:
            shown += lines
    return shown


def part(title: str, lines: list[str]) -> list[str]:
    return ["", *([title] if title else []), *lines] if lines else []


def state_text(report: TournamentReport, age_s: float) -> str:
    if report.finished:
        return "finished"
    if age_s > SILENT_AFTER_S:
        return f"no news for {counted(round(age_s / 60), 'minute')}"
    if report.left is None or report.open_ended:
        return "running"
    minutes = round(report.left / 60)
    return f"about {counted(minutes, 'minute')} left" if minutes else "less than a minute left"


def standings_lines(report: TournamentReport) -> list[str]:
    best = max([row.points for row in report.rows], default=0.0) or 1.0
    return columns([HEADINGS, *(row_cells(number, row, best) for number, row in enumerate(report.rows, 1))])


def row_cells(number: int, row: TournamentRow, best: float) -> list[str]:
    bar = "#" * round(POINTS_BAR_WIDTH * max(0.0, min(1.0, row.points / best)))
    elo = "" if row.elo is None else f"{signed(row.elo)} ± {row.error}"
    return [
        str(number), row.name, f"{row.points:g}", bar.ljust(POINTS_BAR_WIDTH), str(row.games), str(row.wins),
        str(row.draws), str(row.losses), elo, f"{row.seconds:.3f}", str(row.forfeits or ""),
    ]  # fmt: skip


def crosstable_lines(report: TournamentReport) -> list[str]:
    cells, rows = report.crosstable, report.rows
    square = len(cells) == len(rows) and all(len(row) == len(cells) for row in cells)
    if not square or not 0 < len(cells) <= MAX_CROSSTABLE_ROWS:
        return []
    numbers = [str(number) for number in range(1, len(cells) + 1)]
    return columns(
        [
            ["", "", *numbers, ""],
            *([number, row.name, *points, ""] for number, row, points in zip(numbers, rows, cells, strict=True)),
        ]
    )


def running_line(game: TournamentGame) -> str:
    return f"game {game.number}: {game.first} - {game.second}, room {game.room}".removesuffix(", room ")


def result_line(game: TournamentGame) -> str:
    forfeit = "forfeit, " if game.forfeit else ""
    return f"game {game.number}, round {game.round}: {game.first} - {game.second} {game.result} ({forfeit}{game.why})"


def test_line(test: TournamentTest) -> str:
    verdict = {"yes": "yes", "no": "no"}.get(test.verdict, "undecided")
    return (
        f"Is {test.player} stronger than {test.against}? {verdict} after {counted(test.pairs, 'pair')}: "
        f"log-likelihood ratio {test.llr:.2f} ({test.lower:.2f} to {test.upper:.2f}), "
        f"{test.elo0:+g} against {test.elo1:+g} Elo"
    )


def goal_lines(report: TournamentReport) -> list[str]:
    return [f"{goal.student}, {goal.goal}: {GOAL_MARKS[goal.verdict]} ({goal.evidence})" for goal in report.goals]
