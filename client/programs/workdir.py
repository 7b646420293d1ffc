"""Working folders for programs of assignments: each run gets a new copy of a folder, deleted after it."""

from __future__ import annotations

import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from client.programs.failure import Failure

PREFIX = "parlour-run-"
CHUNK_BYTES = 1 << 20
CLOSE_TIMEOUT_S = 20.0  # for the last folders to be deleted

Cancelled = Callable[[], bool]  # whether the folder is no longer needed


class WorkdirFactory:
    """Creates the folders that a program runs in.

    `source`: the folder that is copied; without it, they are empty. `excluded`: a folder that is not copied.
    """

    def __init__(self, source: Path | None = None, excluded: Path | None = None) -> None:
        self._source, self._excluded = source, excluded
        self._open = 0
        self._closed = False
        self._changed = threading.Condition()

    @contextmanager
    def folder(self, cancelled: Cancelled) -> Iterator[Path]:
        """Create a folder for the duration of the block.

        Raises Failure if it cannot be created, or if it is no longer needed before it is complete.
        """
        with self._changed:
            self._open += 1
        try:
            name = tempfile.mkdtemp(prefix=PREFIX)
            try:
                folder = Path(name).resolve() / "run"
                self._create(folder, lambda: self._closed or cancelled())
                yield folder
            finally:
                delete(Path(name))
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def check(self) -> None:
        """Make a copy and delete it, before any game. Raises Failure if a file cannot be copied."""
        with self.folder(lambda: False):
            pass

    def close(self) -> None:
        """Stop copying and wait until the folders are deleted."""
        self._closed = True
        with self._changed:
            self._changed.wait_for(lambda: not self._open, CLOSE_TIMEOUT_S)

    def _create(self, folder: Path, cancelled: Cancelled) -> None:
        if self._source is None:
            folder.mkdir()
            return
        copy = copy_function(cancelled)
        try:
            shutil.copytree(self._source, folder, symlinks=True, ignore=self._ignored, copy_function=copy)
            folder.chmod(folder.stat().st_mode | stat.S_IRWXU)
        except shutil.Error as error:
            first = str(error.args[0][0][-1]).rpartition("] ")[2]  # without its number
            raise Failure("start", f"{self._source} cannot be copied: {first}") from None
        except OSError as error:
            raise Failure("start", f"{self._source} cannot be copied: {error.strerror}") from None

    def _ignored(self, folder: str, names: list[str]) -> list[str]:
        """Return what is not copied: pipes, sockets, devices, other working folders, the excluded folder."""
        in_temporary = is_same(Path(folder), Path(tempfile.gettempdir()))
        return [
            name
            for name in names
            if (in_temporary and name.startswith(PREFIX))
            or self._is_excluded(Path(folder, name))
            or not can_be_copied(Path(folder, name))
        ]

    def _is_excluded(self, path: Path) -> bool:
        return self._excluded is not None and is_same(path, self._excluded)


def delete(folder: Path) -> None:
    """Delete a folder with all that a program has left in it. What cannot be deleted stays."""
    with suppress(RecursionError):  # folders nested too deep for Python
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        subprocess.run(["chmod", "-R", "u+rwX", str(folder)], capture_output=True, check=False)
        subprocess.run(["rm", "-rf", str(folder)], capture_output=True, check=False)


def is_same(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file."""
    with suppress(OSError):
        return one.samefile(other)
    return False


def can_be_copied(path: Path) -> bool:
    """Return whether a path is a file, a folder or a link."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
    return False  # it was just deleted


def copy_function(cancelled: Cancelled) -> Callable[[str, str], None]:
    """Return a function that copies a file. It raises Failure as soon as the copy is no longer needed."""

    def copy(source: str, target: str) -> None:
        with Path(source).open("rb") as reader, Path(target).open("wb") as writer:
            chunk = b"first"
            while chunk:
                if cancelled():
                    raise Failure("timeout", "its folder was not copied in time")
                chunk = reader.read(CHUNK_BYTES)
                writer.write(chunk)
        shutil.copystat(source, target)

    return copy


def write_files(folder: Path, files: Mapping[str, str], output: str) -> None:
    """Write the input files of a run, and delete an earlier output file. Replace whatever has their names."""
    for path in (folder / name for name in (*files, output) if name):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
