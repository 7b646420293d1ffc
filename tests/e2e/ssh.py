"""A server with SSH as a process, and real SSH clients."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect

from tests.waiting import TIMEOUT_S, until_blocking

COLUMNS, ROWS = 100, 30


class SshServer:
    """`parlour serve --ssh 0`. It stops with `stop`."""

    def __init__(self, folder: Path, *flags: str, house: str = "none") -> None:
        self.folder = folder
        self.temporary = folder / "temporary"  # where the service makes the folders of the sessions
        self.temporary.mkdir()
        self._log = folder / "log"
        words = ["-m", "parlour", "serve", "--port", "0", "--ssh", "0", "--db", str(folder / "parlour.db")]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *words, "--house", house, "--log", "json", *flags],
                env={**os.environ, "TMPDIR": str(self.temporary)},
                stdout=log,
                stderr=log,
            )
        [listening] = until("the SSH service listens", lambda: self.events("ssh_listening"))
        self.port, self.fingerprint = listening["port"], listening["host_key"]
        self.url = self.events("listening")[0]["url"]

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return the events of this name in the log."""
        lines = [line for line in self._log.read_text().splitlines() if line.startswith("{") and line.endswith("}")]
        return [event for event in map(json.loads, lines) if event["event"] == name]

    def options(self, *more: str) -> list[str]:
        """Return the arguments of `ssh` and its relatives for this server, without a configuration or keys."""
        settings = {
            "UserKnownHostsFile": f'"{self.folder}/known_hosts"',  # quoted: a path may have spaces
            "StrictHostKeyChecking": "accept-new",
            "IdentityAgent": "none",
            "IdentitiesOnly": "yes",
            "IdentityFile": "none",
            "LogLevel": "ERROR",
        }
        return ["-F", "none", *more, *(f"-o{name}={value}" for name, value in settings.items())]

    def command(self, *words: str, user: str = "bob", more: tuple[str, ...] = ()) -> list[str]:
        """Return the command line of an SSH client."""
        return ["ssh", *self.options(*more), "-p", str(self.port), "-l", user, "127.0.0.1", *words]

    def run(
        self, *words: str, user: str = "bob", more: tuple[str, ...] = (), stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run an SSH client without a terminal."""
        command = self.command(*words, user=user, more=more)
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)

    def terminal(self, *words: str, user: str = "bob", more: tuple[str, ...] = ()) -> pexpect.spawn:
        """Start an SSH client in a pseudo-terminal."""
        command = self.command(*words, user=user, more=("-tt", *more))
        return pexpect.spawn(
            command[0],
            command[1:],
            env={**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1"},
            dimensions=(ROWS, COLUMNS),
            encoding="utf-8",
            timeout=TIMEOUT_S,
        )

    def session_processes(self) -> list[int]:
        """Return the processes that run sessions of this server."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    environment = (folder / "environ").read_bytes()
                except OSError:
                    continue
                if f"HOME={self.temporary}".encode() in environment:
                    found.append(int(folder.name))
        return found

    def session_folders(self) -> list[Path]:
        return list(self.temporary.glob("parlour-ssh-*/session-*"))

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(TIMEOUT_S)


def until(what: str, condition: Callable[[], Any]) -> Any:
    """Wait for a condition, and return its value."""
    until_blocking(what, condition)
    return condition()
