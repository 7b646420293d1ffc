"""Players that a tournament starts: each is a `parlour bot` process, restarted whenever it dies.

They exit when their standard input closes, so a killed tournament leaves none behind.
"""

from __future__ import annotations

import asyncio
import os
import re
from asyncio.subprocess import Process
from collections import deque
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import IO

from client.sdk.note import clean
from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Plan, bot_file
from protocol.usernames import fold
from runtime import child_process
from runtime.backoff import Backoff
from runtime.supervisor import Supervisor
from runtime.tasks import BackgroundTasks

CONNECT_TIMEOUT_S = 60.0  # on top of the time that a program may take to start
EXIT_GRACE_S = 2.0
NAME_TIMEOUT_S = 10.0  # for another player of that name to leave
NAME_RETRY_S = 0.5
FLAGS = ("ready", "events", "lenient")  # of a program
MAX_LINES = 20  # of the output, for error messages
CONNECTED = re.compile(r"connected to \S+ as (.*)")
NAME_TAKEN = re.compile(r"the name .* belongs to .*")


def bot_args(player: Contestant, plan: Plan, folder: Folder) -> list[str]:
    """Return the arguments of `parlour bot` for a player, without those for the server."""
    name = file_name(player.name)
    args = ["--name", player.name, "--games", plan.game, "--forensics", str(folder.forensics.absolute() / name)]
    if player.exec:
        args += ["--exec", player.exec, "--depth", str(player.depth), "--retries", str(player.retries)]
        args += ["--workdir", player.workdir] if shows_folder(player, plan, folder) else []
        args += ["--adapter", player.adapter] if player.adapter else []
        args += ["--protocol", player.protocol] if player.protocol != "lines" else []
        args += [f"--{flag}" for flag in FLAGS if getattr(player, flag)]
    else:
        bot, at, level = (player.bot, "", "") if bot_file(player.bot) else player.bot.partition("@")
        args += [bot, "--seed", str(seed_of(plan, player.name))]
        args += ["--level", level] if at else []
    if player.foreign:
        args += ["--startup", str(player.startup), "--memory", str(player.memory), *jail_args(player, plan)]
    if player.seconds:
        args += ["--seconds", f"{player.seconds:g}"]
    return args


def jail_args(player: Contestant, plan: Plan) -> list[str]:
    """Return the arguments of `parlour bot` for the plan's jail."""
    if plan.jail == "none":
        return []
    args = ["--jail", plan.jail, "--processes", str(player.processes), "--disk", str(player.disk)]
    args += ["--jail-image", plan.jail_image] if plan.jail_image else []
    args += ["--jail-cores", plan.jail_cores] if plan.jail_cores else []
    return args + [word for path in plan.jail_allow for word in ("--jail-allow", path)]


def shows_folder(player: Contestant, plan: Plan, folder: Folder) -> bool:
    """Return whether a program may see its folder. In a jail it may not if others keep their files in it too.

    It then sees only the files that its command names. It always starts in its folder, which gives these their names.
    """
    if plan.jail == "none":
        return True
    others = [other.workdir or bot_file(other.bot) for other in plan.players if other is not player and other.foreign]
    shared = [*map(Path, others), folder.path]
    return not any(path.resolve().is_relative_to(Path(player.workdir).resolve()) for path in shared)


def seed_of(plan: Plan, name: str) -> int:
    """Return the seed of a player: it depends on the plan's seed and on the name."""
    return Random(f"{plan.seed} player {name}").getrandbits(31)


def file_name(name: str) -> str:
    """Return a file name for a player. Different names have different file names."""
    return "".join(char if char.isascii() and char.isalnum() else f"_{ord(char):x}_" for char in name)


def rename_hint(player: Contestant, folder: Folder) -> str:
    """Return what to do if the name is taken."""
    kind, what = ("exec", "COMMAND") if player.exec else ("bot", "FILE.py" if bot_file(player.bot) else player.bot)
    return f"change the name in {folder.plan_file}, or take another folder with --{kind} NAME={what}"


