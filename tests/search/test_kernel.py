"""Compiled searches on disk: found again, never stale, and no trouble makes them fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.games import mancala
from engine.registry import create
from engine.search import kernel

ASK = """
from engine.registry import create
from engine.search import Limits, Thinker
game = create("mancala", {"pits": 3, "stones": 3})
print(Thinker(game, compiled=True, notice=print).think(game.start(), Limits(depth=6)).nodes)
"""


def ask(folder: Path, **environment: str) -> list[str]:
    """The search in a process of its own: its notices, then its count of nodes."""
    env = {**os.environ, "PARLOUR_CACHE_DIR": str(folder), **environment}
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


def test_compiled_once_and_mended_when_damaged(tmp_path: Path) -> None:
    first = ask(tmp_path)
    assert first[0] == "compiling the search for mancala (once)"
    assert ask(tmp_path) == first[1:]
    machine_code = [*tmp_path.glob("**/*.nbc")]
    assert machine_code
    for path in [*tmp_path.glob("**/*.nbi")]:
        path.write_bytes(b"no index at all")
    damaged = ask(tmp_path)
    assert damaged == ["compiling the search for mancala (its cache was damaged)", first[-1]]
    assert not [*tmp_path.glob("**/*.nbi")], "what was damaged is gone, so that the next start makes it anew"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("")
    lines = ask(blocked)
    assert lines[0].startswith("compiling the search for mancala (each time: ")
    assert lines[-1].isdigit()


def test_two_processes_at_once(tmp_path: Path) -> None:
    env = {**os.environ, "PARLOUR_CACHE_DIR": str(tmp_path)}
    both = [subprocess.Popen([sys.executable, "-c", ASK], env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=120)[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs[0][-1] == outputs[1][-1]


def test_a_source_that_was_cut_off_is_made_anew(tmp_path: Path) -> None:
    count = ask(tmp_path)[-1]
    for path in tmp_path.glob("**/*.py"):
        path.write_text("")
    assert ask(tmp_path) == ["compiling the search for mancala (its cache was damaged)", count]


def other_guess(mine: int, rest: int) -> int:
    return 1


def test_a_changed_rule_gives_another_source(monkeypatch: pytest.MonkeyPatch) -> None:
    game = create("mancala")
    before = kernel.source(game)
    monkeypatch.setattr(other_guess, "__module__", mancala.__name__)
    monkeypatch.setattr(mancala, "guess", other_guess)
    assert kernel.source(game) != before


def test_options_give_sources_of_their_own() -> None:
    texts = {
        kernel.source(create("mancala", {"pits": pits, "rules": rules}))
        for pits in (5, 6)
        for rules in ("course", "prose")
    }
    assert len(texts) == 4
    assert "def run(" in texts.pop()


def test_the_server_side_of_the_engine_never_imports_numba() -> None:
    script = "import sys, engine.registry, engine.record; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0


def test_without_numba_the_same_source_runs_plain() -> None:
    script = f"import sys; sys.modules['numba'] = None\n{ASK}".replace("compiled=True", "compiled=None")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    game = create("mancala", {"pits": 3, "stones": 3})
    from engine.search import Limits, Thinker

    assert done.stdout.split() == [str(Thinker(game, compiled=False).think(game.start(), Limits(depth=6)).nodes)]
