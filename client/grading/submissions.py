"""Find the submissions of a class: one folder, archive or file per student, or the export of a learning platform.

Recognised are the exports of Moodle (`Ann Lee_123_assignsubmission_file_`), Canvas (`leeann_123_456_work.zip`) and
Gradescope (`submission_123` and `submission_metadata.yml`). File names and contents are untrusted.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath

from client.tournament.model.errors import TournamentError
from client.tournament.play.player_process import file_name
from protocol.usernames import is_readable
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import UnsafeFile, read_file, unpack

MAX_SUBMISSION_BYTES = 32 << 20
MAX_SUBMISSION_FILES = 2000
MAX_CLASS_BYTES = 512 << 20  # a class in one archive
MAX_METADATA_BYTES = 4 << 20
MAX_STUDENTS = 2000
MAX_NAME_CHARS, MAX_FOLDER_CHARS = 80, 100
METADATA = "submission_metadata.yml"
IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", "__pycache__")
SOURCE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".java", ".py", ".sh")
MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)", re.DOTALL)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)", re.DOTALL)
CANVAS_COPY = re.compile(r"-\d+(?=\.\w+$)")  # Canvas numbers the files of later attempts
GRADESCOPE = re.compile(r"(?P<number>submission_\d+)")

Files = Mapping[str, bytes]  # contents by path, with slashes


@dataclass(frozen=True, slots=True)
class Student:
    """`id`: unique in the class, as the class folder has it. `number`: that of the platform, if there is one."""

    id: str
    name: str
    number: str = ""

    @property
    def folder(self) -> str:
        """The name of the folder for the student's results."""
        name = file_name(self.id)
        return name if len(name) <= MAX_FOLDER_CHARS else sha256(name.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Submission:
    """What a student handed in. `problem`: why it cannot be read; it has no files then."""

    student: Student
    files: Files = field(default_factory=dict)
    problem: str = ""


def find_submissions(path: Path) -> list[Submission]:
    """Return the submissions in a folder or in a ZIP archive, in the order of the names.

    Raises TournamentError if there are none.
    """
    try:
        parts = archive_parts(path) if path.is_file() else folder_parts(path)
    except OSError as error:
        raise TournamentError(describe_file_error("read", path, error)) from None
    except UnsafeFile as error:
        raise TournamentError(f"cannot read {path}: {error}") from None
    names = submitter_names(parts.pop(METADATA, Part()).get("", b""))
    grouped: dict[Student, list[tuple[str, Part]]] = {}
    for name, part in sorted(parts.items()):
        student, file = recognise(name, names, part)
        if student is not None:
            grouped.setdefault(student, []).append((file, part))
    if not grouped:
        raise TournamentError(f"there are no submissions in {path}: expected one folder or ZIP archive per student")
    if len(grouped) > MAX_STUDENTS:
        raise TournamentError(f"{path} has {len(grouped):,} submissions; the maximum is {MAX_STUDENTS:,}")
    return [read_submission(student, grouped[student]) for student in sorted(grouped, key=lambda one: one.id)]


class Part(dict[str, bytes]):
    """An entry of the class folder: its files by path, or its contents under "" if it is a file itself."""

    problem = ""


# -- reading


def folder_parts(folder: Path) -> dict[str, Part]:
    """Return the entries of a folder. Raises OSError."""
    found: dict[str, Part] = {}
    for entry in sorted(folder.iterdir()):
        if is_ignored(entry.name):
            continue
        part = found[entry.name] = Part()
        try:
            if entry.is_symlink():
                raise UnsafeFile("it is a link")
            part.update(read_folder(entry) if entry.is_dir() else {"": read_file(entry, MAX_SUBMISSION_BYTES)})
        except UnsafeFile as error:
            part.problem = str(error)
        except OSError as error:
            part.problem = error.strerror or str(error)
    return found


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder. Raises UnsafeFile if they are too many or too large, or if there is a link."""
    found: dict[str, bytes] = {}
    left = MAX_SUBMISSION_BYTES
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not is_ignored(name)]
        for name in [*names, *folders]:
            path = Path(where, name)
            relative = path.relative_to(folder).as_posix()
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) or is_ignored(name):
                continue
            if not stat.S_ISREG(mode):
                raise UnsafeFile(f"{relative[:60]!r} is not a regular file")
            if len(found) == MAX_SUBMISSION_FILES:
                raise UnsafeFile(f"it has more than {MAX_SUBMISSION_FILES:,} files")
            if path.lstat().st_size > left:
                raise UnsafeFile(f"its files exceed {MAX_SUBMISSION_BYTES >> 20} MB")
            found[relative] = read_file(path, left)
            left -= len(found[relative])
    return found


def archive_parts(path: Path) -> dict[str, Part]:
    """Return the entries of an archive with a whole class. Raises UnsafeFile or OSError."""
    files = unpack(read_file(path, MAX_CLASS_BYTES), MAX_CLASS_BYTES, skip_folders=True)
    roots = {name.split("/", 1)[0] for name in files if not any(map(is_ignored, name.split("/")))}
    if len(roots) == 1 and all("/" in name for name in files):  # the folder of the class is part of the archive
        files = {name.split("/", 1)[1]: data for name, data in files.items() if name.split("/", 1)[0] in roots}
    found: dict[str, Part] = {}
    for name, data in files.items():
        root, _, inside = name.partition("/")
        if not any(map(is_ignored, name.split("/"))):
            found.setdefault(root, Part())[inside] = data
    return found


def read_submission(student: Student, parts: Iterable[tuple[str, Part]]) -> Submission:
    """Return the files of a student, with archives unpacked and folders that hold everything left out."""
    files: dict[str, bytes] = {}
    try:
        for name, part in parts:
            if part.problem:
                raise UnsafeFile(part.problem)
            for path, data in part.items():
                files[path or name] = data
        archives = [name for name in files if is_archive(name)]
        if len(archives) == 1 and len(files) == 1:
            files = unpack(files[archives[0]], MAX_SUBMISSION_BYTES, skip_folders=True)
        files = strip_folders({name: data for name, data in files.items() if not any(map(is_ignored, name.split("/")))})
        check_files(files)
    except UnsafeFile as error:
        return Submission(student, problem=f"the submission cannot be read: {error}")
    return Submission(student, files)


def strip_folders(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files without the folders that hold all of them."""
    while files and all("/" in name for name in files) and len({name.split("/", 1)[0] for name in files}) == 1:
        files = {name.split("/", 1)[1]: data for name, data in files.items()}
    return files


def check_files(files: Files) -> None:
    """Raise UnsafeFile if there are no files, too many, or some that cannot be written side by side."""
    if not files:
        raise UnsafeFile("it has no files")
    if len(files) > MAX_SUBMISSION_FILES:
        raise UnsafeFile(f"it has more than {MAX_SUBMISSION_FILES:,} files")
    if sum(map(len, files.values())) > MAX_SUBMISSION_BYTES:
        raise UnsafeFile(f"its files exceed {MAX_SUBMISSION_BYTES >> 20} MB")
    for name in files:
        path = PurePosixPath(name)
        if str(path) != name or "\0" in name or path.is_absolute() or ".." in path.parts:
            raise UnsafeFile(f"it has a file with an unusable name: {name[:60]!r}")
        if any(str(parent) in files for parent in path.parents):
            raise UnsafeFile(f"{name[:60]!r} is in a folder that is also a file")


def is_ignored(name: str) -> bool:
    return name in IGNORED or name.startswith("._")


def is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


# -- names


def recognise(name: str, submitters: Mapping[str, str], part: Part) -> tuple[Student | None, str]:
    """Return the student that an entry belongs to, and the name of the file. None: it is no submission."""
    if (moodle := MOODLE.fullmatch(name)) is not None:
        return student(f"{moodle['name']}_{moodle['number']}", moodle["name"], moodle["number"]), moodle["file"] or name
    single = "" in part
    if GRADESCOPE.fullmatch(name) is not None and not single:
        return student(name, submitters.get(name, name), name), name
    if single and (canvas := CANVAS.fullmatch(name)) is not None:
        file = CANVAS_COPY.sub("", canvas["file"])
        return student(f"{canvas['name']}_{canvas['number']}", canvas["name"], canvas["number"]), file
    path = PurePosixPath(name)
    if single and not is_archive(name) and path.suffix not in SOURCE_SUFFIXES:
        return None, name
    stem = path.stem if single else name
    return student(stem, stem), name


def student(id: str, name: str, number: str = "") -> Student:
    return Student(id, readable(name), number)


def readable(text: str) -> str:
    """Return an untrusted text as a name: printable, on one line, of limited length."""
    shown = " ".join("".join(char if char.isprintable() else "?" for char in text).split())[:MAX_NAME_CHARS]
    return shown if is_readable(shown) else shown.encode("ascii", "backslashreplace").decode()[:MAX_NAME_CHARS] or "?"


def submitter_names(metadata: bytes) -> dict[str, str]:
    """Return the names of the submitters in a metadata file of Gradescope, by submission.

    Only the two kinds of lines that matter are read, so that no parser for YAML is needed.
    """
    found: dict[str, list[str]] = {}
    current = ""
    for line in metadata[:MAX_METADATA_BYTES].decode("utf-8", "replace").splitlines():
        if (head := re.fullmatch(r"(submission_\d+):\s*", line)) is not None:
            current = head[1]
        elif current and (name := re.fullmatch(r"\s*-?\s*:name:\s*(.+?)\s*", line)) is not None:
            found.setdefault(current, []).append(name[1].strip("'\""))
    return {submission: " and ".join(names) for submission, names in found.items()}
