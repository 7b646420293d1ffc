"""Run tournaments: round robin, gauntlet, Swiss, knockout, match (also with an SPRT) and grading.

parlour tournament run cup --game mancala --bot greedy --bot random --bot search@3
parlour tournament run duel --game conga --format match --bot a.py --bot b.py --sprt 0,50
parlour tournament new spring --plan spring.toml   create it; then: run spring
parlour tournament status cup                      show the progress
parlour tournament watch cup --url SERVER          follow it from another machine
parlour tournament resume cup                      continue after Ctrl-C, a crash or a power failure
parlour tournament table cup --csv                 show the results as text, --csv or --json
parlour tournament review cup                      judge every move: accuracy and worst mistakes
parlour tournament export cup                      write cup.zip: all games, and a page with replays
parlour tournament verify cup.zip                  replay every game and check the table
parlour tournament grade course --csv              pass or fail for every student, with the evidence

A tournament is a folder. Everything that has been played is stored there, and no game is played
twice. Without --url the tournament starts its own server. docs/tournaments.md is a step-by-step
guide.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path

from parlour.errors import UserError


def arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (about, add) in ACTIONS.items():
        text = f"{about[0].upper()}{about[1:]}.\n\n{EXAMPLES[name]}"
        action = actions.add_parser(name, help=about, description=text, formatter_class=RawDescriptionHelpFormatter)
        if name != "watch":
            where = ("BUNDLE", "the archive") if name == "verify" else ("FOLDER", "the folder of the tournament")
            action.add_argument("folder", metavar=where[0], type=Path, help=where[1])
        add(action)


def new(parser: ArgumentParser) -> None:
    from parlour.cli.tournament.plan_arguments import add_plan

    add_plan(parser)


def resume(parser: ArgumentParser) -> None:
    from parlour.cli.args_server import add_looks

    where = parser.add_argument_group("server")
    where.add_argument("--url", default="", help="the server to play on (default: start one for the tournament)")
    where.add_argument("--token", default="", help="the token of an account there (default: PARLOUR_TOKEN)")
    where.add_argument("--tls-trust", metavar="FILE", default="", help="an additional certificate to trust")
    where.add_argument("--no-page", action="store_true", help="do not show the tournament on the server's page")
    show = parser.add_argument_group("output")
    show.add_argument("--json", action="store_true", help="print one JSON object per line")
    show.add_argument("--quiet", "--plain", action="store_true", help="print lines, also on a terminal")
    add_looks(show)  # type: ignore[arg-type]  # a group takes arguments too


def play(parser: ArgumentParser) -> None:
    new(parser)
    resume(parser)


def watch(parser: ArgumentParser) -> None:
    from client.sdk.url import DEFAULT_URL
    from parlour.cli.args_server import add_looks

    parser.add_argument("name", metavar="NAME", help="the name of the tournament, or the address of its page")
    parser.add_argument("--url", default="", help=f"the server (default: PARLOUR_URL, or {DEFAULT_URL})")
    parser.add_argument("--tls-trust", metavar="FILE", default="", help="an additional certificate to trust")
    parser.add_argument("--quiet", "--plain", action="store_true", help="print a line per result, also on a terminal")
    add_looks(parser)


def limit(parser: ArgumentParser) -> None:
    from parlour.cli.search_output import count
    from runtime.untrusted_files import MAX_LOG_BYTES

    default = MAX_LOG_BYTES >> 20
    parser.add_argument(
        "--max-mb",
        metavar="N",
        type=count,
        default=default,
        help=f"read a larger log, if you trust it (default: {default})",
    )


def status(parser: ArgumentParser) -> None:
    limit(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def table(parser: ArgumentParser) -> None:
    limit(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print CSV")
    form.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--public", action="store_true", help="use pseudonyms for students")


def review(parser: ArgumentParser) -> None:
    from client.tournament.model.game_review import DEFAULT_BUDGET
    from parlour.cli.search_output import add_search, count, seconds

    limit(parser)
    text = f"search N positions per move (default: as before, at first {DEFAULT_BUDGET.nodes:,})"
    parser.add_argument("--nodes", type=count, metavar="N", help=text)
    text = f"for each game (default: as before, at first {DEFAULT_BUDGET.seconds:g})"
    parser.add_argument("--seconds", type=seconds, metavar="S", help=text)
    add_search(parser, table=128)


def export(parser: ArgumentParser) -> None:
    limit(parser)
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="the file to write (default: FOLDER.zip, or FOLDER.html with --page)"
    )
    parser.add_argument("--page", action="store_true", help="write only the page: one HTML file that works offline")
    parser.add_argument("--public", action="store_true", help="use pseudonyms for students, and leave out evidence")


def verify(parser: ArgumentParser) -> None:
    from parlour.cli.search_output import count

    parser.add_argument("--sha256", metavar="SUM", default="", help="the published checksum of the archive")
    parser.add_argument(
        "--max-mb", metavar="N", type=count, default=128, help="read a larger bundle, if you trust it (default: 128)"
    )


def grade(parser: ArgumentParser) -> None:
    limit(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV with the evidence")
    parser.add_argument("--public", action="store_true", help="use pseudonyms")


ACTIONS: dict[str, tuple[str, Callable[[ArgumentParser], None]]] = {
    "new": ("create a tournament: a folder with a plan that can still be edited", new),
    "run": ("play a tournament; with --game or --plan, create it first", play),
    "resume": ("continue an interrupted tournament", resume),
    "watch": ("follow a tournament that a server shows, as on its page", watch),
    "status": ("show the progress and the running games", status),
    "table": ("show the results so far", table),
    "review": ("judge the moves of all finished games, and show accuracy and the worst mistakes", review),
    "export": ("write a bundle: the whole tournament in one archive that can be verified", export),
    "verify": ("replay every game of a bundle and report what differs", verify),
    "grade": ("show which student has reached which goal, with the evidence", grade),
}


EXAMPLES = {
    "new": """\
