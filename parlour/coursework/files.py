"""Output files that appear under their names when they are complete, all of them, or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, TextIO

from parlour.cli.main import UserError


class Draft(NamedTuple):
    name: str
    path: Path  # beside the target; the target itself where that cannot be replaced
    target: Path
    stream: TextIO

    def put_in_place(self) -> None:
        if self.path == self.target:
            return
        if self.target.exists():
            self.path.chmod(stat.S_IMODE(self.target.stat().st_mode))
        self.path.replace(self.target)


class Drafts:
    """Files written beside their targets; leaving the `with` block without an error renames them into place.

    What is no ordinary file (a terminal, a pipe, /dev/null) cannot be replaced: it is written to directly.
    """

    def __init__(self) -> None:
        self._drafts: list[Draft] = []

    def open(self, name: str) -> TextIO:
        special = Path(name).exists() and not Path(name).is_file()
        target = Path(name) if special else Path(os.path.realpath(name))  # a link stays a link
        path = target if special else target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}")
        with _sentence(name):
            if target.is_dir():
                raise IsADirectoryError(0, "it is a folder")
            stream = path.open("w" if special else "x", encoding="utf-8", newline="\n")
        self._drafts.append(Draft(name, path, target, stream))
        return stream

    def __enter__(self) -> Drafts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            for draft in self._drafts:
                with _sentence(draft.name):
                    draft.stream.close()
            if kind is None:
                for draft in self._drafts:
                    with _sentence(draft.name):
                        draft.put_in_place()
        finally:
            for draft in self._drafts:
                if draft.path != draft.target:
                    draft.path.unlink(missing_ok=True)


@contextmanager
def _sentence(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write {name or 'a file without a name'}: {error.strerror}") from None


def write_text(name: str, text: str) -> None:
    with Drafts() as drafts:
        drafts.open(name).write(text)
