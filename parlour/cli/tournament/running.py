"""`parlour tournament run` and `resume`: play, and show how it goes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from argparse import Namespace

from client.bots.main import interruptible
from client.sdk.errors import SessionError
from client.tournament.export import grades
from client.tournament.export.tables import as_json, as_text
from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.play.position_tests import unanswered
from client.tournament.play.setup import Where, play, prepared
from parlour.cli.main import UserError
from parlour.cli.tournament.progress import JsonLines, Lines, Screen


def run(folder: Folder, args: Namespace) -> int:
    where = Where(args.url, args.token or os.environ.get("PARLOUR_TOKEN", ""), args.tls_trust)
    if not finished(folder):
        try:
            asyncio.run(interruptible(one(folder, where, progress_of(args)), with_stdin=False))
        except SessionError as error:
            raise UserError(
                f"{error}; what has been played is kept, see parlour tournament resume {folder.path}"
            ) from None
    if not args.json:
        report(folder)
    elif finished(folder):
        table = as_json(standings(folder.plan(), folder.story().results))
        say(json.dumps({"type": "finished", "table": table}, ensure_ascii=False))
    return 0 if finished(folder) else 130


def finished(folder: Folder) -> bool:
    plan, story = folder.plan(), folder.story()
    return standings(plan, story.results).finished and not unanswered(plan, story)


async def one(folder: Folder, where: Where, lines: Lines) -> None:
    async with prepared(folder, where, lines.say, lines.news) as runner:
        showing = asyncio.create_task(lines.show(runner))
        try:
            await play(runner)
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)


def progress_of(args: Namespace) -> Lines:
    if args.json:
        return JsonLines(say)
    return Lines(say) if args.quiet or not sys.stdout.isatty() else Screen()


def say(line: str) -> None:
    print(line, flush=True)


def report(folder: Folder) -> None:
    if finished(folder):
        plan, story = folder.plan(), folder.story()
        print(f"\n{as_text(standings(plan, story.results))}")
        if plan.goals:
            print(f"\n{grades.as_text(grades.grades(plan, story), plan)}")
    else:
        print(f"stopped; go on with: parlour tournament resume {folder.path}")
