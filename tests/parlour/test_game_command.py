"""`parlour game`: a new package works at once, and `check` says what is wrong with a broken one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.contract import report, searches
from engine.contract.trial import MAX_CALL_CPU_S
from parlour.cli import game_check
from parlour.cli.game_package import new_package
from parlour.cli.main import main
from tests.engine.example_game import code_block
from tests.engine.plugin_folder import installed
from tests.long import long

ROOT = Path(__file__).parents[2]
EXAMPLES = ("connect-four", "othello", "breakthrough")
CHECKS = 28


@pytest.fixture(autouse=True)
def clean(tmp_path: Path) -> Iterator[None]:
    """Forget the folders that a command adds to the path of modules, and what was imported from them."""
    with installed(tmp_path, ROOT / "examples"):
        yield


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the compiled search: compiling takes seconds."""
    monkeypatch.setattr(searches, "can_compile", lambda game: False)


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["game", "check", *words])
    out, err = capsys.readouterr()
    return code, out + err


@pytest.mark.usefixtures("plain")
def test_new_package_passes_all_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "my hexagons"
    assert main(["game", "new", "hex_agons", "--folder", str(folder)]) == 0
    out = capsys.readouterr().out
    assert f"\n  pip install -e '{folder}'\n  parlour play hex_agons\n" in out
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "parlour_hex_agons.perft.json",
        "parlour_hex_agons.py",
        "pyproject.toml",
        "test_hex_agons.py",
    ]
    assert not [path for path in folder.iterdir() if re.search("apart", path.read_text(), re.I)]
    code, text = check(capsys, str(folder))
    assert (code, "WRONG" in text) == (0, False), text
    assert f"hex_agons: all {CHECKS} checks passed" in text


def test_document_shows_what_a_new_package_has(tmp_path: Path) -> None:
    new_package("apart", tmp_path / "new")
    assert (tmp_path / "new" / "parlour_apart.py").read_text(encoding="utf-8") == code_block("python")
    assert (tmp_path / "new" / "parlour_apart.perft.json").read_text(encoding="utf-8") == code_block("json")


@pytest.mark.parametrize("name", ["conga", "Hex", "two words", "../x", "9", ""])
def test_new_refuses_bad_names(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["game", "new", name, "--folder", str(tmp_path / "x")]) == 2
    assert not (tmp_path / "x").exists()
    assert "name" in capsys.readouterr().err


def test_new_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").write_text("mine")
    assert main(["game", "new", "hex", "--folder", str(tmp_path)]) == 2
    assert "is not an empty folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


