"""Output files that are written all together or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, TextIO

from parlour.errors import UserError
from runtime.file_errors import describe_file_error


class Draft(NamedTuple):
    """An output file that is being written."""

    name: str
    path: Path  # a temporary file beside the target, or the target itself if it is not an ordinary file
    target: Path
    stream: TextIO

    def put_in_place(self) -> None:
        """Replace the target, keeping its mode."""
        if self.path == self.target:
            return
        if self.target.exists():
            self.path.chmod(stat.S_IMODE(self.target.stat().st_mode))
        self.path.replace(self.target)


class Drafts:
    """Temporary files beside their targets. Leaving the `with` block without an error renames them into place.

    A target that is not an ordinary file (a terminal, a pipe, /dev/null) is written directly.
    """

    def __init__(self) -> None:
        self._drafts: list[Draft] = []

    def open(self, name: str) -> TextIO:
        """Open an output file for writing. Raises UserError if that is not possible."""
        special = Path(name).exists() and not Path(name).is_file()
        target = Path(name) if special else Path(os.path.realpath(name))  # do not replace a symbolic link
        path = target if special else target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}")
        with _as_user_error(name):
            if target.is_dir():
                raise IsADirectoryError
            stream = path.open("w" if special else "x", encoding="utf-8", newline="\n")
        self._drafts.append(Draft(name, path, target, stream))
        return stream

    def __enter__(self) -> Drafts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            for draft in self._drafts:
                with _as_user_error(draft.name):
                    draft.stream.close()
            if kind is None:
                for draft in self._drafts:
                    with _as_user_error(draft.name):
                        draft.put_in_place()
        finally:
            for draft in self._drafts:
                if draft.path != draft.target:
                    draft.path.unlink(missing_ok=True)


@contextmanager
def _as_user_error(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(describe_file_error("write", name, error)) from None


def write_text(name: str, text: str) -> None:
    with Drafts() as drafts:
        drafts.open(name).write(text)
