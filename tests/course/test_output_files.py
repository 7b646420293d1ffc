"""Output files of the course programs are written atomically."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parlour.coursework.files import Drafts, write_text
from parlour.errors import UserError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_appear_only_at_the_end(here: Path) -> None:
    (here / "b").write_text("old")
    with Drafts() as drafts:
        drafts.open("a").write("one\n")
        drafts.open("b").write("two\n")
        assert not (here / "a").exists()
        assert (here / "b").read_text() == "old"
    assert {path.name: path.read_bytes() for path in here.iterdir()} == {"a": b"one\n", "b": b"two\n"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_error_leaves_all_files_unchanged(here: Path, error: type[BaseException]) -> None:
    (here / "b").write_text("old")

    def fail() -> None:
        with Drafts() as drafts:
            drafts.open("a").write("one\n")
            drafts.open("b").write("two\n")
            raise error

    with pytest.raises(error):
        fail()
    assert {path.name: path.read_text() for path in here.iterdir()} == {"b": "old"}


def test_symbolic_link_is_followed(here: Path) -> None:
    (here / "link").symlink_to("real")
    write_text("link", "text")
    assert (here / "link").is_symlink()
    assert (here / "real").read_text() == "text"


def test_new_file_has_the_default_mode(here: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_text("a", "text")
    finally:
        os.umask(mask)
    assert (here / "a").stat().st_mode & 0o777 == 0o640


def test_pipe_is_written_directly(here: Path) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text("pipe", "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)
    assert [path.name for path in here.iterdir()] == ["pipe"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (".", ". is a folder: rename it, or choose another file"),
        ("", "the file name is empty: give the name of a file"),
        ("nowhere/a", "cannot write nowhere/a: there is no folder nowhere: create it, or choose another file"),
    ],
)
def test_unwritable_names_are_rejected(name: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        write_text(name, "text")
    assert str(caught.value) == sentence


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is missing")
def test_full_disk_is_reported() -> None:
    with pytest.raises(UserError, match="cannot write /dev/full: no space left on device"):
        write_text("/dev/full", "text")
