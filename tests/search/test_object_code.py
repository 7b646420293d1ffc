"""Compiled searches on disk: found again without numba, never stale, and no trouble makes them fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.registry import create
from engine.search import Limits, Thinker, object_code
from engine.search.kernel import source

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


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder into which a search has been compiled, and what was printed then."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, ask(folder)


def test_compiled_once(cache: tuple[Path, list[str]]) -> None:
    folder, first = cache
    assert first[0] == "compiling the search for mancala (once)"
    assert ask(folder) == first[1:]


def test_a_warm_start_takes_no_numba(cache: tuple[Path, list[str]]) -> None:
    env = {**os.environ, "PARLOUR_CACHE_DIR": str(cache[0])}
    script = f"{ASK}\nimport sys; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], env=env, check=False, timeout=60).returncode == 0


def test_damage_is_noticed(cache: tuple[Path, list[str]], tmp_path: Path) -> None:
    (path,), copy = cache[0].iterdir(), tmp_path / "copy"
    whole = path.read_bytes()
    copy.write_bytes(whole)
    assert object_code.read_cached(copy) is not None
    for content in (b"", whole[:-100], whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:]):
        copy.write_bytes(content)
        assert object_code.read_cached(copy) is None


def test_mended_when_damaged(cache: tuple[Path, list[str]]) -> None:
    folder, first = cache
    (path,) = folder.iterdir()
    path.write_bytes(b"no code at all")
    assert ask(folder) == ["compiling the search for mancala (the cached code was damaged)", first[-1]]
    assert ask(folder) == [first[-1]]


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


def test_code_is_for_one_source_and_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    stamps = {object_code.fingerprint("one"), object_code.fingerprint("another")}
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: "another")
    stamps.add(object_code.fingerprint("one"))
    assert len(stamps) == 3


def test_the_server_side_of_the_engine_never_imports_numba() -> None:
    script = "import sys, engine.registry, engine.record; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0


def test_without_numba_the_same_source_runs_plain() -> None:
    script = f"import sys; sys.modules['numba'] = None\n{ASK}".replace("compiled=True", "compiled=None")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    game = create("mancala", {"pits": 3, "stones": 3})
    assert done.stdout.split() == [str(Thinker(game, compiled=False).think(game.start(), Limits(depth=6)).nodes)]


def test_what_cannot_be_compiled_is_told_in_one_line() -> None:
    text = source(create("maxconnect4"))
    wrong = text.replace("return fours(mine) - fours(rest)", "return mine.bit_count()")
    assert wrong != text
    with pytest.raises(RuntimeError, match=r"^Unknown attribute 'bit_count' of type int64: return mine.bit_count\(\)$"):
        object_code.compile_object(wrong)
