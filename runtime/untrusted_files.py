"""Read untrusted files: records, plans, bundles, logs and state files.

Every reader is limited in size and depth, so that a hostile file is refused with one sentence, within little time and
memory. Only regular files are read: a FIFO or a device could block or never end.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

MAX_RECORD_BYTES = 1 << 20
MAX_PLAN_BYTES = 1 << 20
MAX_STATE_BYTES = 1 << 16
MAX_LOG_BYTES = 32 << 20  # a log of a tournament: in memory, its text may take four times as much
MAX_OWN_LOG_BYTES = 4 << 30  # a log of a tournament that is played here, of up to a million games
MIN_ENTRY_BYTES = 1 << 10  # a shorter line of a log counts as this many: its value takes about as much memory
MAX_ENTRY_BYTES = 4 << 20  # a line of a log: a game with a record of MAX_RECORD_BYTES
MAX_DEPTH = 16  # nested lists and maps
MAX_JSON_VALUES = 1_000_000  # an empty list takes two bytes of a file and 80 of memory
MAX_KEY_PARTS = 16  # of a dotted key in TOML: reading a key takes time quadratic in its parts
MAX_ARCHIVE_BYTES = 32 << 20
MAX_UNPACKED_BYTES = 128 << 20
MAX_MEMBERS = 50_000
MAX_EXPANSION = 200  # unpacked bytes per packed byte of a member, beyond the first MB

CENTRAL_ENTRY = b"PK\x01\x02"  # every entry of an archive's directory begins with this
LOCAL_HEADER_BYTES = 30  # before a member's name and data
TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|\'\'\'(?:[^\']|\'(?!\'\'))*+(?:\'\'\')?'
    r'|"(?:[^"\\\n]|\\.)*+"?|\'[^\'\n]*+\'?|#[^\n]*+',
    re.DOTALL,
)
BETWEEN_KEYS = re.compile(r"[^\w\-. \t]")


class UnsafeFile(ValueError):
    """A file that is not read. The text is a sentence without the name of the file."""


def open_file(path: Path) -> BinaryIO:
    """Open a regular file. Raises UnsafeFile or OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a FIFO does not block
    file = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise UnsafeFile("it is not a regular file")
    return file


def read_file(path: Path, max_bytes: int) -> bytes:
    """Return the contents of a regular file. Raises UnsafeFile or OSError."""
    with open_file(path) as file:
        return read_stream(file, max_bytes)


def read_beginning(path: Path, max_bytes: int) -> bytes:
    """Return the first bytes of a regular file. Raises UnsafeFile or OSError."""
    with open_file(path) as file:
        return file.read(max_bytes)


def read_lines(path: Path, max_bytes: int, max_line_bytes: int, min_line_bytes: int = 0) -> Iterator[bytes]:
    """Yield the lines of a regular file, one at a time, with their line breaks. Raises UnsafeFile or OSError.

    `min_line_bytes`: a shorter line counts as this many bytes.
    """
    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise UnsafeFile(f"it is larger than {size_text(max_bytes)}")
        read = 0
        while line := file.readline(max_line_bytes + 1):
            read += max(len(line), min_line_bytes)
            if len(line) > max_line_bytes:
                raise UnsafeFile(f"it has a line of more than {size_text(max_line_bytes)}")
            if read > max_bytes:
                raise UnsafeFile(f"it has too many lines for a limit of {size_text(max_bytes)}")
            yield line


def read_stream(stream: BinaryIO, max_bytes: int) -> bytes:
    """Return the rest of a stream, such as standard input. Raises UnsafeFile if it is longer than `max_bytes`."""
    data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise UnsafeFile(f"it is larger than {size_text(max_bytes)}")
    return data


def size_text(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} kB"


