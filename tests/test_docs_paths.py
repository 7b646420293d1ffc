"""Documents name only files that exist, and the map in docs/architecture.md has every module of the server."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = [
    "bench", "client", "deploy", "docs", "engine", "examples", "parlour", "protocol", "runtime", "scripts", "server",
    "tests",
]  # fmt: skip
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
MODULES = {file.name for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")}

MQTT_TOPIC = "parlour/v1"
EXAMPLES = re.compile(
    r"(new|old|ada|bob|cyd|FILE)\.py"  # a user's bots and programs
    # docs/adding-a-game.md
    r"|engine/games/apart\.py|client/presentation/rules/apart\.md|tests/engine/(perft/apart\.json|test_apart\.py)"
)
PATH = re.compile(rf"(?<![\w/.:~@*-])(?:{'|'.join(FOLDERS)})/[\w/.-]*\w")
FILE = re.compile(r"(?<![\w/.-])[A-Za-z_]\w*\.py\b")
MODULE = re.compile(r"python3? (?:-P )?-m ((?:bench|client|parlour|server)(?:\.\w+)*)")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)")


def missing_from(page: Path) -> list[str]:
    """Return what a page names and the repository does not have."""
    text = page.read_text(encoding="utf-8")
    paths = [path for path in PATH.findall(text) if not path.startswith(MQTT_TOPIC)]
    links = LINK.findall(text)
    return [
        *(path for path in paths if not (ROOT / path).exists() and not EXAMPLES.fullmatch(path)),
        *(file for file in FILE.findall(text) if file not in MODULES and not EXAMPLES.fullmatch(file)),
        *(name for name in MODULE.findall(text) if not is_module(name)),
        *(link for link in links if not (page.parent / link).exists()),
    ]


def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_named_in_documents_exist(page: Path) -> None:
    assert not missing_from(page)


def test_missing_files_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`server/gone.py`, server/domain/, `missing.py`, [a](gone.md#part), [b](https://example.org/x.md), "
        "`python -m bench.walk`, `python -m bench.stroll`, parlour/v1/rooms, `registry.py`"
    )
    assert missing_from(page) == ["server/gone.py", "missing.py", "bench.stroll", "gone.md"]


def map_entries() -> list[str]:
    """Return the paths in the map of docs/architecture.md: indentation is the folder."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    entries, folders = [], list[str]()
    for line in text.split("```")[1].strip().splitlines():
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        folders[depth:] = [name]
        entries.append("".join(folders))
    return entries


def test_everything_on_the_map_exists_once() -> None:
    entries = map_entries()
    assert len(set(entries)) == len(entries)
    assert [entry for entry in entries if not (ROOT / entry).exists()] == []


def test_map_has_every_module_of_the_server_and_every_package() -> None:
    entries = set(map_entries())
    packages = {f"{file.parent.relative_to(ROOT)}/" for name in FOLDERS for file in (ROOT / name).rglob("__init__.py")}
    packages = {name for name in packages if not name.startswith(("bench/", "tests/", "client/tui/"))} | {"client/tui/"}
    modules = {str(file.relative_to(ROOT)) for file in (ROOT / "server").rglob("*.py") if file.name != "__init__.py"}
    assert entries >= packages
    assert {entry for entry in entries if entry.startswith("server/") and entry.endswith(".py")} == modules


def test_layers_are_those_that_import_linter_checks() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").replace("\\|", "/")
    shown = [line.split(" | ")[1].rstrip(" |") for line in text.splitlines() if line.startswith("|") and " > " in line]
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    checked = [" > ".join(one["layers"]).replace("|", "/") for one in contracts if one["type"] == "layers"]
    assert shown == checked


def test_decision_records_are_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = LINK.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert [name for name in listed if not name.startswith("..")] == sorted(file.name for file in folder.glob("0*.md"))
