"""The shell that ends what a killed bot has left behind."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from tests.client.programs import eventually, gone

CODE = """
import os, subprocess
from client.bridges.guard import Guard

guard = Guard()
sleep = ["sleep", "600"]
sleepers = [subprocess.Popen(sleep, start_new_session=True, stdout=subprocess.DEVNULL).pid for _ in range(3)]
for sleeper in sleepers:
    guard.add(sleeper)
guard.drop(sleepers[1])
print(*sleepers, flush=True)
os.kill(os.getpid(), 9)
"""


def test_groups_are_killed_unless_they_were_dropped() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], stdout=subprocess.PIPE, text=True, timeout=20, check=False)
    first, dropped, last = map(int, done.stdout.split())
    for pid in (first, last):
        eventually("it is gone", partial(gone, pid))
    assert not gone(dropped)
    subprocess.run(["kill", str(dropped)], check=True)
