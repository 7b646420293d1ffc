"""Reaper: programs are killed after their bot, even outside their process group."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from client.programs.child import Child
from client.programs.limits import Limits
from tests.client.sample_programs import gone, script
from tests.waiting import TIMEOUT_S, until_blocking

QUICK = Limits(grace=0.1)
CODE = """
import os, subprocess
from client.programs.reaper import Reaper

reaper = Reaper()
sleep = ["sleep", "600"]
sleepers = [subprocess.Popen(sleep, start_new_session=True, stdout=subprocess.DEVNULL).pid for _ in range(3)]
for sleeper in sleepers:
    reaper.add(sleeper)
reaper.drop(sleepers[1])
print(*sleepers, flush=True)
os.kill(os.getpid(), 9)
"""


def test_groups_are_killed_unless_dropped() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False
    )
    first, dropped, last = map(int, done.stdout.split())
    for pid in (first, last):
        until_blocking("it has exited", partial(gone, pid))
    assert not gone(dropped)
    subprocess.run(["kill", str(dropped)], check=True)


STRAY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=True)
print(child.pid, flush=True)
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not show environments")
@pytest.mark.parametrize("then", ["time.sleep(600)", "os._exit(0)"])
def test_process_outside_the_group_is_killed_too(children: list[Child], tmp_path: Path, then: str) -> None:
    child, other = (Child(words, tmp_path, QUICK) for words in (script(tmp_path, STRAY + then), ["cat"]))
    children += [child, other]
    grandchild = int(child.listen(20))
    until_blocking(
        "it can be seen", lambda: Path(f"/proc/{grandchild}/environ").read_bytes()
    )  # empty until exec is complete
    child.stop()
    until_blocking("the grandchild has exited too", lambda: gone(grandchild))
    assert not gone(other.pid)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not show environments")
def test_nested_bot_is_ended_with_its_programs(children: list[Child], tmp_path: Path) -> None:
    inner = """
    from pathlib import Path
    from client.programs.child import Child
    from client.programs.limits import Limits
    child = Child(["sleep", "600"], Path.cwd(), Limits())
    print(child.pid, flush=True)
    input()
    """
    words = (sys.executable, *script(tmp_path, inner)[2:])
    child = Child(words, tmp_path, QUICK)
    children.append(child)
    program = int(child.listen(20))
    assert not gone(program)
    child.stop()
    until_blocking("its program has exited", lambda: gone(program))
