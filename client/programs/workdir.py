"""Where programs of assignments run: each time in a folder of its own, a fresh copy of another one."""

from __future__ import annotations

import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from client.programs.failure import Failure

PREFIX = "parlour-run-"
CHUNK = 1 << 20
CLEARING = 20.0  # seconds that the last folders may take to disappear

Enough = Callable[[], bool]  # nobody needs the folder any more


class Workshop:
    """`copied`: the folder that programs find a copy of; None is an empty one. `aside`: what is never copied."""

    def __init__(self, copied: Path | None = None, aside: Path | None = None) -> None:
        self._copied, self._aside = copied, aside
        self._open = 0
        self._closed = False
        self._cleared = threading.Condition()

    @contextmanager
    def folder(self, enough: Enough) -> Iterator[Path]:
        """A folder for as long as the block lasts; Failure if there is none, or `enough` before it is ready."""
        with self._cleared:
            self._open += 1
        try:
            with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
                folder = Path(name).resolve() / "run"
                self._fill(folder, lambda: self._closed or enough())
                yield folder
        finally:
            with self._cleared:
                self._open -= 1
                self._cleared.notify_all()

    def check(self) -> None:
        """Failure if there is something that cannot be copied, while there is no game to lose."""
        with self.folder(lambda: False):
            pass

    def close(self) -> None:
        """Nothing is copied any more; wait for the folders to disappear."""
        self._closed = True
        with self._cleared:
            self._cleared.wait_for(lambda: not self._open, CLEARING)

    def _fill(self, folder: Path, enough: Enough) -> None:
        if self._copied is None:
            folder.mkdir()
            return
        try:
            shutil.copytree(self._copied, folder, symlinks=True, ignore=self._ignored, copy_function=copier(enough))
            folder.chmod(folder.stat().st_mode | stat.S_IRWXU)
        except shutil.Error as error:
            first = str(error.args[0][0][-1]).rpartition("] ")[2]  # without its number
            raise Failure("start", f"{self._copied} cannot be copied: {first}") from None
        except OSError as error:
            raise Failure("start", f"{self._copied} cannot be copied: {error.strerror}") from None

    def _ignored(self, folder: str, names: list[str]) -> list[str]:
        """Pipes, sockets and devices have no copy; runs like this one and the evidence are not the program's."""
        runs = same(Path(folder), Path(tempfile.gettempdir()))
        return [
            name
            for name in names
            if (runs and name.startswith(PREFIX)) or self._is_aside(Path(folder, name)) or not usual(Path(folder, name))
        ]

    def _is_aside(self, path: Path) -> bool:
        return self._aside is not None and same(path, self._aside)


def same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.samefile(other)
    return False


def usual(path: Path) -> bool:
    """A file, a folder or a link."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
    return False  # it has just disappeared


def copier(enough: Enough) -> Callable[[str, str], None]:
    """Copies a file; Failure as soon as there is no use in it any more."""

    def copy(source: str, target: str) -> None:
        with Path(source).open("rb") as given, Path(target).open("wb") as made:
            chunk = b"first"
            while chunk:
                if enough():
                    raise Failure("timeout", "its folder was not copied in time")
                chunk = given.read(CHUNK)
                made.write(chunk)
        shutil.copystat(source, target)

    return copy


def place(folder: Path, files: Mapping[str, str], absent: str) -> None:
    """The files of a run, whatever was there before, and one that the program is to write itself."""
    for path in (folder / name for name in (*files, absent) if name):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
