from __future__ import annotations

from pathlib import Path

import pytest

from client.bots.source_digest import DIGEST_CHARS, digest_sources


def test_version_changes_with_the_file_and_not_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for folder, text in (("one", "a"), ("two", "a"), ("three", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my_bot.py").write_text(text)
        monkeypatch.chdir(tmp_path / folder)
        found.append((digest_sources("my_bot.py"), digest_sources("my_bot.py:Mine")))
    assert found[0] == found[1]
    assert found[0][0] != found[2][0]
    assert found[0][1] != found[2][1]
    assert {len(text) for pair in found for text in pair} == {DIGEST_CHARS}


def test_version_of_a_program_covers_its_command_and_its_folder(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Main.java").write_text("1")
    (tmp_path / "link").symlink_to("/dev/zero")  # never read: a link may lead anywhere
    first = digest_sources("java Main", tmp_path)
    assert digest_sources("java Main", tmp_path) == first
    assert digest_sources("java Main {depth}", tmp_path) != first
    (tmp_path / "src" / "Main.java").write_text("2")
    assert digest_sources("java Main", tmp_path) != first


def test_command_that_cannot_be_split_has_a_version_too() -> None:
    assert len(digest_sources('python3 "unfinished')) == DIGEST_CHARS
