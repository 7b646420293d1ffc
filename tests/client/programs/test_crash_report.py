"""Crash reports: their files, their script, and the tail of long output."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from client.programs.crash_report import Tail, copy_plain
from client.programs.failure import Failure
from client.programs.limits import Limits
from client.programs.line_bot import LineBot
from client.sdk.bot import Budget
from engine.registry import create
from tests.client.programs.conftest import Start
from tests.client.sample_programs import budget, program
from tests.waiting import TIMEOUT_S

CONGA = create("conga")


def failing(bot: LineBot, given: Budget | None = None) -> Failure:
    with pytest.raises(Failure) as caught:
        bot.choose(CONGA, CONGA.start(), given or budget())
    return caught.value


def test_report_has_the_evidence_and_reproduces_the_failure(start: Start, tmp_path: Path) -> None:
    code = "import sys\nprint('thinking', file=sys.stderr)\nline = input()\nprint('a1a2', flush=True)\ninput()"
    failure = failing(start(program(tmp_path, code)), Budget(5, time.monotonic() + 5, room="r1", ply=3))
    assert failure.kind == "illegal"
    assert failure.move == "a1a2"
    folder = Path(failure.evidence)
    assert folder.parent == tmp_path / "forensics"
    assert (folder / "position.txt").read_text().strip() == CONGA.dump(CONGA.start())
    assert (folder / "stderr.txt").read_text() == "thinking\n"
    assert (folder / "said.txt").read_text() == "a1a2\n"
    assert json.loads((folder / "given.txt").read_text())["room"] == "r1"
    report = json.loads((folder / "report.json").read_text())
    assert report["kind"] == "illegal"
    assert report["answered"] == "a1a2"
    assert report["exit"] is not None
    assert report["cpu"] > 0
    again = subprocess.run(
        [folder / "reproduce.sh"], capture_output=True, text=True, cwd="/", timeout=TIMEOUT_S, check=False
    )
    assert again.stdout == "a1a2\n"
    assert again.stderr.startswith("thinking\n")


def test_script_of_a_timeout_keeps_the_input_open(start: Start, tmp_path: Path) -> None:
    """The script keeps standard input open as long as the game did: the end of the input would end the program."""
    code = """
    import select, sys
    sys.stdin.readline()
    print(f"{len(select.select([sys.stdin], [], [], 0.2)[0])} ends", file=sys.stderr, flush=True)
    sys.stdin.readline()
    """
    failure = failing(start(program(tmp_path, code, Limits(startup=0.5, grace=0.1))), budget(0.5))
    script = Path(failure.evidence) / "reproduce.sh"
    script.write_text(re.sub(r"sleep \d+", "sleep 600", script.read_text()))
    with subprocess.Popen([script], stderr=subprocess.PIPE, start_new_session=True) as again:
        assert again.stderr is not None
        assert again.stderr.readline() == b"0 ends\n"
        os.killpg(again.pid, signal.SIGKILL)


def test_report_counts_plies_as_a_record_does(start: Start, tmp_path: Path) -> None:
    code = "import sys; input(); sys.exit(3)"
    failure = failing(start(program(tmp_path, code)), Budget(20, time.monotonic() + 20, ply=5))
    assert "-conga-ply6-exited" in failure.evidence
    assert json.loads((Path(failure.evidence) / "report.json").read_text())["ply"] == 6


def test_tail_keeps_the_last_bytes() -> None:
    tail = Tail(max_bytes=10)
    for number in range(20):
        tail.add(b"line %02d\n" % number)
    assert tail.count == 160
    assert tail.kept() == b"8\nline 19\n"
    assert tail.text() == "8\nline 19\n"
    assert tail.whole_lines() == b"line 19\n"


def test_short_tail_is_complete() -> None:
    tail = Tail(max_bytes=10)
    tail.add(b"one\ntwo")
    assert tail.whole_lines() == tail.kept() == b"one\ntwo"


def test_report_that_cannot_be_written_is_not_an_error(start: Start, tmp_path: Path) -> None:
    (tmp_path / "forensics").write_text("a file, not a folder")
    failure = failing(start(program(tmp_path, "input()")))
    assert failure.kind == "exited"
    assert "not all of it: " in failure.evidence


def test_copied_files_do_not_run_as_their_owner(tmp_path: Path) -> None:
    (tmp_path / "trap").write_text("#!/bin/sh")
    (tmp_path / "trap").chmod(0o6755)
    copy_plain(str(tmp_path / "trap"), str(tmp_path / "copy"))
    assert (tmp_path / "copy").stat().st_mode & 0o7777 == 0o755
