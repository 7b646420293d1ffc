"""`parlour tournament review`: review the games, then show accuracy and mistakes."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from argparse import Namespace

from client.bots.main import run_until_signal
from client.presentation.texts import counted
from client.tournament.export import tables
from client.tournament.export.mistakes import mistake_lines, worst_mistakes
from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.play.game_reviewer import (
    ReviewedGame,
    ReviewProgress,
    ReviewSettings,
    finished_games,
    review_games,
)
from parlour.cli.search_output import tell
from parlour.errors import UserError
from runtime.file_errors import describe_file_error
from runtime.printable import print_line, print_lines, printable

CLEAR_LINE = "\r\x1b[K"
REDRAW_INTERVAL_S = 0.1


def run(folder: Folder, args: Namespace) -> int:
    """Review the games that have no review yet, and show all reviews. Return the exit code: 130 if interrupted."""
    games = finished_games(folder)
    if not games:
        raise UserError(f"no game of {folder.path} is finished: play it with 'parlour tournament run {folder.path}'")
    settings = ReviewSettings(args.nodes, args.seconds, args.table, False if args.plain else None, args.threads, tell)
    output = ReviewOutput()
    completed = False

    async def work() -> None:
        nonlocal completed
        await review_games(folder, games, settings, output.progress, output.reviewed)
        completed = True

    try:
        asyncio.run(run_until_signal(work(), with_stdin=False))
    except OSError as error:
        raise UserError(describe_file_error("write", folder.reviews_file, error)) from None
    finally:
        output.clear()
    if not completed:
        done = len(folder.state_with_reviews().reviews)
        how = f"continue with: parlour tournament review {folder.path}"
        tell(f"stopped; {done} of {counted(len(games), 'game')} reviewed, {how}")
        return 130
    show(folder, args.json)
    return 1 if output.problems else 0


def show(folder: Folder, as_json: bool) -> None:
    """Print the table with the accuracy, and the worst mistakes of each player."""
    plan, state = folder.plan(), folder.state_with_reviews()
    table = standings(plan, state.results, state.reviews)
    found = worst_mistakes(table, state)
    if as_json:
        mistakes = [mistake.to_json() for each in found.values() for mistake in each]
        print_line(json.dumps({"table": tables.as_json(table), "mistakes": mistakes}, ensure_ascii=False))
    else:
        print_lines(tables.as_text(table))
        if found:
            print_lines("\nThe worst mistakes:")
            for line in mistake_lines(found):
                print_line(line)


class ReviewOutput:
    """Shows the progress on standard error: one line that changes on a terminal, otherwise a line for each game."""

    def __init__(self) -> None:
        self.problems = 0
        self._on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._began = time.monotonic()
        self._drawn_at = 0.0

    def progress(self, news: ReviewProgress) -> None:
        now = time.monotonic()
        if self._on_terminal and now - self._drawn_at > REDRAW_INTERVAL_S:
            self._drawn_at = now
            text = f"reviewing: game {news.at} of {news.total}, move {news.done} of {news.moves}{self._left(news)}"
            sys.stderr.write(CLEAR_LINE + printable(text))
            sys.stderr.flush()

    def reviewed(self, news: ReviewedGame) -> None:
        names = " - ".join(news.game.seats)
        if news.review is None:
            self.problems += 1
            self.clear()
            tell(f"game {news.game.number}, {names}: not reviewed, {news.problem}")
        elif not self._on_terminal:
            percents = [
                f"{percent:.1f} %" if count else "no choice"
                for percent, count in zip(news.review.accuracy, news.review.choices, strict=True)
            ]
            tell(f"[{news.at} of {news.total}] game {news.game.number}, {names}: accuracy {', '.join(percents)}")

    def clear(self) -> None:
        if self._on_terminal:
            sys.stderr.write(CLEAR_LINE)
            sys.stderr.flush()

    def _left(self, news: ReviewProgress) -> str:
        """Return about how long the rest will take."""
        done = news.at - 1 + news.done / max(1, news.moves)
        seconds = (time.monotonic() - self._began) / done * (news.total - done)
        left = counted(round(seconds / 60), "minute") if seconds >= 90 else f"{seconds:.0f} s"
        return f", about {left} left"