@pytest.mark.usefixtures("plain")
def test_example_passes(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = check(capsys, str(ROOT / "examples" / "games" / "connect-four"))
    assert (code, "WRONG" in text) == (0, False), text
    assert f"all {CHECKS} checks passed" in text


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_pass_compiled(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = check(capsys, str(ROOT / "examples" / "games" / name))
    assert code == 0, text
    assert "compiled search                ok" in text


MODULE, PERFT, PROJECT = "parlour_hex.py", "parlour_hex.perft.json", "pyproject.toml"
ALLOWED = """    def allowed(self, state: State, move: Move) -> bool:
        return True

    def read(self"""
WRONG_PATH = """    def path(self, state: State, move: Move) -> tuple[str, ...]:
        return ("z9",)

    def draw(self"""
KEEPING = """SEEN: list[int] = []


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    SEEN.append(move)
    return rest, mine | 1 << move | len(SEEN) % 2 << N, False


def unused("""
WORK = f"""    from time import thread_time
    end = thread_time() + {2 * MAX_CALL_CPU_S}
    while thread_time() < end:
        pass
    stones = mine | rest
"""
BROKEN = {  # what is changed, and the sentence about it
    "unsorted moves": (
        (MODULE, "for i in range(N):", "for i in range(N - 1, -1, -1):"),
        "gen() must write every move once and in rising order, but writes 6 5 4 3 2 1 0 in '....... w'",
    ),
    "play keeps something": ((MODULE, "def play(", KEEPING), "prepare() must give a larger WIDTH than 7"),
    "illegal moves": ((MODULE, "    def read(self", ALLOWED), "allowed() says that move "),
    "notation": (
        (MODULE, "        return square - 1\n", "        return square % self.rules.N\n"),
        "read() must be the inverse of format(), but of '1' in '....... w' it makes 1, not 0",
    ),
    "position text": ((MODULE, '"wb"[state.turn]\n', '"w"\n'), "load() refuses "),
    "compiled": (
        (MODULE, "    return 0\n\n\nclass", "    return (mine | rest) * 0x7FFF_FFFF_FFFF >> 63 & 7\n\n\nclass"),
        "the compiled rules differ from plain Python: in ",
    ),
    "perft": (
        (PERFT, "[7, 30, 60, 24, 0]", "[7, 30, 61, 24, 0]"),
        "there are 60 sequences of 3 moves, but the perft file says 61: the rules or the file are wrong",
    ),
    "no perft": ((PERFT, "", ""), "there are no perft counts ("),
    "import": (
        (MODULE, "from itertools import pairwise", "from itertools import pear"),
        "its module 'parlour_hex' cannot be imported: cannot import name 'pear' from 'itertools'",
    ),
    "slow": (
        (MODULE, "    stones = mine | rest\n", WORK),
        "the limit is 50 ms, because the server plays all games in one thread",
    ),
    "path": (
        (MODULE, "    def draw(self", WRONG_PATH),
        "path() of 1 is ('z9',) in '....... w', but draw() has no such cells",
    ),
    "bounds": ((MODULE, "    return -1, 1\n", "    return 0, 1\n"), "bounds() of "),
    "page": (
        (MODULE, "legal; White can", "legs; White can"),
        "`page` cannot be shown: 'legs' is not what a figure can show",
    ),
    "other name": (
        (PROJECT, 'hex = "parlour_hex"', 'hax = "parlour_hex"'),
        "its entry point is 'hax', but the class has the name 'hex'",
    ),
    "reserved": (
        (PROJECT, 'hex = "parlour_hex"', 'conga = "parlour_hex"'),
        "Parlour has a game of this name; choose another one",
    ),
    "version": ((MODULE, "    api = 1\n", "    api = 0\n"), "install a newer release of the package"),
}


@pytest.mark.parametrize("kind", [*(kind for kind in BROKEN if kind != "compiled"), *long("compiled")])
def test_check_says_what_is_wrong(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (file, old, new), sentence = BROKEN[kind]
    folder = tmp_path / "hex"
    assert main(["game", "new", "hex", "--folder", str(folder)]) == 0
    text = (folder / file).read_text()
    assert old in text
    if kind == "compiled":  # on a long row, some words are so wide that the product does not fit
        text = text.replace('Option("n", 7,', 'Option("n", 40,').replace("UNIT = 1", "UNIT = 50")
    if new:
        (folder / file).write_text(text.replace(old, new, 1))
    else:
        (folder / file).unlink()
    if kind != "compiled":
        monkeypatch.setattr(searches, "can_compile", lambda game: False)
    code, text = check(capsys, str(folder))
    assert code == 1, text
    assert sentence in text
    assert "found mistakes" in text
    assert "Traceback" not in text


@pytest.mark.usefixtures("plain")
def test_check_ends_at_rules_that_never_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "CHECK_CPU_S", 1.0)
    folder = tmp_path / "hex"
    assert main(["game", "new", "hex", "--folder", str(folder)]) == 0
    module = folder / MODULE
    endless = "    while N != 7:  # the default\n        pass\n    stones = mine | rest\n"
    module.write_text(module.read_text().replace("    stones = mine | rest\n", endless))
    code, text = check(capsys, str(folder))
    assert code == 1
    assert text.count("takes longer than 1 s: the rules are too slow, or never end") == 1, text


def test_endless_rules_are_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_check, "LOAD_CPU_S", 0.3)
    folder = tmp_path / "hex"
    assert main(["game", "new", "hex", "--folder", str(folder)]) == 0
    (folder / MODULE).write_text("while True:\n    pass\n")
    code, text = check(capsys, str(folder))
    assert code == 1
    assert "importing 'parlour_hex' takes longer than" in text


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("nothing_here",), "is no game, folder, module or installed package"),
        (("missing.py",), "there is no file missing.py"),
        (("tests",), "cannot read tests/pyproject.toml"),
        ((".",), 'it needs a section [project.entry-points."parlour.games"]'),
        (("conga", "--folder", "x"), "--folder is for 'parlour game new'"),
    ],
)
def test_check_without_a_game_is_a_users_mistake(
    words: tuple[str, ...], error: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code, text = check(capsys, *words)
    assert (code, error in text) == (2, True), text


@pytest.mark.usefixtures("plain")
def test_check_takes_a_file_and_counts_of_parlours_own_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = check(capsys, str(ROOT / "examples/games/connect-four/connect_four.py"))
    assert code == 0, text
    own = tmp_path / "counts.json"
    own.write_text(json.dumps({"game": "maxconnect4", "cases": [{"options": {}, "counts": [7, 49, 343, 2401]}]}))
    code, text = check(capsys, "maxconnect4", "--perft", str(own))
    assert code == 0, text


@pytest.mark.usefixtures("plain")
def test_deep_files_of_a_package_get_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = "[" * 100_000
    (tmp_path / PROJECT).write_text(f"a = {deep}")
    code, text = check(capsys, str(tmp_path))
    assert (code, "it needs a section" in text) == (2, True), text
    (tmp_path / "counts.json").write_text(f'{{"game": "maxconnect4", "cases": {deep}')
    code, text = check(capsys, "maxconnect4", "--perft", str(tmp_path / "counts.json"))
    assert (code, "counts.json is not a perft file" in text) == (1, True), text
