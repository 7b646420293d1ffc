from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.paths import cache_folder, state_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "PARLOUR_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_default_folders_are_in_the_home(home: Path) -> None:
    assert state_folder() == home / ".local" / "state" / "parlour"
    assert cache_folder() == home / ".cache" / "parlour"
    assert list(home.iterdir()) == [], "nothing is created"


def test_state_folder_of_older_versions_stays_in_use(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, older = home / "Library" / "Application Support" / "parlour", home / ".local" / "state" / "parlour"
    monkeypatch.setattr("platformdirs.user_state_path", lambda name, appauthor: usual)
    assert state_folder() == usual
    older.mkdir(parents=True)
    assert state_folder() == older
    usual.mkdir(parents=True)
    assert state_folder() == usual


@pytest.mark.parametrize(("variable", "folder"), [("XDG_STATE_HOME", state_folder), ("XDG_CACHE_HOME", cache_folder)])
def test_xdg_variables_override_the_defaults(
    variable: str, folder: Callable[[], Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = folder()
    monkeypatch.setenv(variable, str(home / "elsewhere"))
    assert folder() == home / "elsewhere" / "parlour"
    for invalid in ("", "relative/path"):  # the XDG specification: ignore it
        monkeypatch.setenv(variable, invalid)
        assert folder() == default


def test_parlour_cache_dir_is_used_as_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_CACHE_DIR", str(home / "cache"))
    assert cache_folder() == home / "cache"


@pytest.mark.parametrize("folder", [state_folder, cache_folder])
def test_unknown_home_folder_is_an_error(folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(RuntimeError, match="home directory"):
        folder()