class PlayerProcess:
    """One player: a process, and the ones that replace it when it dies."""

    def __init__(self, player: Contestant, plan: Plan, folder: Folder, url: str, trust: str) -> None:
        self.name = player.name
        self._startup_s = player.startup
        self._rename_hint = rename_hint(player, folder)
        self._output_file = folder.players / f"{file_name(player.name)}.txt"
        state = folder.players.absolute() / f"{file_name(player.name)}.json"
        self._args = ["bot", *bot_args(player, plan, folder), "--url", url, "--state", str(state), "--leave-with-stdin"]
        self._args += ["--concurrent", str(plan.limit(player.name)), *(["--tls-trust", trust] if trust else [])]
        self._folder = Path(player.workdir) if player.exec and player.workdir else None
        self._token = os.environ.get(player.token, "") if player.token else ""
        self._missing_token = player.token if not self._token else ""
        self._last_lines: deque[str] = deque(maxlen=MAX_LINES)
        self._username = ""  # on the server
        self._outcome: asyncio.Future[bool] | None = None  # of the first start: connected, or exited
        self._readers = BackgroundTasks(OSError)
        self._supervisor = Supervisor(
            self._spawn,
            Backoff(first_s=0.5, max_s=30.0),
            EXIT_GRACE_S,
            on_exit=lambda *_: self._report(connected=False),
        )

    async def start(self) -> None:
        """Start the player and wait until it has connected. Raises TournamentError with the reason if it does not."""
        if self._missing_token:
            raise TournamentError(f"the token of {self.name} should be in the variable {self._missing_token}")
        clock = asyncio.get_running_loop().time
        deadline = clock() + CONNECT_TIMEOUT_S + self._startup_s
        name_deadline = clock() + NAME_TIMEOUT_S
        while True:
            await self._connect(deadline)
            if fold(self._username) == fold(self.name):
                return
            await self.stop()
            if clock() > name_deadline:
                raise TournamentError(f"another player is called {self.name} on that server: {self._rename_hint}")
            await asyncio.sleep(NAME_RETRY_S)

    async def _connect(self, deadline: float) -> None:
        outcome = self._outcome = asyncio.get_running_loop().create_future()
        problem = "does not connect"
        try:
            async with asyncio.timeout_at(deadline):
                await self._supervisor.start()
                if await outcome:
                    return
            problem = "cannot be started"
        except TimeoutError:
            pass
        except OSError as error:
            raise TournamentError(f"{self.name} cannot be started: {error.strerror or error}") from None
        await self.stop()
        last = clean(self._last_lines[-1].removeprefix("parlour: ")) if self._last_lines else "it printed nothing"
        if NAME_TAKEN.fullmatch(last):
            last += f": {self._rename_hint}"
        raise TournamentError(f"{self.name} {problem}: {last}")

    def _report(self, connected: bool) -> None:
        if self._outcome is not None and not self._outcome.done():
            self._outcome.set_result(connected)

    async def _spawn(self) -> Process:
        self._output_file.parent.mkdir(parents=True, exist_ok=True)
        process = await child_process.start(
            "parlour", *self._args, capture_output=True, token=self._token, folder=self._folder
        )
        self._readers.start(self._read_output(process))
        return process

    async def _read_output(self, process: Process) -> None:
        """Append the output of a process to the player's file."""
        assert process.stdout is not None
        assert process.stderr is not None
        with self._output_file.open("ab", buffering=0) as file:
            await asyncio.gather(self._read_lines(process.stdout, file), self._read_lines(process.stderr, file))

    async def _read_lines(self, pipe: asyncio.StreamReader, file: IO[bytes]) -> None:
        while True:
            try:
                line = await pipe.readline()
            except ValueError:  # longer than the buffer
                continue
            if not line:
                return
            with suppress(OSError):  # a full disk costs the output, not the game
                file.write(line)
            text = line.decode(errors="replace").strip()
            self._last_lines.append(text)
            if (match := CONNECTED.fullmatch(text)) is not None:
                self._username = match[1]
                self._report(connected=True)

    async def stop(self) -> None:
        """Stop the player and read the rest of its output."""
        await self._supervisor.stop()
        await asyncio.gather(*self._readers, return_exceptions=True)
