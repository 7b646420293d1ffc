from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from runtime import child_process

REPORT = """
import os, sys
print(os.environ.get("PARLOUR_TOKEN"), os.environ.get("PARLOUR_URL"), os.getsid(0) == os.getpid(), *sys.argv[1:])
"""
WAIT = "from runtime.child_process import wait_for_stdin_end; print('ready', flush=True); wait_for_stdin_end()"
DEAF = "import time; print('ready', flush=True); time.sleep(3600)"


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the programs above importable in children."""
    for name, program in {"report": REPORT, "waiting": WAIT, "deaf": DEAF}.items():
        (tmp_path / f"child_{name}.py").write_text(program)
    here = Path(child_process.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(here)]))


async def start(name: str) -> asyncio.subprocess.Process:
    process = await child_process.start(f"child_{name}", capture_output=True)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def test_child_gets_its_arguments_and_token_but_not_our_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_TOKEN", "ours")
    monkeypatch.setenv("PARLOUR_URL", "ws://example")
    process = await child_process.start("child_report", "a", "b", capture_output=True, token="secret")
    output, errors = await process.communicate()
    assert (output, errors) == (b"secret None True a b\n", b"")
    process = await child_process.start("child_report", capture_output=True)
    assert (await process.communicate())[0] == b"None None True\n"


async def test_child_shares_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server whose home folder is read-only has its cache elsewhere. So have its bots."""
    (tmp_path / "child_cache.py").write_text("from runtime.paths import cache_folder; print(cache_folder(), end='')")
    monkeypatch.setenv("PARLOUR_CACHE_DIR", str(tmp_path / "cache"))
    process = await child_process.start("child_cache", capture_output=True)
    assert (await process.communicate())[0].decode() == str(tmp_path / "cache")


async def test_child_inherits_file_descriptors() -> None:
    read, write = os.pipe()
    process = await child_process.start("child_waiting", inherited_fds=(write,))
    os.close(write)
    await child_process.end(process, 20.0)
    assert os.read(read, 1) == b""
    os.close(read)


async def test_end_closes_standard_input_and_waits() -> None:
    process = await start("waiting")
    await child_process.end(process, 20.0)
    assert process.returncode == 0
    await child_process.end(process, 20.0)


async def test_end_kills_a_child_that_stays() -> None:
    process = await start("deaf")
    await child_process.end(process, 0.0)
    assert process.returncode == -9


async def test_end_gives_up_on_a_child_that_survives_the_kill() -> None:
    class Immortal:
        returncode = None

        def __init__(self) -> None:
            self.calls: list[str] = []

        @property
        def stdin(self) -> Immortal:
            return self

        def close(self) -> None:
            self.calls.append("close")

        def kill(self) -> None:
            self.calls.append("kill")

        async def wait(self) -> None:
            await asyncio.Event().wait()

    child = Immortal()
    await child_process.end(child, 0.0, kill_timeout_s=0.0)
    assert child.calls == ["close", "kill"]
