"""The bundle: a whole tournament in one archive. The same tournament always produces the same bytes.

bundle.json                               the version of the texts for people
plan.toml schedule.json versions.json     the plan, the games with their openings, the software
games/0001.txt … results.json             the records and results
table.json table.csv table.txt page.html  the table, and a page with every game
openings.json                             for balanced openings: their values
answers.json grades.csv                   for a grading
reviews.jsonl                             reviews of the games, if there are any
evidence/…                                crash reports of forfeits, large files truncated
SHA256SUMS                                the checksums of all files
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from client.tournament.export import grades, tables
from client.tournament.export.html import page
from client.tournament.export.text_versions import TEXT_VERSION
from client.tournament.formats.openings import opening
from client.tournament.formats.schedule_builder import Schedule
from client.tournament.formats.standings import Forfeit, standings
from client.tournament.journal.replay import TournamentState, answered
from client.tournament.journal.review_log import REVIEWS_FILE, reviewed
from client.tournament.model import plan_file
from client.tournament.model.chosen_opening import ChosenOpening
from client.tournament.model.game_review import Reviews
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Results
from runtime.untrusted_files import read_beginning

BUNDLE_FILE = "bundle.json"
CHECKSUM_FILE = "SHA256SUMS"
OPENINGS_FILE = "openings.json"
MAX_EVIDENCE_BYTES = 1 << 16  # per file of evidence
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date in a ZIP file

Files = dict[str, bytes]


def pack(plan: Plan, state: TournamentState, folder: Path | None = None) -> bytes:
    """Return the archive. `folder`: the folder of the tournament, to include evidence."""
    files = contents(plan, state)
    if folder is not None:
        files |= evidence(files, state, folder)
    return archive(files | {CHECKSUM_FILE: checksums(files)})


def contents(plan: Plan, state: TournamentState) -> Files:
    table = standings(plan, state.results)
    results = {game.number: state.results[game.number] for game in table.schedule.games if game.number in state.results}
    reviews = {number: state.reviews[number] for number in results if number in state.reviews}
    files = {
        BUNDLE_FILE: as_json({"texts": TEXT_VERSION}),
        "plan.toml": plan_file.write(plan),
        "schedule.json": as_json(schedule_json(plan, results, state.openings)),
        "versions.json": as_json(state.versions),
        "results.json": as_json(results_json(results)),
        **{game_file(number): result.record for number, result in results.items()},
        **derived_files(plan, state, results),
    }
    if plan.balanced:
        files[OPENINGS_FILE] = as_json(openings_json(table.schedule, state.openings))
    if reviews:
        files[REVIEWS_FILE] = reviews_text(reviews)
    if plan.goals:
        files["answers.json"] = as_json([answered(answer) for _, answer in sorted(state.answers.items())])
    return {name: text.encode() for name, text in sorted(files.items())}


def derived_files(plan: Plan, state: TournamentState, results: Results, with_bracket: bool = True) -> dict[str, str]:
    """Return the files that follow from plan, results and reviews. `verify` computes them again.

    `with_bracket`: with that of a knockout tournament, which older bundles do not have.
    """
    table = standings(plan, results, state.reviews)
    files = {
        "table.json": as_json(tables.as_json(table)),
        "table.csv": tables.as_csv(table),
        "table.txt": tables.as_text(table, with_bracket) + "\n",
        "page.html": page(table, plan, state, report_link, with_bracket),
    }
    if plan.goals:
        files["grades.csv"] = grades.as_csv(grades.grades(plan, state), plan)
    return files


def game_file(number: int) -> str:
    return f"games/{number:05}.txt"


def evidence_folder(number: int) -> str:
    return f"evidence/{number:05}"


def report_link(forfeit: Forfeit) -> str:
    """Return the path of the report on a forfeit in a bundle."""
    return f"{evidence_folder(forfeit.game)}/report.json"


def schedule_json(plan: Plan, results: Results, openings: Sequence[ChosenOpening] = ()) -> dict[str, Any]:
    """Return the schedule. `openings`: the balanced ones; the start of a game without its opening is "" so far."""
    known = standings(plan, results).schedule
    games = [
        {
            **game._asdict(),
            "seats": list(game.seats),
            "start": opening(plan, game.opening, openings) if is_chosen(plan, game, openings) else "",
        }
        for game in known.games
    ]
    return {"seed": plan.seed, "games": games, "byes": [bye._asdict() for bye in known.byes], "final": known.final}


def is_chosen(plan: Plan, game: Pairing, openings: Sequence[ChosenOpening]) -> bool:
    """Return whether the opening of a game is known. A balanced one is chosen before the game begins."""
    return not plan.balanced or game.opening <= len(openings)


def openings_json(schedule: Schedule, openings: Sequence[ChosenOpening]) -> list[dict[str, Any]]:
    """Return the balanced openings up to the last one in the schedule."""
    count = max((game.opening for game in schedule.games), default=0)
    return [{"number": number, **chosen.dump()} for number, chosen in enumerate(openings[:count], 1)]


def reviews_text(reviews: Reviews) -> str:
    """Return the reviews, one line of JSON for each game."""
    entries = (reviewed(number, review) for number, review in sorted(reviews.items()))
    return "".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in entries)


def results_json(results: Results) -> dict[str, Any]:
    """Return the results without the records, which have their own files."""
    return {
        str(number): {key: value for key, value in result.dump().items() if key != "record"}
        for number, result in sorted(results.items())
    }


def evidence(files: Files, state: TournamentState, folder: Path) -> Files:
    found: Files = {}
    for number, result in sorted(state.results.items()):
        source = folder / result.evidence
        if result.evidence and game_file(number) in files and source.is_dir():
            for path in sorted(source.iterdir()):
                if path.is_file() and not path.is_symlink():
                    found[f"{evidence_folder(number)}/{path.name}"] = read_beginning(path, MAX_EVIDENCE_BYTES)
    return found


def as_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def checksums(files: Files) -> bytes:
    return "".join(f"{sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())).encode()


def archive(files: Files) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=6) as zipped:
        for name, data in sorted(files.items()):
            entry = ZipInfo(name, ZIP_EPOCH)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # Unix, on every platform
            zipped.writestr(entry, data)
    return out.getvalue()
