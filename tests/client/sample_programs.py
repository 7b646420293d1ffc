"""Small Python programs for tests, and helpers to observe processes."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path

from client.programs.limits import Limits
from client.programs.program import Program
from client.sdk.bot import Budget
from tests.waiting import TIMEOUT_S

FIRST = """
import json, sys
for line in sys.stdin:
    print(json.loads(line)["moves"][0], flush=True)
"""


def script(folder: Path, code: str, name: str = "bot.py") -> tuple[str, ...]:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(textwrap.dedent(code))
    path.chmod(0o644)  # root runs programs in a jail as another user
    return (sys.executable, "-S", str(path))


def program(
    folder: Path,
    code: str,
    limits: Limits | None = None,
    *,
    ready: bool = False,
    events: bool = False,
    retries: int = 0,
) -> Program:
    return Program(
        script(folder, code),
        folder,
        limits or Limits(grace=0.1),
        ready=ready,
        events=events,
        retries=retries,
        name="attacker",
        forensics=folder / "forensics",
    )


def budget(seconds: float = TIMEOUT_S, left: float | None = None) -> Budget:
    return Budget(seconds, time.monotonic() + seconds, left=left)


def arguments(pid: int) -> list[bytes]:
    """Return the command line of a process, or nothing if it has exited."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (ProcessLookupError, FileNotFoundError):
        return []


def gone(pid: int) -> bool:
    """Return whether a process has exited, even if its parent has not reaped it."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True
