"""Balanced openings in the user's cache folder, so that they are chosen once.

A file has the openings of one game, seed, number of plies and version of the search. It begins with a digest of its
contents, so a damaged file is not used. Files are replaced as a whole: of two processes that choose the same openings,
each writes what the other would write.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from client.tournament.formats.openings_balanced import NODES, search_version
from client.tournament.model.chosen_opening import ChosenOpening
from client.tournament.model.plan import Plan
from runtime.paths import cache_folder
from runtime.untrusted_files import MAX_LOG_BYTES, parse_json, read_file

FOLDER = "openings"
NAME_DIGITS = 20


class OpeningCache:
    """The cached openings of one plan."""

    def __init__(self, plan: Plan) -> None:
        key = [sorted(plan.options.items()), plan.seed, plan.opening_plies, NODES, search_version(type(plan.create()))]
        name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:NAME_DIGITS]
        try:
            self._path: Path | None = cache_folder() / FOLDER / f"{plan.game}_{name}.json"
        except RuntimeError:  # the home folder is unknown
            self._path = None
        self._saved = 0

    def load(self) -> list[ChosenOpening]:
        """Return the openings in the file, none if it is missing or damaged."""
        if self._path is None:
            return []
        try:
            digest, _, content = read_file(self._path, MAX_LOG_BYTES).partition(b"\n")
            if hashlib.sha256(content).hexdigest().encode() != digest:
                return []
            found = [ChosenOpening.read(entry) for entry in parse_json(content)]
        except (OSError, ValueError, KeyError, TypeError):
            return []
        self._saved = len(found)
        return found

    def save(self, openings: Sequence[ChosenOpening]) -> None:
        """Write the openings, if there are more than in the file. Errors are ignored: they will be chosen again."""
        if self._path is None or len(openings) <= self._saved:
            return
        self._saved = len(openings)
        content = json.dumps([opening.dump() for opening in openings], ensure_ascii=False).encode()
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._path.parent, suffix=".tmp", delete=False) as file:
                try:
                    file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
                    file.close()
                    Path(file.name).replace(self._path)
                except BaseException:
                    Path(file.name).unlink(missing_ok=True)
                    raise
