from __future__ import annotations

from pathlib import Path

import pytest

from client.sdk.credentials import CredentialsFile, default_credentials_path, is_replaceable


def test_locked_file_is_not_shared(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "state.json"
    first = CredentialsFile(path)
    assert first.open() == ""
    first.save("secret")
    second = CredentialsFile(path)
    assert second.open() == "", "the first holds the lock"
    second.save("other")
    first.close()
    third = CredentialsFile(path)
    assert third.open() == "secret"
    third.close()


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    file = CredentialsFile(path)
    file.open()
    file.save("secret")
    file.close()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"session": 7}', "\x00"])
def test_broken_file_has_no_secret(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text)
    file = CredentialsFile(path)
    assert file.open() == ""
    file.close()


@pytest.mark.parametrize(
    ("text", "replaceable"), [("", True), ('{"session": ""}', True), ('{"session": "s"}', True), ("my essay", False)]
)
def test_only_credentials_are_replaced(tmp_path: Path, text: str, replaceable: bool) -> None:
    path = tmp_path / "state.json"
    assert is_replaceable(path)
    path.write_text(text)
    assert is_replaceable(path) == replaceable
    assert not is_replaceable(tmp_path)


def test_unwritable_folder_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = CredentialsFile(tmp_path / "file" / "state.json")
    assert file.open() == ""
    file.save("secret")
    file.close()


def test_each_name_on_each_server_has_its_own_file() -> None:
    names = ("x", "y", "X", "a b", "a-b", "a@b", "Ä", "Ö", "李", "李李", "\N{GRINNING FACE}", "x" * 300, "x" * 301)
    paths = [default_credentials_path(url, name) for url in ("a:1", "a:2", "b:1") for name in names]
    files = {path.name.casefold() for path in paths}
    assert len(files) == 3 * len(names)
    assert all(len(name) < 120 and name.isascii() for name in files)


def test_path_stays_in_its_folder_and_ignores_the_form_of_the_url() -> None:
    assert default_credentials_path("ws://a:1/ws", "../../x").name.startswith("..-..-x-a-1-")
    assert default_credentials_path("ws://a:1/ws", "x") == default_credentials_path("http://a:1", "x")
