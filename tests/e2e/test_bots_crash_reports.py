"""The command in a crash report reproduces the failure, for every kind of bot."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import TIMEOUT_S

RAISES = """
from parlour import Bot

class Raises(Bot):
    isolation = "{isolation}"

    def choose(self, game, state, budget):
        raise KeyError(f"ply {{budget.ply}} {{game.dump(state)}} {{budget.history}}")
"""
EXEC = """
import json, sys
asked = json.loads(input())
sys.exit(f"no idea at ply {asked['ply']}, {asked['position']}")
"""
HOMEWORK = """
import sys
sys.exit(open("wisdom.txt").read() + open(sys.argv[1]).read().replace("\\n", "|"))
"""
HANGS = """
from parlour import Bot

class Hangs(Bot):
    def choose(self, game, state, budget):
        while True:
            pass
"""
MANCALA = ("--ask", "mancala", "--option", "rules=standard", "--option", "pits=4", "--moves", "2 2 2")
COHCOH = ("--ask", "cohcoh", "--position", ".w......b w", "--option", "k=3")
PROGRAM = "{python} bot.py"
SECONDS = re.compile(r"\d\.\d s$")  # the time left when the move was requested
KINDS = {
    "thread": (RAISES.format(isolation="thread"), ("bot.py", *MANCALA)),
    "position": (RAISES.format(isolation="thread"), ("bot.py", *COHCOH)),
    "hangs": (HANGS, ("bot.py", "--ask", "conga", "--deadline", "0.2")),
    "process": (RAISES.format(isolation="process"), ("bot.py", *MANCALA)),
    "exec": (EXEC, ("--exec", PROGRAM, *MANCALA)),
    "elsewhere": ("import sys; sys.exit('found')", ("--exec", PROGRAM, "--adapter", "mancala", *MANCALA)),
    "homework": (HOMEWORK, ("--exec", f"{PROGRAM} {{in}}", "--adapter", "mancala", "--workdir", ".", *MANCALA)),
}


def run_failing(words: list[str], cwd: str | Path, state: Path) -> tuple[int, str, str]:
    """Run a command. Return its status, the sentence about the failure, and the folder of the crash report."""
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    done = subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert "Traceback" not in done.stdout
    what, _, where = (done.stderr + done.stdout).strip().partition("; crash report in ")
    return done.returncode, what, where


@pytest.mark.parametrize("kind", KINDS)
def test_reproduce_script_fails_the_same_way(kind: str, tmp_path: Path) -> None:
    code, words = KINDS[kind]
    here = tmp_path / "a folder"
    here.mkdir()
    (here / "bot.py").write_text(code)
    (here / "wisdom.txt").write_text("no wisdom ")
    command = [sys.executable, "-m", "parlour", "bot", *(word.replace("{python}", sys.executable) for word in words)]
    status, first, evidence = run_failing(command, here, tmp_path)
    assert status == 2
    script = Path(evidence) / "reproduce.sh"
    status, again, _ = run_failing([str(script)], "/", tmp_path)
    if kind == "process":  # the worker answers with the error
        assert (status, json.loads(again.splitlines()[-1])["error"]) == (0, first.partition(" failed: ")[2])
    elif kind in ("exec", "homework", "elsewhere"):
        assert status != 0
        assert again
        assert first.endswith(again[:160])
    else:
        assert (status, SECONDS.sub("… s", again)) == (2, SECONDS.sub("… s", first))
