"""`parlour bot --try`: a program is asked in ten positions, and the report says what to do."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from engine.registry import GAMES, create
from parlour.cli.dry_run import POSITIONS, positions
from parlour.cli.main import main
from tests.client.programs.attackers import needs_jail

Out = pytest.CaptureFixture[str]
# It plays the first free column, but repeats the player in the last line; later it gives up.
HOMEWORK = """
import sys
*rows, player = open(sys.argv[2]).read().split()
if sum(cell != "0" for row in rows for cell in row) > 14:
    sys.exit(print("Pieces other than 0, 1, or 2!"))
column = rows[0].index("0")
row = max(row for row in range(6) if rows[row][column] == "0")
rows[row] = rows[row][:column] + player + rows[row][column + 1 :]
open(sys.argv[3], "w").write("\\n".join([*rows, {last}]))
"""


def try_homework(folder: Path, last: str, *more: str) -> int:
    (folder / "homework.py").write_text(HOMEWORK.replace("{last}", last))
    command = shlex.join([sys.executable, "homework.py"])
    words = ["--adapter", "maxconnect4", "--workdir", str(folder), "--forensics", str(folder.parent / "reports")]
    return main(["bot", "--try", command, *words, *more])


def test_report_tells_right_moves_from_failures(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "work").mkdir()
    assert try_homework(tmp_path / "work", "str(3 - int(player))") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "homework: maxconnect4, 10 positions, at most 60 s a move"
    assert lines[1].startswith(" 1 of 10, after 0 moves: 1, ")
    assert "FAILED (no_output): it wrote no output.txt; it printed 'Pieces other than 0, 1, or 2!'" in lines[10]
    assert lines[11].startswith("5 of 10 moves are legal; the slowest took ")
    assert lines[12].startswith("no_output: The program wrote no answer.")
    script = lines[13].partition("repeat it with: ")[2]
    assert Path(script).is_file()
    assert len(lines) == 14


@needs_jail
def test_mistakes_are_named_if_lenient(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "work").mkdir()
    assert try_homework(tmp_path / "work", "player", "--lenient", "--jail", "bwrap") == 1
    lines = capsys.readouterr().out.splitlines()
    assert "1, but output.txt, line 7: expected the player to move next" in lines[1]


def test_program_that_plays_all_games_needs_one(tmp_path: Path, capsys: Out) -> None:
    assert main(["bot", "--try", "cat"]) == 2
    assert "name the game with --games: cat plays conga" in capsys.readouterr().err


@pytest.mark.parametrize("name", GAMES)
def test_positions_are_always_the_same(name: str) -> None:
    game = create(name)
    found = positions(game)
    assert found == positions(game)
    assert len(found) == POSITIONS
    assert all(game.moves(position.state) for position in found)


def test_interactive_program_plays_along(tmp_path: Path, capsys: Out) -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "conga_interactive.py"
    command = shlex.join([sys.executable, str(example)])
    words = ["--adapter", str(example.with_suffix(".toml")), "--forensics", str(tmp_path / "reports")]
    assert main(["bot", "--try", command, *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith(" 1 of 10, after 0 moves: ")
    assert lines[2].startswith(" 2 of 10, after 2 moves: ")
    assert lines[11].startswith("10 of 10 moves are legal")


@needs_jail
def test_auto_says_once_which_jail_it_is(tmp_path: Path, capsys: Out) -> None:
    command = shlex.join([sys.executable, str(tmp_path / "bot.py")])
    (tmp_path / "bot.py").write_text("import json\nprint(json.loads(input())['moves'][0], flush=True)\ninput()")
    (tmp_path / "bot.py").chmod(0o644)
    assert main(["bot", "--exec", command, "--jail", "auto", "--ask", "conga"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("a4a3")
    assert printed.err.count("jail: bubblewrap; no network") == 1
