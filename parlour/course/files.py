"""Output files that appear under their names when they are complete, all of them, or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from types import TracebackType
from typing import TextIO

from parlour.cli import UserError


class Drafts:
    """Files written beside their targets; leaving the `with` block without an error renames them into place.

    What is no file (a terminal, /dev/null) cannot be replaced and is written to at the end.
    """

    def __init__(self) -> None:
        self._open: list[tuple[Path, Path, TextIO]] = []  # the name asked for, the draft, its stream

    def open(self, name: str) -> TextIO:
        target = Path(os.path.realpath(name))  # a link stays a link
        draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}")
        try:
            if target.is_dir():
                raise IsADirectoryError(0, "it is a folder")
            if _special(target):
                draft = target
            stream = draft.open("w" if draft == target else "x", encoding="utf-8", newline="\n")
        except OSError as error:
            raise UserError(f"cannot write {name}: {error.strerror}") from None
        self._open.append((Path(name), draft, stream))
        return stream

    def __enter__(self) -> Drafts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            for _, _, stream in self._open:
                stream.close()
            if kind is None:
                self._keep()
        except OSError as failure:
            raise UserError(f"cannot write {self._open[0][0]}: {failure.strerror}") from None
        finally:
            for _, draft, _ in self._open:
                if not _special(draft):
                    draft.unlink(missing_ok=True)

    def _keep(self) -> None:
        for name, draft, _ in self._open:
            target = Path(os.path.realpath(name))
            if draft == target:
                continue
            if target.exists():
                draft.chmod(stat.S_IMODE(target.stat().st_mode))
            draft.replace(target)


def _special(path: Path) -> bool:
    """Something that exists and is no ordinary file."""
    return path.exists() and not path.is_file()


def write_text(name: str, text: str) -> None:
    with Drafts() as drafts:
        drafts.open(name).write(text)
