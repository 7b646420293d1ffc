"""The version of a bot that names none: a digest of its command line and its files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

DIGEST_CHARS = 12
CHUNK_BYTES = 1 << 20


def digest_sources(command: str, folder: Path | None = None) -> str:
    """Return a digest that changes with a bot. `command`: FILE.py[:Class], or the command line of a program.

    It covers the files that the command names and those of the program's folder. It does not depend on where these are.
    """
    found = sha256(command.encode(errors="surrogatepass"))
    for name, path in [*named_files(command, folder or Path()), *folder_files(folder)]:
        with suppress(OSError):  # it was deleted in the meantime, or may not be read
            with path.open("rb") as file:
                contents = sha256()
                while chunk := file.read(CHUNK_BYTES):
                    contents.update(chunk)
            found.update(f"\0{name}\0{contents.hexdigest()}".encode(errors="surrogatepass"))
    return found.hexdigest()[:DIGEST_CHARS]


def named_files(command: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files that a command names, relative to the program's folder or to the current one."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = [command]
    for word in words:
        name, python, _ = word.partition(".py:")
        for path in (folder / f"{name}.py" if python else folder / word, Path(word)):
            if path.is_file():
                yield word, path
                break


def folder_files(folder: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the regular files of a folder, in the order of their names."""
    if folder is not None:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(folder).as_posix(), path