# -- JSON and TOML


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text. Raises UnsafeFile if it is too deep or long, ValueError if it is not JSON."""
    if count_json_values(data) > MAX_JSON_VALUES:
        raise UnsafeFile(f"it has more than {MAX_JSON_VALUES:,} values")
    try:
        value = json.loads(data)
    except RecursionError:
        raise too_deep() from None
    check_depth(value)
    return value


def count_json_values(data: bytes | str) -> int:
    """Return an upper bound of the number of values in a JSON text: commas and brackets in texts count too."""
    if isinstance(data, str):
        return 1 + sum(map(data.count, ",[{"))
    return 1 + sum(map(data.count, (b",", b"[", b"{")))


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text. Raises UnsafeFile if it is too deep, ValueError if it is not TOML."""
    if any(part.count(".") >= MAX_KEY_PARTS for part in BETWEEN_KEYS.split(TOML_TEXT.sub("_", text))):
        raise UnsafeFile(f"a key has more than {MAX_KEY_PARTS} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise too_deep() from None
    check_depth(tables)
    return tables


def check_depth(value: Any) -> None:
    """Raise UnsafeFile if lists and maps are nested too deep for code that walks them by recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        nested = [each for each in level if isinstance(each, dict | list)]
        if not nested:
            return
        level = [child for each in nested for child in (each.values() if isinstance(each, dict) else each)]
    raise too_deep()


def too_deep() -> UnsafeFile:
    return UnsafeFile(f"it is nested deeper than {MAX_DEPTH} levels")


# -- archives


def unpack(data: bytes, max_bytes: int = MAX_UNPACKED_BYTES, skip_folders: bool = False) -> dict[str, bytes]:
    """Return the members of a ZIP archive. Raises UnsafeFile if it is too large, ambiguous or damaged.

    `skip_folders`: allow entries of folders, which many programs write. They have no contents.
    """
    if data.count(CENTRAL_ENTRY) > MAX_MEMBERS:  # before the directory is read into memory
        raise UnsafeFile(f"it has more than {MAX_MEMBERS:,} files")
    try:
        with ZipFile(BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not (skip_folders and entry.is_dir())]
            check_members(entries, max_bytes)
            return {entry.filename: read_member(archive, entry) for entry in entries}
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error) as error:
        raise UnsafeFile(f"it is damaged, or not a ZIP archive: {error}") from None


def check_members(entries: list[ZipInfo], max_bytes: int) -> None:
    """Raise UnsafeFile if the directory of an archive claims too much, or the same bytes or names twice."""
    if sum(entry.file_size for entry in entries) > max_bytes:
        raise UnsafeFile(f"its files exceed {size_text(max_bytes)}")
    if len({entry.filename for entry in entries}) < len(entries):
        raise UnsafeFile("it has two files of the same name")
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        check_member(entry)
        if entry.header_offset < end:
            raise UnsafeFile("its files overlap")
        end = entry.header_offset + LOCAL_HEADER_BYTES + len(entry.orig_filename.encode()) + entry.compress_size


def check_member(entry: ZipInfo) -> None:
    name = entry.filename
    if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
        raise UnsafeFile(f"it has a file outside of its folder: {name[:60]!r}")
    if stat.S_ISLNK(entry.external_attr >> 16) or entry.is_dir():
        raise UnsafeFile(f"{name[:60]!r} is not a regular file")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise UnsafeFile(f"{name[:60]!r} is packed with an unknown method")
    if entry.file_size > (1 << 20) + MAX_EXPANSION * entry.compress_size:
        raise UnsafeFile(f"{name[:60]!r} unpacks to more than {MAX_EXPANSION} times its size")


def read_member(archive: ZipFile, entry: ZipInfo) -> bytes:
    """Return the contents of a member, which may not be longer than the directory says. Raises BadZipFile."""
    with archive.open(entry) as member:
        data = member.read(entry.file_size + 1)
    if len(data) != entry.file_size:
        raise BadZipFile(f"{entry.filename[:60]!r} is shorter than stated")
    return data
