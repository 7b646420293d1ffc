"""Find submissions: plain folders, exports of learning platforms, and untrusted archives."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from client.grading import submissions
from client.grading.submissions import Submission, find_submissions
from client.tournament.model.errors import TournamentError
from tests.client.grading.sample_class import write_folder, zipped


def found(path: Path) -> dict[str, Submission]:
    return {submission.student.name: submission for submission in find_submissions(path)}


def one_zip(folder: Path, files: dict[str, str]) -> Submission:
    (folder / "ann.zip").write_bytes(zipped(files))
    return found(folder)["ann"]


def test_folders_archives_and_single_files_are_submissions(tmp_path: Path) -> None:
    write_folder(tmp_path / "ann", {"a.py": "1"})
    (tmp_path / "ben.zip").write_bytes(zipped({"b.c": "2"}))
    (tmp_path / "cleo.py").write_text("3")
    (tmp_path / "course.toml").write_text("")
    (tmp_path / "notes.pdf").write_text("")
    assert {name: dict(one.files) for name, one in found(tmp_path).items()} == {
        "ann": {"a.py": b"1"},
        "ben": {"b.c": b"2"},
        "cleo": {"cleo.py": b"3"},
    }


def test_submissions_in_an_export_of_moodle_are_found(tmp_path: Path) -> None:
    write_folder(tmp_path / "Ann Lee_123_assignsubmission_file_", {"a.py": "1"})
    (tmp_path / "Ben Oh_124_assignsubmission_file_work.zip").write_bytes(zipped({"b.c": "2"}))
    classmates = found(tmp_path)
    assert {one.student.number for one in classmates.values()} == {"123", "124"}
    assert classmates["Ben Oh"].files == {"b.c": b"2"}


def test_export_of_canvas_groups_the_files_of_a_student(tmp_path: Path) -> None:
    for name in ("leeann_77_900_main-1.py", "leeann_77_901_other.py", "ohben_LATE_78_902_work.zip"):
        (tmp_path / name).write_bytes(zipped({"b.c": "2"}) if name.endswith("zip") else b"1")
    classmates = found(tmp_path)
    assert classmates["leeann"].files == {"main.py": b"1", "other.py": b"1"}
    assert classmates["ohben"].files == {"b.c": b"2"}


def test_export_of_gradescope_names_the_submitters(tmp_path: Path) -> None:
    text = """---
submission_1:
  :submitters:
  - :name: Ann Lee
    :sid: '5'
  - :name: "Ben Oh"
  :score: 3.0
submission_2:
  :submitters:
  - :name: Cleo
"""
    write_folder(tmp_path / "submission_1", {"a.py": "1"})
    write_folder(tmp_path / "submission_2", {"a.py": "2"})
    (tmp_path / "submission_metadata.yml").write_text(text)
    assert list(found(tmp_path)) == ["Ann Lee and Ben Oh", "Cleo"]


def test_submissions_in_one_archive_are_found(tmp_path: Path) -> None:
    (tmp_path / "hw.zip").write_bytes(zipped({"hw/ann/a.py": "1", "hw/ben/b.py": "2", "__MACOSX/x": ""}))
    assert list(found(tmp_path / "hw.zip")) == ["ann", "ben"]


def test_outer_folders_and_litter_are_left_out(tmp_path: Path) -> None:
    files = {
        "hw/src/": "",
        "hw/src/a.py": "1",
        "hw/src/.DS_Store": "",
        "__MACOSX/hw/._a.py": "",
        "hw/src/lib/b.py": "2",
    }
    assert one_zip(tmp_path, files).files == {"a.py": b"1", "lib/b.py": b"2"}


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["../evil.py"], "outside of its folder"),
        (["a/../../evil.py"], "outside of its folder"),
        (["/etc/passwd"], "outside of its folder"),
        (["c:\\evil.py"], "outside of its folder"),
        (["a//b.py", "c.py"], "unusable name"),
        (["./b.py", "c.py"], "unusable name"),
        (["a", "a/b.py"], "also a file"),
        (["__MACOSX/a"], "has no files"),
        ([f"{number}.py" for number in range(2001)], "more than 2,000 files"),
    ],
)
def test_archive_with_bad_names_is_refused(tmp_path: Path, names: list[str], problem: str) -> None:
    submission = one_zip(tmp_path, dict.fromkeys(names, "x"))
    assert submission.problem.startswith("the submission cannot be read: ")
    assert problem in submission.problem
    assert not submission.files


def test_archive_with_a_link_is_refused(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        entry = zipfile.ZipInfo("a.py")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    (tmp_path / "ann.zip").write_bytes(data.getvalue())
    assert "not a regular file" in found(tmp_path)["ann"].problem


def test_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    assert "exceed 32 MB" in one_zip(tmp_path, {"a.py": "0" * (33 << 20)}).problem
    assert "times its size" in one_zip(tmp_path, {"a.py": "0" * (16 << 20)}).problem


def test_damaged_archive_costs_only_its_student(tmp_path: Path) -> None:
    (tmp_path / "ann.zip").write_bytes(b"PK not an archive")
    write_folder(tmp_path / "ben", {"b.py": "2"})
    classmates = found(tmp_path)
    assert "not a ZIP archive" in classmates["ann"].problem
    assert not classmates["ben"].problem


def test_links_and_pipes_in_folders_are_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "ann", {"a.py": "1"})
    (tmp_path / "ann" / "b.py").symlink_to("/etc/passwd")
    write_folder(tmp_path / "ben", {"a.py": "1"})
    os.mkfifo(tmp_path / "ben" / "pipe")
    (tmp_path / "cleo").symlink_to(tmp_path / "ann")
    classmates = found(tmp_path)
    assert "'b.py' is not a regular file" in classmates["ann"].problem
    assert "'pipe' is not a regular file" in classmates["ben"].problem
    assert "it is a link" in classmates["cleo"].problem


def test_folder_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "MAX_SUBMISSION_BYTES", 1 << 20)
    write_folder(tmp_path / "ann", {"a.py": "0" * (1 << 19), "b.py": "0" * (1 << 19), "c.py": "0"})
    assert "exceed 1 MB" in found(tmp_path)["ann"].problem


def test_names_of_strangers_are_printable_and_keep_students_apart(tmp_path: Path) -> None:
    write_folder(tmp_path / "ann\x1b[2J", {"a.py": "1"})
    write_folder(tmp_path / "ann\x1c[2J", {"a.py": "2"})
    students = [one.student for one in find_submissions(tmp_path)]
    assert [student.name for student in students] == ["ann?[2J", "ann?[2J"]
    assert len({student.folder for student in students}) == 2
    assert all(student.folder.isascii() and "/" not in student.folder for student in students)


def test_empty_folder_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="there are no submissions in"):
        find_submissions(tmp_path)
    with pytest.raises(TournamentError, match="check the name"):
        find_submissions(tmp_path / "missing")
