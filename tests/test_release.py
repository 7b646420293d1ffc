"""Checks of scripts/release, its dry run, and the completeness of constraints.txt."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import ROOT, load_script

PYPROJECT = '[project]\nname = "parlour"\nversion = "1.2.3"\n'
CHANGELOG = """\
# Changelog

## 1.2.3 (2026-11-17)

### Added

- Conga.

## 1.2.2 (2026-01-01)

- Old.
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("release")


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "release: 1.2.3")
    return tmp_path


def test_version_comes_from_pyproject(script: ModuleType) -> None:
    assert script.version_of(PYPROJECT) == "1.2.3"


@pytest.mark.parametrize("version", ["", "1.2", "v1.2.3", "1.2.3-dev"])
def test_odd_versions_are_refused(script: ModuleType, version: str) -> None:
    with pytest.raises(script.Problem, match="use a version like"):
        script.version_of(f'[project]\nversion = "{version}"\n')


def test_version_is_declared_once() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    for folder in ("engine", "protocol", "server", "client", "parlour"):
        for path in (ROOT / folder).rglob("*.py"):
            assert f'"{version}"' not in path.read_text(encoding="utf-8"), path


def test_notes_are_the_entry_of_the_version(script: ModuleType) -> None:
    assert script.notes_of(CHANGELOG, "1.2.3") == "### Added\n\n- Conga."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("## 1.2.3 (2026-11-17)", "## 1.2.4 (2026-11-17)", r"first entry of CHANGELOG\.md is not for 1\.2\.3"),
        ("## 1.2.3 (2026-11-17)", "## 1.2.4 (unreleased)\n\n- Go.\n\n## 1.2.3 (2026-11-17)", "first entry"),
        ("## 1.2.3 (2026-11-17)", "## 1.2.3 (unreleased)", "write the date"),
        ("### Added\n\n- Conga.\n", "", "is empty"),
    ],
)
def test_incomplete_changelogs_are_refused(script: ModuleType, old: str, new: str, message: str) -> None:
    with pytest.raises(script.Problem, match=message):
        script.notes_of(CHANGELOG.replace(old, new), "1.2.3")


def test_dry_run_prints_the_commands_and_changes_nothing(
    script: ModuleType, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.release(repository, dry_run=True)
    shown = capsys.readouterr().out
    assert "$ .ci/run\n$ .venv/bin/python -m build --outdir dist/1.2.3\n$ git tag -a v1.2.3\n" in shown
    assert git(repository, "tag", "--list") == ""
    assert git(repository, "status", "--porcelain") == ""


def test_release_tags_with_the_notes_and_does_not_push(
    script: ModuleType, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / ".git" / "info" / "exclude").write_text("/dist/\n", encoding="utf-8")
    made = "mkdir -p dist/1.2.3 && touch dist/1.2.3/parlour-1.2.3-py3-none-any.whl dist/1.2.3/parlour-1.2.3.tar.gz"
    monkeypatch.setattr(script, "steps", lambda version: [["sh", "-c", made]])
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "test")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "test@example.org")
    script.release(repository, dry_run=False)
    assert git(repository, "tag", "--list", "--format=%(contents)").strip() == "Parlour 1.2.3\n\n### Added\n\n- Conga."
    with pytest.raises(script.Problem, match=r"the tag v1\.2\.3 exists already"):
        script.release(repository, dry_run=True)


def test_failing_checks_stop_the_release(script: ModuleType, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "steps", lambda version: [["false"]])
    with pytest.raises(script.Problem, match="false failed with status 1"):
        script.release(repository, dry_run=False)
    assert git(repository, "tag", "--list") == ""


def test_uncommitted_files_stop_the_release(script: ModuleType, repository: Path) -> None:
    (repository / "new.txt").touch()
    with pytest.raises(script.Problem, match=r"not committed(.|\n)*new\.txt"):
        script.release(repository, dry_run=True)


def test_packages_of_another_version_are_refused(script: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "parlour-1.2.2.tar.gz").touch()
    with pytest.raises(script.Problem, match=r"parlour-1\.2\.2\.tar\.gz, not just the two of 1\.2\.3"):
        script.check_packages(tmp_path, "1.2.3")


def test_constraints_pin_every_declared_dependency_and_name_no_host() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = {re.split(r"[\[<>=;~! ]", line)[0].lower() for line in sum(extras.values(), project["dependencies"])}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in pins)
    missing = declared - {"parlour"} - {line.partition("==")[0] for line in pins}
    assert not missing, f"run .venv/bin/python scripts/constraints: no version of {', '.join(sorted(missing))}"
