"""Student programs that fail in different ways."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from client.tournament.model.plan import Contestant

LOOP = """import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ply"] > 2:
        {then}
    print(asked["moves"][0], flush=True)
"""

FAILING = {
    "crasher": "sys.exit('no idea')",
    "cheat": "print('zz', flush=True); continue",
    "sleeper": "time.sleep(60)",
}


def program(folder: Path, name: str, then: str, student: bool = False) -> Contestant:
    (folder / f"{name}.py").write_text(LOOP.format(then=then))
    return Contestant(name, exec=shlex.join([sys.executable, f"{name}.py"]), workdir=str(folder), student=student)
