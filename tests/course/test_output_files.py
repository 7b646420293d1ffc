"""Output files: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parlour.cli import UserError
from parlour.course.files import Drafts, write_text


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_appears_before_the_end(here: Path) -> None:
    (here / "b").write_text("old")
    with Drafts() as drafts:
        drafts.open("a").write("one\n")
        drafts.open("b").write("two\n")
        assert not (here / "a").exists()
        assert (here / "b").read_text() == "old"
    assert {path.name: path.read_bytes() for path in here.iterdir()} == {"a": b"one\n", "b": b"two\n"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_everything_as_it_was(here: Path, error: type[BaseException]) -> None:
    (here / "b").write_text("old")

    def fail() -> None:
        with Drafts() as drafts:
            drafts.open("a").write("one\n")
            drafts.open("b").write("two\n")
            raise error

    with pytest.raises(error):
        fail()
    assert {path.name: path.read_text() for path in here.iterdir()} == {"b": "old"}


def test_a_link_stays_a_link(here: Path) -> None:
    (here / "link").symlink_to("real")
    write_text("link", "text")
    assert (here / "link").is_symlink()
    assert (here / "real").read_text() == "text"


def test_a_file_made_anew_has_the_usual_mode(here: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_text("a", "text")
    finally:
        os.umask(mask)
    assert (here / "a").stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_is_written_to(here: Path) -> None:
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
        (".", "cannot write .: it is a folder"),
        ("", "cannot write a file without a name: it is a folder"),
        ("nowhere/a", "cannot write nowhere/a: No such file or directory"),
    ],
)
def test_names_that_cannot_be_written(name: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        write_text(name, "text")
    assert str(caught.value) == sentence


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk() -> None:
    with pytest.raises(UserError, match="cannot write /dev/full: No space left on device"):
        write_text("/dev/full", "text")
