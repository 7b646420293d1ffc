"""What is known about one submission. The folder's name is a hash of everything that decides the result.

program/     the files of the submission, and what the build made of them
build.json   smoke.json   cases.json   the steps that are done
games/       the tournament against the yardsticks
games.html   its page
result.json  the result; it is written last
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from client.grading.submissions import Files
from client.programs.workdir import delete
from runtime.untrusted_files import parse_json, read_file

WORK = "work"  # the folder that has one of these for every submission
MAX_STEP_BYTES = 16 << 20
EXECUTABLE = (b"#!", b"\x7fELF")
FORMAT = 1  # of the results; a change makes older ones invalid


def submission_key(files: Files, course_digest: str, versions: dict[str, str]) -> str:
    """Return the name of the folder: a hash of the files, the course and the software."""
    contents = {name: sha256(data).hexdigest() for name, data in files.items()}
    text = json.dumps([FORMAT, course_digest, versions, contents], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:32]


class WorkFolder:
    """The folder of a submission."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.program = path / "program"
        self.games = path / "games"
        self.games_page = path / "games.html"

    def unpack(self, files: Files) -> None:
        """Write the files of the submission to a new folder. Raises OSError."""
        delete(self.program)
        for name, data in files.items():
            target = self.program / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(0o755 if data.startswith(EXECUTABLE) else 0o644)

    def load(self, step: str) -> dict[str, Any] | None:
        """Return what a step has found, or None if it is not done."""
        try:
            value = parse_json(read_file(self.path / f"{step}.json", MAX_STEP_BYTES))
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def save(self, step: str, value: dict[str, Any]) -> None:
        """Write what a step has found. A kill leaves all of it or nothing."""
        write_file(self.path / f"{step}.json", json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def write_file(path: Path, text: str) -> None:
    """Replace a file, unless it has this text already."""
    data = text.encode("utf-8", "replace")
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
