"""The bundle: a whole tournament in one archive, the same bytes every time it is written.

plan.toml schedule.json versions.json     what was to be played, by which seeds, with what
games/0001.txt … results.json             every record, and what came of it
table.json table.csv table.txt page.html  what it adds up to
answers.json grades.csv                   where it was for grades
evidence/…                                of forfeits, as far as it is short
SHA256SUMS                                of all of them
"""

from __future__ import annotations

import json
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from client.tournament.export import grades, tables
from client.tournament.export.html import page
from client.tournament.formats.openings import opening
from client.tournament.formats.standings import standings
from client.tournament.journal.replay import Story, answered
from client.tournament.model import plan_file
from client.tournament.model.plan import Plan
from client.tournament.model.results import Results

SUMS = "SHA256SUMS"
LONGEST = 1 << 16  # bytes of a file of evidence
DAY = (1980, 1, 1, 0, 0, 0)  # the first that an archive knows

Files = dict[str, bytes]


def pack(plan: Plan, story: Story, folder: Path | None = None) -> bytes:
    """`folder`: where evidence is; without one it is left out."""
    files = contents(plan, story)
    if folder is not None:
        files |= evidence(files, story, folder)
    return archive(files | {SUMS: sums(files)})


def contents(plan: Plan, story: Story) -> Files:
    table = standings(plan, story.results)
    results = {game.number: story.results[game.number] for game in table.schedule.games if game.number in story.results}
    files = {
        "plan.toml": plan_file.write(plan),
        "schedule.json": as_json(schedule_of(plan, results)),
        "versions.json": as_json(story.versions),
        "results.json": as_json(results_of(results)),
        **{game_file(number): result.record for number, result in results.items()},
        **derived(plan, story, results),
    }
    if plan.goals:
        files["answers.json"] = as_json([answered(answer) for _, answer in sorted(story.answers.items())])
    return {name: text.encode() for name, text in sorted(files.items())}


def derived(plan: Plan, story: Story, results: Results) -> dict[str, str]:
    """What follows from the rest, and can be worked out again by anybody."""
    table = standings(plan, results)
    files = {
        "table.json": as_json(tables.as_json(table)),
        "table.csv": tables.as_csv(table),
        "table.txt": tables.as_text(table) + "\n",
        "page.html": page(table, plan, results, lambda forfeit: f"{evidence_of(forfeit.game)}/report.json"),
    }
    if plan.goals:
        files["grades.csv"] = grades.as_csv(grades.grades(plan, story), plan)
    return files


def game_file(number: int) -> str:
    return f"games/{number:05}.txt"


def evidence_of(number: int) -> str:
    return f"evidence/{number:05}"


def schedule_of(plan: Plan, results: Results) -> dict[str, Any]:
    known = standings(plan, results).schedule
    games = [
        {**game._asdict(), "seats": list(game.seats), "start": opening(plan, game.opening)} for game in known.games
    ]
    return {"seed": plan.seed, "games": games, "byes": [bye._asdict() for bye in known.byes], "final": known.final}


def results_of(results: Results) -> dict[str, Any]:
    """All but the records, which stand in files of their own."""
    return {
        str(number): {key: value for key, value in result.dump().items() if key != "record"}
        for number, result in sorted(results.items())
    }


def evidence(files: Files, story: Story, folder: Path) -> Files:
    found: Files = {}
    for number, result in sorted(story.results.items()):
        place = folder / result.evidence
        if result.evidence and game_file(number) in files and place.is_dir():
            for path in sorted(place.iterdir()):
                if path.is_file() and not path.is_symlink():
                    found[f"{evidence_of(number)}/{path.name}"] = path.read_bytes()[:LONGEST]
    return found


def as_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def sums(files: Files) -> bytes:
    return "".join(f"{sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())).encode()


def archive(files: Files) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=6) as zipped:
        for name, data in sorted(files.items()):
            entry = ZipInfo(name, DAY)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # as on Unix, wherever it is written
            zipped.writestr(entry, data)
    return out.getvalue()
