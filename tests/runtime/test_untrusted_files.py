"""Untrusted files: limits on size, depth and archives."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from runtime.untrusted_files import (
    MAX_DEPTH,
    MAX_JSON_VALUES,
    UnsafeFile,
    parse_json,
    parse_toml,
    read_beginning,
    read_file,
    read_lines,
    read_stream,
    unpack,
)

LONG_TEXT = ".".join("abcdefghijklmnopqrstuvwxyz")


def test_regular_file_within_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(UnsafeFile, match="larger than"):
        read_file(path, 4)


@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_other_files_are_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path = Path("/dev/zero")
    with pytest.raises((UnsafeFile, IsADirectoryError)):
        read_file(path, 10)


def test_endless_stream_is_refused() -> None:
    with Path("/dev/zero").open("rb") as stream, pytest.raises(UnsafeFile, match="larger than 1 MB"):
        read_stream(stream, 1 << 20)


@pytest.mark.parametrize("text", ["[" * (10**6 - 1), '{"a":' * 10**5, "[" * 17 + "]" * 17])
def test_deep_json_is_refused(text: str) -> None:
    with pytest.raises(UnsafeFile, match="nested deeper"):
        parse_json(text)


@pytest.mark.parametrize("value", ["[]", "{}", "1"])
def test_json_with_too_many_values_is_refused(value: str) -> None:
    text = f"[{','.join([value] * MAX_JSON_VALUES)}]"
    for data in (text, text.encode()):
        with pytest.raises(UnsafeFile, match="more than 1,000,000 values"):
            parse_json(data)


def test_ordinary_json_is_read() -> None:
    assert parse_json(b'{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}
    parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 10**5,
        "a = " + "{a = " * 10**5,
        "a." * 10**5 + "a = 1",
        "a . " * 10**5 + "a = 1",
        '"a".' * 10**5 + "a = 1",
        "[" + "a." * 10**5 + "a]",
        "a = {" + "a." * 10**5 + "a = 1}",
    ],
    ids=range(7),
)
def test_deep_toml_is_refused(text: str) -> None:
    with pytest.raises(UnsafeFile):
        parse_toml(text)


@pytest.mark.parametrize(
    "text", ['a = "' + '\\"' * 10**5, 'a = """' + '\\"""' * 10**5, "a = '" * 10**5, "a=" + "9" * 5000]
)
def test_broken_toml_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_toml(text)


def test_dots_in_texts_and_comments_are_not_keys() -> None:
    text = f'a = "{LONG_TEXT}" # {LONG_TEXT}\nb = """\n{LONG_TEXT}"x"" \\""""\nc = \'\'\'{LONG_TEXT}\'\'\'\nd.e = 1.5\n'
    assert parse_toml(text)["d"] == {"e": 1.5}


# -- archives


def packed(*members: tuple[str, bytes], method: int = ZIP_DEFLATED, mode: int = 0o100644) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", method) as archive:
        for name, data in members:
            entry = ZipInfo(name)
            entry.external_attr = mode << 16
            entry.compress_type = method
            archive.writestr(entry, data)
    return out.getvalue()


def overlapping() -> bytes:
    """Return an archive in whose directory the second entry points to the data of the first."""
    data = bytearray(packed(("a", b"x" * 9000), ("b", b"x" * 9000)))
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = bytes(4)
    return bytes(data)


def understated() -> bytes:
    """Return an archive whose directory says that a file of 50 MB has one byte."""
    data = bytearray(packed(("a", bytes(50 << 20))))
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (1).to_bytes(4, "little")
    return bytes(data)


ATTACKS: dict[str, tuple[Callable[[], bytes], str]] = {
    "too large": (lambda: packed(*((str(n), bytes(20 << 20)) for n in range(7))), "exceed 128 MB"),
    "bomb": (lambda: packed(("a", bytes(50 << 20))), "times its size"),
    "many members": (lambda: b"PK\x01\x02" * 50_001, "more than 50,000 files"),
    "overlap": (overlapping, "overlap"),
    "understated size": (understated, "damaged"),
    "parent folder": (lambda: packed(("../a", b"")), "outside"),
    "absolute": (lambda: packed(("/etc/passwd", b"")), "outside"),
    "drive": (lambda: packed(("C:x", b"")), "outside"),
    "link": (lambda: packed(("a", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777), "not a regular file"),
    "folder": (lambda: packed(("a/", b"")), "not a regular file"),
    "other method": (lambda: packed(("a", b"x"), method=ZIP_BZIP2), "unknown method"),
    "no archive": (lambda: b"PK", "not a ZIP archive"),
    "cut": (lambda: packed(("a", b"x" * 100))[:-30], "not a ZIP archive"),
}


@pytest.mark.parametrize("kind", ATTACKS)
def test_hostile_archive_is_refused(kind: str) -> None:
    make, sentence = ATTACKS[kind]
    with pytest.raises(UnsafeFile, match=sentence):
        unpack(make())


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused() -> None:
    with pytest.raises(UnsafeFile, match="same name"):
        unpack(packed(("a", b"1"), ("a", b"2")))


def test_ordinary_archive_is_unpacked() -> None:
    members = {"a": b"1" * 5000, "b/c.txt": b"", "bø": b"2"}
    assert unpack(packed(*members.items())) == members


def test_lines_are_read_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"ab\nc")
    assert list(read_lines(path, 4, 3)) == [b"ab\n", b"c"]
    with pytest.raises(UnsafeFile, match="larger than"):
        list(read_lines(path, 3, 3))
    with pytest.raises(UnsafeFile, match="a line of more than"):
        list(read_lines(path, 4, 2))
    assert read_beginning(path, 1) == b"a"
    with pytest.raises(UnsafeFile, match="not a regular file"):
        list(read_lines(Path(os.devnull), 4, 3))
