"""`parlour best` and `parlour solve`, and the examples in docs/search.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.long import long
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\$ parlour (.*)$", PAGE, re.M)
COMPILING = [line for line in SHOWN if "--position" in line or "pits=" in line]  # takes seconds
FIELDS = ["value", "proved", "move", "line", "depth", "nodes", "seconds"]


def parlour(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "parlour", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@pytest.mark.parametrize("line", [*(line for line in SHOWN if line not in COMPILING), *long(*COMPILING)])
def test_documented_commands_run(line: str) -> None:
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
    done = parlour(*words)
    assert done.returncode == 0, done.stderr
    if "--json" in words:
        assert list(json.loads(done.stdout)) == FIELDS


def test_documented_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.S | re.M)
    exec(block, {})
    assert capsys.readouterr().out


def test_best_prints_json() -> None:
    words = ("--plain", "--json", "--seconds", str(TIMEOUT_S))  # it ends with the proof
    done = parlour("best", "mancala", "--position", "0,2,4,4/0,3,5,0 9,5 1", *words)
    found = json.loads(done.stdout)
    assert (found["value"], found["proved"], found["move"]) == (0, True, "3")
    assert found["line"][0] == "3"


def test_plain_search_uses_one_thread() -> None:
    done = parlour("best", "conga", "--plain", "--threads", "2", "--nodes", "50")
    assert "the search uses one thread: several threads need compiled code" in done.stderr
    assert "50 positions" in done.stdout


@pytest.mark.long
def test_solve_takes_the_size_of_the_endgame_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_CACHE_DIR", str(tmp_path))
    sizes = []
    for words in ((), ("--endgames", "1")):
        done = parlour("solve", "mancala", "--option", "pits=3", "--option", "stones=8", "--json", *words)
        assert json.loads(done.stdout)["proved"], done.stderr
        sizes.append(max(path.stat().st_size for path in tmp_path.glob("endgames/*.bin")))
        for path in tmp_path.glob("endgames/*.bin"):
            path.unlink()
    assert sizes[1] <= 1 << 20 < sizes[0]


def test_solve_reports_bounds_when_time_runs_out() -> None:
    done = parlour("solve", "maxconnect4", "--seconds", "0.2", "--plain")
    assert done.returncode == 1
    assert "not solved within 0.2 s: the value lies between -69 and +69" in done.stderr
    assert "estimated" in done.stdout


def test_solve_reports_when_nothing_is_forced() -> None:
    done = parlour("solve", "conga", "--option", "stones=1", "--option", "max_plies=6", "--plain")
    assert done.returncode == 1
    assert "not solved within the greatest depth the search supports" in done.stderr


def test_finished_game_shows_its_value() -> None:
    words = ("--position", "0,0,0/0,0,0 7,11 2", "--plain")
    assert "the game is over; value -4 for player 2" in parlour("best", "mancala", *words).stdout
    found = json.loads(parlour("solve", "mancala", *words, "--json").stdout)
    assert [found[field] for field in FIELDS[:4]] == [-4, True, None, []]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("best", "chess"), "there is no game 'chess'; choose one of conga, mancala, maxconnect4, cohcoh"),
        (("best", "conga", "--seconds", "nan"), "expected seconds, a number above 0, not 'nan'"),
        (("best", "conga", "--depth", "0"), "expected a whole number above 0, not '0'"),
        (("solve", "mancala", "--position", "x"), "not a position of mancala"),
        (("solve", "conga", "--table", "99999999999"), "a table can have at most 1048576 MB"),
        (("best", "conga", "--threads", "65"), "a search can have at most 64 threads, not 65"),
    ],
)
def test_user_errors_are_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = parlour(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_endgames_are_refused_where_no_table_is_used() -> None:
    for words in (("cohcoh",), ("mancala", "--plain")):
        done = parlour("solve", *words, "--endgames", "64")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert "leave --endgames out" in done.stderr
