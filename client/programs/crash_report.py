"""Crash reports: a folder with the evidence of a failure and a script that reproduces it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from client.programs.failure import Failure
from client.programs.jail.base import WORK, Jail, NoJail
from client.programs.limits import Limits
from client.programs.process import Exit
from client.sdk.bot import Budget
from engine.game import Game, State
from runtime.paths import state_folder

TAIL_BYTES = 64 * 1024
MAX_NAME_CHARS = 40
MAX_REPORTS_PER_SECOND = 10_000
HERE = Path("/the-folder-of-the-script")


class Tail:
    """The last bytes of a stream, and the number of all bytes."""

    def __init__(self, max_bytes: int = TAIL_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = bytearray()
        self.count = 0

    def add(self, data: bytes) -> None:
        """Add data at the end."""
        self.count += len(data)
        self._bytes += data
        if len(self._bytes) > 2 * self._max_bytes:  # rarely, so that many small additions stay cheap
            del self._bytes[: -self._max_bytes]

    def kept(self) -> bytes:
        """Return the last bytes."""
        return bytes(self._bytes[-self._max_bytes :])

    def text(self) -> str:
        """Return the last bytes as text."""
        return self.kept().decode("utf-8", "replace")

    def whole_lines(self) -> bytes:
        """Return the last bytes without an incomplete first line."""
        kept = self.kept()
        return kept if len(kept) == self.count else kept[kept.find(b"\n") + 1 :]


@dataclass(frozen=True, slots=True)
class Transcript:
    """The input and output of a program, how it ended, and its limits if it was started. `limit`: the one it met."""

    given: bytes = b""
    said: bytes = b""
    errors: bytes = b""
    exit: Exit | None = None
    limits: Limits | None = None
    jail: Jail = field(default_factory=NoJail)
    limit: str = ""


@dataclass(frozen=True, slots=True)
class CrashReport:
    """A failure, the position in which it happened, and the program.

    `command` reproduces it in the folder `cwd`, or in a copy of `files`, the folder in which the program ran.
    """

    failure: Failure
    game: Game
    state: State
    budget: Budget
    bot: str
    wall: float
    transcript: Transcript = field(default_factory=Transcript)
    command: Sequence[str] = ()
    cwd: Path | None = None
    files: Path | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def save(self, under: Path) -> None:
        """Write the report to a new folder and store its path in the failure. A full disk is not an error."""
        try:
            folder = self._new_folder(under)
            self.failure.evidence = str(folder)
            self._write(folder)
        except OSError as error:
            self.failure.evidence += f" (not all of it: {error.strerror or error})"

    def _new_folder(self, under: Path) -> Path:
        bot = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.bot.rpartition("/")[2])[:MAX_NAME_CHARS] or "bot"
        stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{bot}-{self.game.name}-ply{self.budget.ply + 1}-{self.failure.kind}"
        for number in range(1, MAX_REPORTS_PER_SECOND):
            folder = under / (stem if number == 1 else f"{stem}-{number}")
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                continue
            return folder
        raise FileExistsError(f"too many failures in one second under {under}")

    def _write(self, folder: Path) -> None:
        transcript = self.transcript
        (folder / "position.txt").write_text(f"{self.game.dump(self.state)}\n")
        (folder / "given.txt").write_bytes(transcript.given)
        (folder / "said.txt").write_bytes(transcript.said)
        (folder / "stderr.txt").write_bytes(transcript.errors)
        if self.files is not None:
            with suppress(shutil.Error, RecursionError):  # pipes, sockets and folders nested too deep stay behind
                shutil.copytree(
                    self.files, folder / "run", symlinks=True, ignore_dangling_symlinks=True, copy_function=copy_plain
                )
        (folder / "report.json").write_text(json.dumps(self.summary(), indent=2) + "\n")
        script = folder / "reproduce.sh"
        script.write_text(self.script())
        script.chmod(0o755)

    def summary(self) -> dict[str, Any]:
        """Return the content of report.json."""
        game, budget, exit = self.game, self.budget, self.transcript.exit
        return {
            "kind": self.failure.kind,
            "what": str(self.failure),
            "bot": self.bot,
            "game": game.name,
            "options": dict(game.spec.options),
            "position": game.dump(self.state),
            "side": game.turn(self.state),
            "legal": list(game.legal(self.state)),
            "answered": self.failure.move,
            "room": budget.room,
            "ply": budget.ply + 1,  # of the missing move, counted as in a record
            "opponent": budget.opponent,
            "history": list(budget.history),
            "seconds": round(budget.seconds, 3),
            "wall": round(self.wall, 3),
            "cpu": None if exit is None else round(exit.cpu, 3),
            "exit": None if exit is None else exit.status,
            "command": list(self.command),
            "jail": self.transcript.jail.name,
            "limit": self.transcript.limit,
            **self.more,
        }

    def script(self) -> str:
        """Return a shell script that runs the program again with the same input, in the same folder."""
        limits, command = self.transcript.limits, self.shell_command()
        lines = ["#!/bin/sh", f"# {self.failure.kind}: {' '.join(str(self.failure).split())}"]
        lines.append('here=$(cd "$(dirname "$0")" && pwd)')
        if self.files is not None:
            lines.append('cd "$here/run" || exit')
        elif self.cwd is not None:
            lines.append(f"cd {shlex.quote(str(self.cwd))} || exit")
        if self.failure.kind == "timeout" and limits is not None and self.files is None:
            lines.append("# the input stays open for as long as in the game")
            lines.append(f'{{ cat "$here/given.txt"; sleep {ceil(self.wall)}; }} | {command}')
        else:
            lines.append(f'{command} < "$here/given.txt"')
        return "\n".join(lines) + "\n"

    def shell_command(self) -> str:
        """Return the program's command for a shell, with its limits, in its jail."""
        limits, jail = self.transcript.limits, self.transcript.jail
        if limits is None:
            return shlex.join(self.command)
        folder, source = (Path(WORK), HERE / "run") if self.files is not None else (self.cwd or Path.cwd(), None)
        command = shlex.join(jail.command(self.command, folder, limits, source))
        known = jail.environment(limits) if jail.confines else limits.environment({})
        variables = shlex.join(f"{name}={value}" for name, value in known.items())
        env = f"env {'-i ' if jail.confines else ''}{variables} " if variables else ""
        return env + command.replace(str(HERE), '"$here"')


def copy_plain(source: str, target: str) -> None:
    """Copy a file of a program without its setuid bit: the copy belongs to the user of this process."""
    shutil.copyfile(source, target)
    Path(target).chmod(Path(source).stat().st_mode & 0o777)


def default_crash_folder() -> Path:
    """Return the folder for crash reports if the user names no other."""
    return state_folder() / "forensics"
