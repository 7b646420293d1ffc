"""Tournaments: round robin, gauntlet, swiss, knockout, matches that end when they are decided, and grading.

parlour tournament run cup --game mancala --bot greedy --bot random --bot search@3
parlour tournament run duel --game conga --format match --bot old=old.py --bot new=new.py --sprt 0,50
parlour tournament new spring --plan spring.toml      then: run spring
parlour tournament status cup                         how far it is
parlour tournament resume cup                         go on after Ctrl-C, a crash or a power failure
parlour tournament table cup --csv                    or --json, or text
parlour tournament export cup                         cup.zip: every game, and a page to look at them
parlour tournament verify cup.zip                     play every game through again
parlour tournament grade course --csv                 pass or fail, with the evidence

A tournament is a folder. Whatever happens, what has been played is in it, and nothing is played twice. Without --url
it has a server of its own. docs/tournaments.md leads from nothing to a graded table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path

from parlour.cli.main import UserError


def arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (about, add) in ACTIONS.items():
        action = actions.add_parser(name, help=about, description=about, formatter_class=RawDescriptionHelpFormatter)
        where = ("BUNDLE", "the archive") if name == "verify" else ("FOLDER", "where the tournament is kept")
        action.add_argument("folder", metavar=where[0], type=Path, help=where[1])
        add(action)


def new(parser: ArgumentParser) -> None:
    from parlour.cli.tournament.plan_arguments import add_plan

    add_plan(parser)


def resume(parser: ArgumentParser) -> None:
    where = parser.add_argument_group("where")
    where.add_argument("--url", default="", help="a server; without one the tournament has its own")
    where.add_argument("--token", default="", help="the token of an account there (PARLOUR_TOKEN)")
    where.add_argument("--tls-trust", metavar="FILE", default="", help="a certificate to trust beside the usual ones")
    show = parser.add_argument_group("what is shown")
    show.add_argument("--json", action="store_true", help="one JSON object a line")
    show.add_argument("--quiet", action="store_true", help="lines and no screen, as where there is no terminal")


def play(parser: ArgumentParser) -> None:
    new(parser)
    resume(parser)


def status(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object")


def table(parser: ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="for spreadsheets")
    form.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--public", action="store_true", help="with pseudonyms for students")


def export(parser: ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", type=Path, help="the archive, or the page (FOLDER.zip, FOLDER.html)")
    parser.add_argument("--page", action="store_true", help="only the page: one HTML file that needs no network")
    parser.add_argument("--public", action="store_true", help="with pseudonyms for students, and without evidence")


def verify(parser: ArgumentParser) -> None:
    parser.add_argument("--sha256", metavar="SUM", default="", help="the archive's own checksum, as it was published")


def grade(parser: ArgumentParser) -> None:
    parser.add_argument("--csv", action="store_true", help="with the evidence, for spreadsheets")
    parser.add_argument("--public", action="store_true", help="with pseudonyms")


ACTIONS: dict[str, tuple[str, Callable[[ArgumentParser], None]]] = {
    "new": ("make a tournament: a folder with a plan that can still be changed", new),
    "run": ("play it; with arguments for a plan, make it first", play),
    "resume": ("go on with one that was interrupted", resume),
    "status": ("how far it is, and what is under way", status),
    "table": ("the results so far", table),
    "export": ("write a bundle: everything, in one archive that can be verified", export),
    "verify": ("play every game of a bundle through again, and say what differs", verify),
    "grade": ("who has reached which goal, with the evidence", grade),
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