parlour tournament new cup --game conga --format swiss --rounds 5 --bot greedy --bot random
parlour tournament new spring --plan spring.toml

Edit plan.toml in the folder if you like, then start with 'parlour tournament run FOLDER'.""",
    "run": """\
parlour tournament run cup --game mancala --bot greedy --bot random --bot mine=my_bot.py
parlour tournament run cup --game conga --exec "homework=python3 solution.py" --bot search@3
parlour tournament run duel --game conga --format match --bot a.py --bot b.py --sprt 0,50
parlour tournament run hw3 --plan course.toml
parlour tournament run cup --game conga --connects alice --connects bob --url parlour.example.org

Ctrl-C stops it; 'parlour tournament resume FOLDER' continues.""",
    "resume": """\
parlour tournament resume cup
parlour tournament resume cup --json | jq .""",
    "watch": """\
parlour tournament watch cup --url parlour.example.org
parlour tournament watch http://127.0.0.1:41234/tournament/cup    the address that 'run' has printed""",
    "status": "parlour tournament status cup",
    "table": """\
parlour tournament table cup
parlour tournament table cup --csv > table.csv""",
    "review": """\
parlour tournament review cup
parlour tournament review cup --nodes 1000000 --seconds 120 --threads 2
parlour tournament review cup --json

Afterwards 'table' and 'export' show the accuracy of each player beside the points, and the page
shows the worst mistakes. Ctrl-C stops it; the same command continues, and reviews no game twice.
All games get the same budget: another --nodes or --seconds reviews them again.""",
    "export": """\
parlour tournament export cup                     write cup.zip and print its checksum
parlour tournament export cup --page              write cup.html: table and replays
parlour tournament export hw3 --public --out hw3.zip""",
    "verify": """\
parlour tournament verify cup.zip
parlour tournament verify cup.zip --sha256 SUM    also compare the published checksum

The exit code is 0 if all is right, 1 if something differs.""",
    "grade": """\
parlour tournament grade hw3
parlour tournament grade hw3 --csv > grades.csv   with the evidence
parlour tournament grade hw3 --public             with pseudonyms""",
}


def run(args: Namespace) -> int:
    from client.bots.loader import LoadError
    from client.tournament.journal.folder import Folder
    from client.tournament.model.errors import TournamentError
    from parlour.cli.tournament.actions import ACTIONS

    if args.action == "watch":
        from parlour.cli.tournament import watch  # imports the terminal client

        return watch.run(args)
    try:
        trusted = args.action in ("new", "run", "resume")  # a plan that is played starts programs anyway
        folder = Folder(args.folder) if trusted else Folder(args.folder, args.max_mb << 20)
        return ACTIONS[args.action](folder, args)
    except (TournamentError, LoadError) as error:
        raise UserError(str(error)) from None
