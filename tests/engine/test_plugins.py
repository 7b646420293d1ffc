"""Games that installed packages bring: found by name, loaded when needed, refused one by one."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import plugins, registry
from engine.contract import time_limit
from engine.entry_points import GROUP, installed_plugins, read_entry_points
from engine.errors import InvalidOption
from engine.registry import GAMES, create
from tests.engine.example_game import code_block
from tests.engine.plugin_folder import installed, write_entry_points, write_package

OWN = ["conga", "mancala", "maxconnect4", "cohcoh"]
APART = code_block("python")


def variant(name: str, *changes: tuple[str, str]) -> str:
    """Return the example game under another name, with changes of its source."""
    text = APART.replace('name = "apart"', f'name = "{name}"')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Path]:
    write_package(tmp_path / "site", "apart", APART)
    with installed(tmp_path / "site"):
        yield tmp_path / "site"


@pytest.mark.usefixtures("apart")
def test_installed_game_is_in_the_list() -> None:
    assert list(GAMES) == [*OWN, "apart"]
    assert GAMES.names() == (*OWN, "apart")
    assert GAMES["apart"].title == "Apart"
    assert create("apart", {"n": 9}).spec.columns == 9
    assert GAMES.refused == {}


@pytest.mark.usefixtures("apart")
def test_names_are_known_without_importing_the_package() -> None:
    assert "apart" in GAMES.names()
    assert "conga" in GAMES
    assert "apart_game" not in sys.modules
    assert "apart" in GAMES
    assert "apart_game" in sys.modules


def test_parlours_own_games_read_no_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "installed_plugins", lambda: pytest.fail("the folders were read"))
    with installed():
        assert create("conga").name == "conga"
        assert "mancala" in GAMES


def test_reading_names_does_not_import_importlib_metadata(apart: Path) -> None:
    program = (
        "import sys; from engine.registry import GAMES; "
        "print('apart' in GAMES.names(), 'importlib.metadata' in sys.modules, 'apart_game' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(apart)!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "False", "False"]


BROKEN = {
    "raises": (
        "raise ValueError('no such board')",
        "its module 'raises_game' cannot be imported: no such board (ValueError, raises_game.py line 1)",
    ),
    "needs": (
        "import a_library_that_is_missing",
        "its module 'needs_game' cannot be imported: No module named 'a_library_that_is_missing'",
    ),
    "syntax": ("def gen(:", "its module 'syntax_game' cannot be imported: invalid syntax"),
    "quits": ("import sys; sys.exit(3)", "its module 'quits_game' cannot be imported: 3 (SystemExit"),
    "empty": ("x = 1", "the module 'empty_game' has 0 subclasses of engine.game.Game"),
    "renamed": (variant("other"), "its entry point is 'renamed', but the class has the name 'other'"),
    "unversioned": (variant("unversioned", ("    api = 1\n", "")), "add the line `api = 1`"),
    "future": (
        variant("future", ("api = 1", "api = 2")),
        "made for version 2 of the contract, and this Parlour has version 1: install a newer Parlour",
    ),
    "half": (variant("half", ("def load(", "def lode(")), "Apart must define load"),
    "functionless": (variant("functionless", ("def bounds(", "def limits(")), "has no function bounds()"),
    "unsorted": (
        variant("unsorted", ("for i in range(N):", "for i in range(N - 1, -1, -1):")),
        "gen() must write every move once and in rising order, but writes 6 5 4 3 2 1 0",
    ),
    "colourful": (
        variant("colourful", ('title = "Apart"', 'title = "Apart"\n    colour_names = ("pink", "white")')),
        "browsers know black, white, red, green, clay, slate",
    ),
    "untidy": (variant("untidy", ('title = "Apart"', 'title = "A\\x1b[31m"')), "it must be one line of printable text"),
    "crash": (variant("crash", ("return str(move + 1)", "return str(1 // move)")), "it raises "),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_game_is_refused_by_name_and_harms_no_other(name: str, tmp_path: Path) -> None:
    text, why = BROKEN[name]
    write_package(tmp_path, name, text)
    write_package(tmp_path, "zapart", variant("zapart"))
    with installed(tmp_path):
        assert list(GAMES) == [*OWN, "zapart"]
        sentence = GAMES.refused[name]
        assert sentence.startswith(f"the game '{name}' of the package {name}-game 1.0 is refused: ")
        assert why in sentence
        assert "\n" not in sentence
        with pytest.raises(InvalidOption, match=re.escape(f"{sentence}; 'parlour game check {name}' says more")):
            create(name)
        assert create("zapart").name == "zapart"


def test_slow_game_is_refused(tmp_path: Path) -> None:
    wait = "import time\n\n\ndef free(mine: int, rest: int) -> int:\n    busy()"
    busy = (
        "def busy():\n    end = time.thread_time() + 0.06\n    while time.thread_time() < end:\n        pass\n\n\nN = 7"
    )
    text = variant("slow", ("def free(mine: int, rest: int) -> int:", wait), ("N = 7", busy))
    write_package(tmp_path, "slow", text)
    with installed(tmp_path):
        assert "slow" not in GAMES
        assert re.search(r"gen\(\) takes \d+ ms in '\.{7} w': the limit is 50 ms", GAMES.refused["slow"])


@pytest.mark.parametrize(
    "text",
    ["while True:\n    pass", variant("endless", ("    stones = mine | rest\n", "    while True:\n        pass\n"))],
    ids=["import", "moves"],
)
def test_endless_game_is_stopped_and_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "LOAD_CPU_S", 0.3)
    write_package(tmp_path, "endless", text)
    write_package(tmp_path, "zapart", variant("zapart"))
    with installed(tmp_path):
        assert "endless" not in GAMES
        assert "importing and trying it takes longer than" in GAMES.refused["endless"]
        assert "zapart" in GAMES
    loaders = [thread for thread in threading.enumerate() if thread.name == time_limit.THREAD]
    for thread in loaders:
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize("name", ["conga", "Apart", "two words", "x" * 40, "9lives", "a-b"])
def test_reserved_and_malformed_names_are_refused(name: str, tmp_path: Path) -> None:
    write_package(tmp_path, name, APART, "apart_game")
    with installed(tmp_path):
        assert list(GAMES) == OWN
        (sentence,) = GAMES.refused.values()
        assert sentence.startswith(f"the game '{name}' of the package apart-game 1.0 is refused: ")
        assert GAMES["conga"].__module__ == "engine.games.conga"


def test_second_game_of_a_name_is_refused(tmp_path: Path) -> None:
    write_package(tmp_path / "b", "apart", APART.replace('title = "Apart"', 'title = "Second"'), "second")
    write_package(tmp_path / "a", "apart", APART, "first")
    with installed(tmp_path / "b", tmp_path / "a"):
        assert GAMES["apart"].title == "Apart"
        (sentence,) = GAMES.refused.values()
        assert "of the package second 1.0 is refused: the package first 1.0 has a game of this name" in sentence


def test_package_in_an_earlier_folder_hides_the_same_package_in_a_later_one(tmp_path: Path) -> None:
    write_package(tmp_path / "new", "apart", APART)
    write_package(tmp_path / "old", "apart", APART)
    with installed(tmp_path / "new", tmp_path / "old"):
        assert "apart" in GAMES
        assert str(getattr(sys.modules["apart_game"], "__file__", "")).startswith(str(tmp_path / "new"))
        assert GAMES.refused == {}


def test_entry_points_agree_with_importlib_metadata(tmp_path: Path) -> None:
    from importlib.metadata import distributions

    write_package(tmp_path, "apart", APART)
    write_package(tmp_path, "second", APART, "second_game", "Some_Package")
    write_entry_points(tmp_path / "Some_Package-1.0.dist-info", {"b": "m.sub:Class", "a": "n", "c": "k : C [extra]"})
    expected = [
        (point.name, point.module, point.attr or "")
        for one in distributions(path=[str(tmp_path)])
        for point in one.entry_points
        if point.group == GROUP
    ]
    found = [(one.name, one.module, one.attribute) for one in installed_plugins([str(tmp_path)])]
    assert sorted(found) == sorted(expected)
    assert len(found) == 4


def test_damaged_entry_points_are_ignored(tmp_path: Path) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_bytes(b"\xff\xfe[parlour.games\nno equals sign\n[parlour.games]\n= \n")
    with installed(tmp_path):
        assert list(GAMES) == OWN
    assert [one.name for one in read_entry_points("p 1", "a = b\n[other]\nc = d\n[parlour.games]\n# x\ne = f")] == ["e"]
