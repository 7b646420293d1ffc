"""Errors about files say what is wrong and what to do."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from runtime.file_errors import describe_file_error


def test_missing_file_to_read(tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    with pytest.raises(FileNotFoundError) as raised:
        path.read_text()
    assert describe_file_error("read", path, raised.value) == f"there is no file {path}: check the name"


def test_missing_folder_to_write_to(tmp_path: Path) -> None:
    path = tmp_path / "none" / "out.txt"
    with pytest.raises(FileNotFoundError) as raised:
        path.write_text("")
    wanted = f"cannot write {path}: there is no folder {path.parent}: create it, or choose another file"
    assert describe_file_error("write", path, raised.value) == wanted


def test_folder_instead_of_a_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as raised:
        tmp_path.read_text()
    assert describe_file_error("read", tmp_path, raised.value) == f"{tmp_path} is a folder: give the name of a file"
    wanted = f"{tmp_path} is a folder: rename it, or choose another file"
    assert describe_file_error("write", tmp_path, raised.value) == wanted


def test_other_errors_keep_the_reason_of_the_system() -> None:
    assert describe_file_error("write", "x", OSError(errno.ENOSPC, "No space left on device")) == (
        "cannot write x: no space left on device"
    )
    assert "no permission to read x" in describe_file_error("read", "x", PermissionError(errno.EACCES, "denied"))
    assert describe_file_error("read", "", OSError("odd")) == "the file name is empty: give the name of a file"
