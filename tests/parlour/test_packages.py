"""The installed packages: what the start imports, foreign packages of the same names, import directions, streams."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import parlour
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("parlour")
CLOSED = "standard input is closed: give the name of a file instead of -"


def run(*words: str, cwd: Path = ROOT, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": "", **env}
    return subprocess.run(
        words, cwd=cwd, input=stdin, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def test_help_imports_nothing_heavy() -> None:
    heavy = "['numba', 'numpy', 'textual', 'websockets', 'asyncio', 'msgspec', 'engine']"
    code = "import sys; from parlour.cli.main import main; main(['--help'])"
    code += f"; print([n for n in {heavy} if n in sys.modules])"
    done = run(sys.executable, "-c", code)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "[]"


def test_actions_on_the_files_of_a_tournament_do_not_import_the_terminal_client(tmp_path: Path) -> None:
    code = "import sys; from parlour.cli.main import main; main(sys.argv[1:]); print('textual' in sys.modules)"
    assert run(sys.executable, "-c", code, "tournament", "status", str(tmp_path)).stdout == "False\n"


def test_rules_import_nothing_heavy() -> None:
    code = "import sys, engine.record; print([n for n in ('numba', 'numpy', 'asyncio') if n in sys.modules])"
    assert run(sys.executable, "-c", code).stdout == "[]\n"


@pytest.mark.parametrize("name", parlour.PACKAGES)
@pytest.mark.parametrize("how", ["module", "script"])
def test_foreign_package_of_our_name_is_reported(name: str, how: str, tmp_path: Path) -> None:
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    command = [sys.executable, "-m", "parlour"] if how == "module" else [str(SCRIPT)]
    done = run(*command, "perft", "conga", "1", cwd=tmp_path, PYTHONPATH="" if how == "module" else str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"parlour: parlour needs its own package '{name}', but Python finds ")
    assert str(package) in done.stderr
    assert done.stderr.count("\n") == 1


def test_folder_without_init_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    done = run(sys.executable, "-m", "parlour", "perft", "conga", "1", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 3\n", "")


def test_script_ignores_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("raise RuntimeError('imported')\n")
    assert run(str(SCRIPT), "perft", "conga", "1", cwd=tmp_path).stdout == "1 3\n"


def test_public_names_are_importable() -> None:
    for name in parlour.PUBLIC:
        assert getattr(parlour, name).__class__
        assert name in dir(parlour)
    game = parlour.create("conga")
    assert isinstance(game, parlour.Game)
    with pytest.raises(AttributeError, match="module 'parlour' has no attribute 'nonsense'"):
        _ = parlour.nonsense


def test_shadowed_package_raises_an_import_error(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("")
    done = run(sys.executable, "-c", "import parlour; parlour.create", cwd=tmp_path)
    assert "parlour.Shadowed: parlour needs its own package 'engine'" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_every_output_encoding_works(encoding: str) -> None:
    record = 'parlour record 1\ngame: conga\nseat 0: b→b\nseat 1: "\\ud800"\n'
    for words in (["export", "-"], ["export", "--text", "-"], ["show", "-"], ["verify", "-"]):
        done = subprocess.run(
            [str(SCRIPT), *words], input=record.encode(), capture_output=True, check=False, timeout=TIMEOUT_S,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        done.stdout.decode(encoding)


@pytest.mark.parametrize("where", [["--url", "ws://127.0.0.1:9/ws"], ["--private"]])
def test_dash_is_standard_input_even_with_a_server(where: list[str]) -> None:
    done = run(str(SCRIPT), "verify", "-", *where, stdin="parlour record 1\ngame: conga\n")
    assert (done.returncode, done.stdout) == (0, "standard input: ok, conga, 0 plies, not finished\n")


def test_closed_pipe_is_not_an_error() -> None:
    for words in ("--help", "perft conga 3"):
        done = run("bash", "-c", f"set -o pipefail; {SCRIPT} {words} | true")
        assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_disk_gets_one_sentence() -> None:
    done = run("bash", "-c", f"{SCRIPT} perft conga 1 > /dev/full")
    assert (done.returncode, done.stderr) == (2, "parlour: no space left on device; correct that and try again\n")


def test_closed_standard_streams_are_handled() -> None:
    done = run("bash", "-c", f"{SCRIPT} verify - <&-")
    assert (done.returncode, done.stderr) == (
        2,
        "parlour: standard input is closed: give the name of a file instead of -\n",
    )
    assert run("bash", "-c", f"{SCRIPT} perft conga 1 >&-").returncode == 0


def test_import_contracts_are_kept() -> None:
    done = run(str(SCRIPT.with_name("lint-imports")), "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr
