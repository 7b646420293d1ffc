"""The actions of `parlour tournament`."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from client.presentation.texts import counted
from client.tournament.export import grades, tables
from client.tournament.export.bundle import pack
from client.tournament.export.html import page
from client.tournament.export.pseudonyms import anonymize, pseudonyms, shuffle_students
from client.tournament.export.verify import verify as check
from client.tournament.formats.schedule import progress
from client.tournament.formats.standings import Forfeit, standings
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import is_cut
from client.tournament.journal.replay import TournamentState
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan, bot_file
from parlour.cli.command import report_error
from parlour.cli.house_bots import parse_bot_name
from parlour.cli.tournament.plan_arguments import has_plan_arguments, plan_of
from parlour.errors import UserError
from runtime.file_errors import describe_file_error
from runtime.printable import print_line, print_lines


def new(folder: Folder, args: Namespace) -> int:
    create(folder, args)
    print_line(f"created {folder.plan_file}; start with: parlour tournament run {folder.path}")
    return 0


def create(folder: Folder, args: Namespace) -> None:
    plan = shuffle_students(plan_of(args, folder.path.absolute().name))
    check_bots(plan)
    check_students(plan)
    folder.create(plan)


def check_bots(plan: Plan) -> None:
    """Check that all bots exist and play this game, without running their files.

    Raises TournamentError, LoadError or GameError.
    """
    for player in plan.players:
        file = bot_file(player.bot)
        if file and not Path(file).is_file():
            raise TournamentError(f"{player.name}: there is no file {file}: check the name")
        if player.bot and not file:
            spec = parse_bot_name(player.bot)
            spec.check()
            if plan.game not in spec.games:
                raise TournamentError(f"{player.name} does not play {plan.game}: use another bot")


def check_students(plan: Plan) -> None:
    """Check that students who have to solve positions are started by the runner."""
    connecting = [name for name in plan.students if not plan.player(name).started]
    if connecting and any(goal.kind == "solves" for goal in plan.goals):
        raise TournamentError(
            f"{connecting[0]} cannot solve positions, because the runner does not start it: give bot or exec"
        )


def run(folder: Folder, args: Namespace) -> int:
    if has_plan_arguments(args):
        create(folder, args)
    return resume(folder, args)


def resume(folder: Folder, args: Namespace) -> int:
    from parlour.cli.tournament import play  # the terminal client takes longer to import than other actions to run

    check_bots(folder.plan())
    return play.run(folder, args)


def review(folder: Folder, args: Namespace) -> int:
    from parlour.cli.tournament import review  # the search takes longer to import than other actions to run

    return review.run(folder, args)


def status(folder: Folder, args: Namespace) -> int:
    plan, state = load_state(folder)
    known = progress(plan, state.results)
    if args.json:
        running = {str(number): room for number, room in sorted(state.rooms.items())}
        print_line(
            json.dumps({"finished": known.finished, "done": known.done, "known": known.known, "under_way": running})
        )
        return 0
    phase = "finished" if known.finished else "not started" if not state.plan_digest else f"{len(state.rooms)} running"
    about = "" if known.final else "at most " if plan.sprt is not None else "about "
    shown = counted(known.expected, "game")
    head = f"{plan.name}: {plan.format} of {counted(len(plan.players), 'player')} in {plan.game}"
    print_line(f"{head}, {known.done} of {about}{shown}, {phase}")
    for number, room in sorted(state.rooms.items()):
        print_line(f"  game {number} in room {room}")
    return 0


def load_state(folder: Folder, public: bool = False) -> tuple[Plan, TournamentState]:
    """Return the plan and the state. `public`: with pseudonyms for students."""
    plan, state = folder.plan(), folder.state_with_reviews()
    if is_cut(folder.log_file):
        how = f"parlour tournament resume {folder.path}"
        report_error(
            f"the last line of {folder.log_file} is incomplete and does not count; recover the lost entry with {how}"
        )
    return anonymize(plan, state, pseudonyms(plan, folder.path)) if public else (plan, state)


def table(folder: Folder, args: Namespace) -> int:
    plan, state = load_state(folder, args.public)
    known = standings(plan, state.results, state.reviews)
    if args.json:
        bracket = {"bracket": tables.bracket_json(known.bracket)} if known.bracket else {}
        print_line(json.dumps({**tables.as_json(known), **bracket}, ensure_ascii=False))
    else:
        print_lines(tables.as_csv(known).rstrip("\n") if args.csv else tables.as_text(known))
    return 0


def export(folder: Folder, args: Namespace) -> int:
    plan, state = load_state(folder, args.public)
    target = args.out or Path(f"{folder.path.absolute().name}{'.html' if args.page else '.zip'}")
    if args.page:
        relative = os.path.relpath(folder.path, target.parent)
        text = page(
            standings(plan, state.results, state.reviews), plan, state, lambda forfeit: report_path(relative, forfeit)
        )
        data = text.encode()
    else:
        data = pack(plan, state, None if args.public else folder.path)
    if target.is_dir():
        raise UserError(f"{target} is a folder: --out needs the name of a file")
    draft = target.with_name(f"{target.name}.draft")
    try:
        draft.write_bytes(data)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UserError(describe_file_error("write", target, error)) from None
    print_line(f"{sha256(data).hexdigest()}  {target}")
    return 0


def report_path(folder: str, forfeit: Forfeit) -> str:
    return f"{folder}/{forfeit.evidence}/report.json"


def verify(folder: Folder, args: Namespace) -> int:
    path = folder.path
    found, games, reworded, reviewed = check(path, args.max_mb << 20, args.sha256 or "")
    for sentence in found:
        print_line(f"{path}: WRONG: {sentence}")
    if not found:
        print_line(f"{path}: ok, {counted(games, 'game')} replayed, the table is correct")
    if reworded:
        print_line(
            f"{path}: written by an older version of Parlour: names and numbers in {', '.join(reworded)} are correct, "
            "the wording was not compared"
        )
    if reviewed:
        print_line(f"{path}: the values in the reviews of {counted(reviewed, 'game')} were not computed again")
    return 1 if found else 0


def grade(folder: Folder, args: Namespace) -> int:
    plan, state = load_state(folder, args.public)
    if not plan.goals:
        raise TournamentError(f"{folder.plan_file} has no goals: grading needs format = 'grading' and [[goal]] tables")
    found = grades.grades(plan, state)
    print_lines(grades.as_csv(found, plan).rstrip("\n") if args.csv else grades.as_text(found, plan))
    return 0


ACTIONS: dict[str, Callable[[Folder, Namespace], int]] = {
    "new": new,
    "run": run,
    "resume": resume,
    "review": review,
    "status": status,
    "table": table,
    "export": export,
    "verify": verify,
    "grade": grade,
}
