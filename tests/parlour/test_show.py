"""`parlour show` in a real pseudo-terminal: keys, resizing, and a terminal that is restored however it ends."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from parlour.cli.main import main
from tests.long import long
from tests.parlour.records import GOOD, MANCALA, long_record, save
from tests.waiting import TIMEOUT_S

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"  # the alternate screen, and back
PARLOUR = str(Path(sys.executable).with_name("parlour"))


class Session:
    """`parlour show` in a shell that prints the terminal's settings before and after."""

    def __init__(self, folder: Path, text: str, rows: int = 24, columns: int = 80, **env: str) -> None:
        file = save(folder, text)
        script = """stty -g; sh -c 'echo pid=$$; exec "$@"' sh "$@"; echo code=$?; stty -g; echo done"""
        environment: Any = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "", **env}
        self.child = pexpect.spawn(
            "/bin/bash",
            ["-c", script, "bash", PARLOUR, "show", file],
            dimensions=(rows, columns),
            env=environment,
            encoding="utf-8",
            timeout=TIMEOUT_S,
        )
        self.child.expect(r"([0-9a-f:]+)\r\npid=(\d+)\r\n")
        self.before, self.pid = self.child.match.group(1), int(self.child.match.group(2))

    def sees(self, text: str) -> None:
        self.child.expect_exact(text)

    def press(self, keys: str, text: str) -> None:
        self.child.send(keys)
        self.sees(text)

    def ends(self, code: int) -> None:
        """Expect the normal screen, the exit code, and the terminal's old settings."""
        self.child.expect_exact(LEAVE)
        self.child.expect(r"code=(\d+)\r\n([0-9a-f:]+)\r\ndone")
        assert int(self.child.match.group(1)) == code
        assert self.child.match.group(2) == self.before
        self.child.close()


def test_keys_move_through_the_game(tmp_path: Path) -> None:
    session = Session(tmp_path, long_record(7))
    session.sees(ENTER)
    session.sees("ply 0 of 7")
    session.press("\x1b[C", "ply 1 of 7")
    session.press("\x1b[B", "ply 2 of 7")
    session.press("\x1b[D", "ply 1 of 7")
    session.press("\x1b[F", "ply 7 of 7")
    session.press("\x1b[H", "ply 0 of 7")
    session.press("5", "5_")
    session.press("\r", "ply 5 of 7")
    session.press("\x1b[H", "ply 0 of 7")
    session.press(" ", "ply 1 of 7")  # plays by itself
    session.sees("ply 2 of 7")
    session.child.send("q")
    session.ends(0)


def test_ctrl_c_quits(tmp_path: Path) -> None:
    session = Session(tmp_path, GOOD)
    session.sees("ply 0 of 1")
    session.child.send("\x03")
    session.ends(130)


@pytest.mark.parametrize("number", [signal.SIGTERM, *long(signal.SIGHUP, signal.SIGINT)])
def test_signal_quits_and_restores_the_terminal(tmp_path: Path, number: signal.Signals) -> None:
    session = Session(tmp_path, GOOD)
    session.sees("ply 0 of 1")
    os.kill(session.pid, number)
    session.ends(128 + number)


def test_resizing_redraws_and_restores_the_terminal(tmp_path: Path) -> None:
    session = Session(tmp_path, long_record(7))
    session.sees(" leave")
    session.child.setwinsize(12, 30)
    session.sees("is 30 x 12")
    session.child.setwinsize(30, 100)
    session.sees(" leave")
    session.press("\x1b[C", "ply 1 of 7")
    session.child.send("q")
    session.ends(0)


def test_wrong_record_sets_the_exit_code(tmp_path: Path) -> None:
    session = Session(tmp_path, MANCALA.replace("player2 1", "player2 9"))
    session.sees("ply 0 of 2")
    session.press("\x1b[F", "WRONG: ply 3: '9' is not a move of mancala")
    session.child.send("q")
    session.ends(1)


def test_suspending_restores_the_terminal(tmp_path: Path) -> None:
    file = save(tmp_path, GOOD)
    environment: Any = {**os.environ, "TERM": "xterm-256color", "PS1": "ready> "}
    shell = pexpect.spawn(
        "/bin/bash", ["--norc", "--noprofile", "-i"], env=environment, encoding="utf-8", timeout=TIMEOUT_S
    )
    shell.expect_exact("ready> ")
    shell.sendline(shlex.join([PARLOUR, "show", file]))
    shell.expect_exact("ply 0 of 1")
    shell.send("\x1a")
    shell.expect_exact(LEAVE)
    shell.expect("Stopped")
    shell.expect_exact("ready> ")
    shell.sendline("fg")
    shell.expect_exact(ENTER)
    shell.expect_exact("ply 0 of 1")
    shell.send("q")
    shell.expect_exact(LEAVE)
    shell.expect_exact("ready> ")
    shell.close(force=True)


def test_colours_can_be_turned_off(tmp_path: Path) -> None:
    for no_color, colours in (("", True), ("1", False)):
        session = Session(tmp_path, GOOD, NO_COLOR=no_color)
        session.sees("blue to move")
        assert bool(re.search(r"\x1b\[[0-9;]*38;", session.child.before)) == colours
        session.child.send("q")
        session.ends(0)


def test_dumb_terminal_gets_text(tmp_path: Path) -> None:
    session = Session(tmp_path, GOOD, TERM="dumb")
    session.child.expect("alice wins: bøb has no moves left\r\ncode=0")
    assert "\x1b" not in session.child.before


def test_pipe_gets_plain_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--plain"]):
        assert main(["show", save(tmp_path, GOOD), *words]) == 0
        text = capsys.readouterr().out
        assert text.startswith("Conga: alice (blue) against bøb (red)\nstones 10, max_plies 400, start w9,")
        assert "\n4  w9 b3 b1  .\n3  b1 b1  . b1\n2  b1 b1  .  .\n1  w1 b1  .  .\n    a  b  c  d\n" in text
        assert "1. blue c3b4  (left 299.000 s, took 1.000 s)  ; found \\u001b[31m it\n" in text
        assert text.endswith("\n\nalice wins: bøb has no moves left\n")


def test_wrong_record_is_shown_up_to_the_wrong_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "--plain", save(tmp_path, MANCALA.replace("player2 1", "player2 9"))]) == 1
    assert "WRONG: ply 3: '9' is not a move" in capsys.readouterr().out
    assert main(["show", str(tmp_path / "none")]) == 2
