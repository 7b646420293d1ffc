"""The cache of compiled searches: loading without numba, damaged files, unwritable folders, two processes."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.registry import create
from engine.search import Limits, Thinker, object_code
from engine.search.kernel import ENTRY, INNER, RUN_ARRAYS, source
from runtime.paths import cache_folder
from tests.waiting import TIMEOUT_S

SEARCH_SCRIPT = """
from engine.registry import create
from engine.search import Limits, Thinker
game = create("mancala", {})
print(Thinker(game, compiled=True, notice=print).think(game.start(), Limits(depth=4)).nodes)
"""


KNOWN_CODE_SCRIPT = """
from pathlib import Path
from engine.search import object_code
object_code.compile_object = lambda text: object_code.read_cached(Path({path!r}))
"""


def run_search(folder: Path, known: Path | None = None) -> list[str]:
    """Run a search in a new process. Return its notices and then its node count.

    `known`: a file with compiled code that it takes where it would compile, which costs seconds of CPU time.
    """
    env = {**os.environ, "PARLOUR_CACHE_DIR": str(folder)}
    script = SEARCH_SCRIPT if known is None else KNOWN_CODE_SCRIPT.format(path=str(known)) + SEARCH_SCRIPT
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.fixture(scope="module")
def compiled() -> Path:
    """Return a file with the compiled search of Mancala, which other tests use too."""
    game = create("mancala", {})
    Thinker(game, compiled=True)
    return cache_folder() / f"mancala_{object_code.fingerprint(source(game))}.o"


def fill_at_once(folder: Path, known: Path | None = None) -> tuple[Path, list[str]]:
    """Let two processes fill a cache folder at once. Return it, and the output of one that compiled."""
    with ThreadPoolExecutor() as pool:
        outputs = list(pool.map(run_search, [folder] * 2, [known] * 2))
    assert outputs[0][-1] == outputs[1][-1]
    return folder, max(outputs, key=len)


@pytest.fixture(scope="module")
def cache(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    return fill_at_once(tmp_path_factory.mktemp("cache"), compiled)


def assert_filled_once(folder: Path, first: list[str]) -> None:
    assert first[0] == "compiling the search for mancala (once)"
    assert [path.suffix for path in folder.iterdir()] == [".o"]
    assert run_search(folder) == first[1:]


def test_two_processes_can_fill_the_cache_at_once_and_a_third_uses_it(cache: tuple[Path, list[str]]) -> None:
    assert_filled_once(*cache)


@pytest.mark.long
def test_two_processes_can_compile_at_once(tmp_path: Path) -> None:
    assert_filled_once(*fill_at_once(tmp_path))


def test_warm_start_does_not_import_numba(cache: tuple[Path, list[str]]) -> None:
    env = {**os.environ, "PARLOUR_CACHE_DIR": str(cache[0])}
    script = f"{SEARCH_SCRIPT}\nimport sys; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], env=env, check=False, timeout=TIMEOUT_S).returncode == 0


def test_damaged_cache_file_is_rejected(cache: tuple[Path, list[str]], tmp_path: Path) -> None:
    (path,), copy = cache[0].iterdir(), tmp_path / "copy"
    whole = path.read_bytes()
    copy.write_bytes(whole)
    assert object_code.read_cached(copy) is not None
    for content in (b"", whole[:-100], whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:]):
        copy.write_bytes(content)
        assert object_code.read_cached(copy) is None


def test_damaged_cache_file_is_replaced(cache: tuple[Path, list[str]], tmp_path: Path) -> None:
    folder, first = cache
    (path,), known = folder.iterdir(), tmp_path / "known"
    known.write_bytes(path.read_bytes())
    path.write_bytes(b"not object code")
    assert run_search(folder, known) == ["compiling the search for mancala (the cached code was damaged)", first[-1]]
    assert path.read_bytes() == known.read_bytes()
    assert run_search(folder) == [first[-1]]


def test_unwritable_cache_folder_compiles_each_time(cache: tuple[Path, list[str]], tmp_path: Path) -> None:
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("")
    (known,) = cache[0].iterdir()
    lines = run_search(blocked, known)
    assert lines[0].startswith("compiling the search for mancala (each time: ")
    assert lines[-1].isdigit()


def test_fingerprint_depends_on_source_and_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    fingerprints = {object_code.fingerprint("one"), object_code.fingerprint("another")}
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: "another")
    fingerprints.add(object_code.fingerprint("one"))
    assert len(fingerprints) == 3


def test_rules_and_records_do_not_import_numba() -> None:
    script = "import sys, engine.registry, engine.record; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=TIMEOUT_S).returncode == 0


def test_search_runs_as_plain_python_without_numba() -> None:
    script = f"import sys; sys.modules['numba'] = None\n{SEARCH_SCRIPT}".replace("compiled=True", "compiled=None")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    game = create("mancala", {})
    assert done.stdout.split() == [str(Thinker(game, compiled=False).think(game.start(), Limits(depth=4)).nodes)]


def test_compile_errors_are_one_line() -> None:
    head, _, _ = source(create("maxconnect4")).partition(INNER)
    count = f"{INNER}\ndef count(mine):\n    return mine.bit_count()\n"
    arrays = ", ".join(f"array{n}" for n in range(RUN_ARRAYS))
    run = f"{ENTRY}\ndef run({arrays}):\n    count(load_word(array0, 0))\n"
    with pytest.raises(RuntimeError, match=r"^Unknown attribute 'bit_count' of type int64: return mine.bit_count\(\)$"):
        object_code.compile_object(f"{head}{count}\n\n{run}")
