"""Play a tournament: round robin, gauntlet, Swiss, knockout, match (optionally with an SPRT) or grading.

parlour tournament run cup --game mancala --bot greedy --bot random --bot search@3
parlour tournament run duel --game conga --format match --bot old=old.py --bot new=new.py --sprt 0,50
parlour tournament new spring --plan spring.toml      create it; then: run spring
parlour tournament status cup                         show the progress
parlour tournament resume cup                         continue after Ctrl-C, a crash or a power failure
parlour tournament table cup --csv                    show the results as text, --csv or --json
parlour tournament export cup                         write cup.zip: every game, and a page to replay them
parlour tournament verify cup.zip                     replay every game and check the table
parlour tournament grade course --csv                 pass or fail for every student, with the evidence

A tournament is a folder. Everything that has been played is stored there, and no game is played twice. Without --url
the tournament starts its own server. docs/tournaments.md is a step-by-step guide.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path

from parlour.errors import UserError


def arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (about, add) in ACTIONS.items():
        action = actions.add_parser(name, help=about, description=about, formatter_class=RawDescriptionHelpFormatter)
        where = ("BUNDLE", "the archive") if name == "verify" else ("FOLDER", "the folder of the tournament")
        action.add_argument("folder", metavar=where[0], type=Path, help=where[1])
        add(action)


def new(parser: ArgumentParser) -> None:
    from parlour.cli.tournament.plan_arguments import add_plan

    add_plan(parser)


def resume(parser: ArgumentParser) -> None:
    where = parser.add_argument_group("server")
    where.add_argument("--url", default="", help="the server to play on (default: start one for the tournament)")
    where.add_argument("--token", default="", help="the token of an account there (default: PARLOUR_TOKEN)")
    where.add_argument("--tls-trust", metavar="FILE", default="", help="an additional certificate to trust")
    show = parser.add_argument_group("output")
    show.add_argument("--json", action="store_true", help="print one JSON object per line")
    show.add_argument("--quiet", action="store_true", help="print lines instead of a screen, also on a terminal")


def play(parser: ArgumentParser) -> None:
    new(parser)
    resume(parser)


def status(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def table(parser: ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print CSV")
    form.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--public", action="store_true", help="use pseudonyms for students")


def export(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="the file to write (default: FOLDER.zip, or FOLDER.html with --page)"
    )
    parser.add_argument("--page", action="store_true", help="write only the page: one HTML file that works offline")
    parser.add_argument("--public", action="store_true", help="use pseudonyms for students, and leave out evidence")


def verify(parser: ArgumentParser) -> None:
    parser.add_argument("--sha256", metavar="SUM", default="", help="the published checksum of the archive")


def grade(parser: ArgumentParser) -> None:
    parser.add_argument("--csv", action="store_true", help="print CSV with the evidence")
    parser.add_argument("--public", action="store_true", help="use pseudonyms")


ACTIONS: dict[str, tuple[str, Callable[[ArgumentParser], None]]] = {
    "new": ("create a tournament: a folder with a plan that can still be edited", new),
    "run": ("play it; with arguments for a plan, create it first", play),
    "resume": ("continue an interrupted tournament", resume),
    "status": ("show the progress and the running games", status),
    "table": ("show the results so far", table),
    "export": ("write a bundle: the whole tournament in one archive that can be verified", export),
    "verify": ("replay every game of a bundle and report what differs", verify),
    "grade": ("show which student has reached which goal, with the evidence", grade),
}


def run(args: Namespace) -> int:
    from client.bots.loader import LoadError
    from client.tournament.journal.folder import Folder
    from client.tournament.model.errors import TournamentError
    from parlour.cli.tournament.actions import ACTIONS

    try:
        return ACTIONS[args.action](Folder(args.folder), args)
    except (TournamentError, LoadError) as error:
        raise UserError(str(error)) from None
