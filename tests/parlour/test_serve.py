"""`parlour serve` on a terminal and on a pipe: the greeting, the line for programs, and the form of the log."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from parlour.cli.greeting import greeting
from parlour.cli.main import main
from server.config import Settings
from server.logs import TextFormatter
from tests.waiting import TIMEOUT_S


class Terminal:
    """`parlour serve` in a pseudo-terminal."""

    def __init__(self, folder: Path, *flags: str, **env: str) -> None:
        words = ["-m", "parlour", "serve", "--port", "0", "--db", str(folder / "games.db"), "--house", "none", *flags]
        environment: Any = {**os.environ, "TERM": "xterm", **env}
        self.child = pexpect.spawn(
            sys.executable, words, env=environment, encoding="utf-8", timeout=TIMEOUT_S, dimensions=(40, 200)
        )

    def stop(self) -> str:
        """Press Ctrl-C, and return what the server prints until it has ended with status 0."""
        self.child.sendintr()
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert self.child.exitstatus == 0
        return str(self.child.before)


def serve(folder: Path, *flags: str, **env: str) -> tuple[str, str]:
    """Run `parlour serve` with pipes, stop it, and return its standard output and standard error."""
    words = ["-m", "parlour", "serve", "--port", "0", "--db", str(folder / "games.db"), "--house", "none", *flags]
    process = subprocess.Popen(
        [sys.executable, *words],
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0
    return line + out, err


def test_terminal_gets_a_greeting_and_a_text_log(tmp_path: Path) -> None:
    server = Terminal(tmp_path)
    server.child.expect(r"address +(ws://127\.0\.0\.1:\d+/ws)")
    url, before = server.child.match.group(1), server.child.before
    server.child.expect_exact(str(tmp_path / "games.db"))
    for command in (f"play conga --url {url}", f"watch --url {url}", "bot my_bot.py", "account add NAME --db"):
        server.child.expect_exact(f"parlour {command}")
    server.child.expect_exact("Ctrl-C stops the server")
    end = server.stop()
    assert "listening" not in before + end
    assert "stopped" in end
    assert "{" not in before + end


def test_terminal_gets_json_if_asked(tmp_path: Path) -> None:
    for flags, env in ((["--log", "json"], {}), ([], {"PARLOUR_LOG": "json"})):
        server = Terminal(tmp_path, *flags, **env)
        server.child.expect(r"^parlour: listening on ws://127\.0\.0\.1:\d+/ws\r\n")
        server.child.expect_exact('"event": "listening"')
        assert '"event": "stopped"' in server.stop()


def test_pipe_gets_one_line_and_a_json_log(tmp_path: Path) -> None:
    out, err = serve(tmp_path)
    assert out.startswith("parlour: listening on ws://127.0.0.1:")
    assert out.count("\n") == 1
    events = [json.loads(line)["event"] for line in err.splitlines()]
    assert events[0] == "listening"
    assert events[-1] == "stopped"


def test_log_can_be_text_on_a_pipe(tmp_path: Path) -> None:
    out, err = serve(tmp_path, "--log", "text")
    assert out.startswith("parlour: listening on ")
    assert " listening url=ws://" in err.splitlines()[0]
    assert err.splitlines()[-1].endswith(" stopped")


def test_unknown_log_form_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--log", "xml"]) == 2
    assert "--log must be one of auto, json, text, not 'xml'" in capsys.readouterr().err


def test_greeting_omits_what_is_default() -> None:
    text = greeting("ws://127.0.0.1:8765/ws", Settings(), ("random", "search@5"))
    assert "  browser     http://127.0.0.1:8765/\n" in text
    assert "house bots  random, search@5\n" in text
    assert "--url" not in text
    assert "--db" not in text
    assert all(len(line) < 100 for line in text.splitlines() if "database" not in line)


def test_greeting_shows_no_password() -> None:
    settings = Settings(db="postgresql://parlour:secret@db/parlour", auth="tokens", house="none")
    text = greeting("wss://0.0.0.0:9000/ws", settings, ())
    assert "  browser     https://127.0.0.1:9000/\n" in text
    assert "secret" not in text
    assert "only accounts may connect" in text
    assert "house bots  none" in text
    assert "parlour watch --url wss://127.0.0.1:9000/ws" in text


def test_text_log_is_one_readable_line() -> None:
    record = logging.LogRecord("parlour", logging.WARNING, "", 0, "cut", (), None)
    record.fields = {"why": "too slow", "address": "::1", "name": "a\x1b[2J\n"}
    line = TextFormatter().format(record)
    assert line.split(" ", 1)[1] == 'WARNING cut why="too slow" address=::1 name=a\\u001b[2J\\n'


def test_greeting_names_the_program_by_its_path_if_it_is_not_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/opt/venv/bin/parlour", "serve"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert "  /opt/venv/bin/parlour play conga  " in greeting("ws://127.0.0.1:8765/ws", Settings(), ())


def test_ssh_is_refused_with_a_sentence_before_a_database_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--db", str(tmp_path / "x.db"), "--ssh", str(port)]) == 2
    expected = f"parlour: cannot listen for SSH on 127.0.0.1:{port}: address already in use: choose another port"
    assert capsys.readouterr().err.startswith(expected)
    monkeypatch.setitem(sys.modules, "server.ssh.supervisor", None)  # as without the library
    assert main(["serve", "--db", str(tmp_path / "x.db"), "--ssh", "0"]) == 2
    assert capsys.readouterr().err.startswith("parlour: SSH support is not installed: run pip install")
    assert not (tmp_path / "x.db").exists()


def test_greeting_shows_how_to_connect_with_ssh(tmp_path: Path) -> None:
    server = Terminal(tmp_path, "--ssh", "0.0.0.0:0")
    server.child.expect(r"ssh +ssh -p \d+ HOST\r\n +host key SHA256:\S+ \(ED25519\)")
    server.stop()
