"""Grade a folder of submissions: build them, play games against fixed opponents, award points.

parlour grade hw2                            course.toml beside hw2 says how; writes hw2-grades
parlour grade export.zip --course hw2.toml   exports of Moodle, Canvas and Gradescope work too
parlour grade hw2 --check                    list the submissions, check course.toml; run nothing
parlour grade hw2 --review                   judge the moves of the games, too
parlour grade hw2 --jail none                run submissions with your rights (not recommended)

FOLDER has one folder, ZIP archive or source file per student. Submissions are built and run in a
jail. Ctrl-C stops it; the same command continues. Only what has changed is graded again. The
command writes grades.csv, summary.txt, a page and results.json (Gradescope) per student, and
standings with pseudonyms; with --review also accuracy and worst mistakes. docs/courses.md is a
step-by-step guide.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from client.tournament.model.game_review import DEFAULT_BUDGET
from parlour.cli.search_output import count
from parlour.errors import UserError
from runtime.cores import usable_cores


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the submissions: a folder or a ZIP archive")
    parser.add_argument(
        "--course", metavar="FILE", type=Path, help="the course file (default: course.toml beside FOLDER)"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="where to write the results (default: FOLDER-grades)")
    parser.add_argument("--check", action="store_true", help="list the submissions, check the course file, run nothing")
    cores = usable_cores()
    parser.add_argument("--jobs", metavar="N", type=count, default=cores, help=f"games at a time (default: {cores})")
    text = "afterwards judge every move of the games: accuracy, and the worst mistakes of each student"
    parser.add_argument("--review", action="store_true", help=text)
    text = f"search N positions per move (default: as before, at first {DEFAULT_BUDGET.nodes:,}); implies --review"
    parser.add_argument("--review-nodes", type=count, metavar="N", help=text)
    jail = parser.add_argument_group("jail")
    text = "bwrap (bubblewrap), docker, auto (what works here) or none (default: auto)"
    jail.add_argument("--jail", choices=("auto", "bwrap", "docker", "none"), default="auto", help=text)
    jail.add_argument("--jail-image", metavar="IMAGE", default="", help="the image for docker or podman")
    text = "a file or folder that programs may read; may be repeated"
    jail.add_argument("--jail-allow", metavar="PATH", type=Path, action="append", default=[], help=text)
    jail.add_argument("--jail-cores", metavar="LIST", default="", help="the CPUs that programs may use, such as 0,2-3")


def run(args: Namespace) -> int:
    from client.tournament.model.errors import TournamentError
    from parlour.cli.grading import grade

    try:
        return grade(args)
    except TournamentError as error:
        raise UserError(str(error)) from None
