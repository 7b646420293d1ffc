"""`parlour tournament run` and `resume`: play the tournament and show its progress."""

from __future__ import annotations

import asyncio
import json
import os
from argparse import Namespace

from client.bots.main import run_until_signal
from client.sdk.errors import SessionError
from client.tournament.export import grades
from client.tournament.export.report import ReportBuilder
from client.tournament.export.tables import as_json, as_text
from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.play.reporter import Reporter
from client.tournament.play.runner import GameUpdate
from client.tournament.play.setup import ServerAccess, is_finished, open_runner, play
from client.tui.app.run import has_terminal
from client.tui.render.appearance import Appearance
from parlour.cli.tournament.progress import JsonOutput, LineOutput, ScreenOutput
from parlour.errors import UserError
from runtime.printable import print_line, print_lines


def run(folder: Folder, args: Namespace) -> int:
    server = ServerAccess(args.url, args.token or os.environ.get("PARLOUR_TOKEN", ""), args.tls_trust)
    if not finished(folder):
        try:
            work = play_with_output(folder, server, choose_output(args), reported=not args.no_page)
            asyncio.run(run_until_signal(work, with_stdin=False))
        except SessionError as error:
            raise UserError(
                f"{error}; finished games are kept, continue with: parlour tournament resume {folder.path}"
            ) from None
    if not args.json:
        report(folder)
    elif finished(folder):
        plan, state = folder.plan(), folder.state_with_reviews()
        table = as_json(standings(plan, state.results, state.reviews))
        print_line(json.dumps({"type": "finished", "table": table}, ensure_ascii=False))
    return 0 if finished(folder) else 130


def finished(folder: Folder) -> bool:
    return is_finished(folder.plan(), folder.state())


async def play_with_output(folder: Folder, server: ServerAccess, output: LineOutput, reported: bool) -> None:
    """Play, show the progress here and, if `reported`, on the server's page."""
    reporter: Reporter | None = None

    def update(news: GameUpdate) -> None:
        output.update(news)
        if reporter is not None:
            reporter.changed()

    async with open_runner(folder, server, output.message, update) as runner:
        if reported:
            reporter = Reporter(runner.arbiter, runner.plan.name, ReportBuilder(runner), output.message)
            await reporter.report()
        tasks = [asyncio.create_task(output.show(runner))]
        tasks += [asyncio.create_task(reporter.run())] if reporter is not None else []
        try:
            await play(runner)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if reporter is not None:
            await reporter.report()


def choose_output(args: Namespace) -> LineOutput:
    if args.json:
        return JsonOutput()
    if args.quiet or not has_terminal():
        return LineOutput()
    return ScreenOutput(Appearance.choose(args.theme, args.ascii, motion=not args.no_motion), args.tls_trust)


def report(folder: Folder) -> None:
    if finished(folder):
        plan, state = folder.plan(), folder.state_with_reviews()
        print_lines(f"\n{as_text(standings(plan, state.results, state.reviews))}")
        if plan.goals:
            print_lines(f"\n{grades.as_text(grades.grades(plan, state), plan)}")
    else:
        print_line(f"stopped; continue with: parlour tournament resume {folder.path}")
