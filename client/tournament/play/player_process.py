"""The players that a tournament starts: each is a `parlour bot` of its own, which comes back whenever it dies.

They leave when their standard input ends, so not even a killed runner leaves any behind.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections import deque
from contextlib import suppress
from random import Random
from typing import IO

from client.sdk.note import clean
from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Plan, file_of
from protocol.usernames import fold
from runtime import child_process
from runtime.backoff import Backoff

COMING = 60.0  # seconds until a player must have connected, after what it may take to start
LASTING = 30.0  # seconds after which a player that dies was healthy
GRACE = 2.0  # seconds to leave
NAMED_LATER = 10.0  # seconds until a name must be free that somebody has who is about to leave
CONNECTED = re.compile(r"connected to \S+ as (.*)")
TAKEN = re.compile(r"the name .* belongs to .*")


def words(player: Contestant, plan: Plan, folder: Folder) -> list[str]:
    """The arguments of `parlour bot` that say what plays, but not where."""
    name = file_name(player.name)
    found = ["--name", player.name, "--games", plan.game, "--forensics", str(folder.forensics.absolute() / name)]
    if player.exec:
        found += ["--exec", player.exec, "--workdir", player.workdir, "--depth", str(player.depth)]
        found += ["--startup", str(player.startup), "--memory", str(player.memory), "--retries", str(player.retries)]
        found += ["--adapter", player.adapter] if player.adapter else []
        found += [flag for flag, wanted in (("--ready", player.ready), ("--events", player.events)) if wanted]
    else:
        bot, at, level = (player.bot, "", "") if file_of(player.bot) else player.bot.partition("@")
        found += [bot, "--seed", str(seed_of(plan, player.name))]
        found += ["--level", level] if at else []
    if player.seconds:
        found += ["--seconds", f"{player.seconds:g}"]
    return found


def seed_of(plan: Plan, name: str) -> int:
    """A number of its own for every player, and always the same."""
    return Random(f"{plan.seed} player {name}").getrandbits(31)


def file_name(name: str) -> str:
    """A folder's name for a player: two names never share one."""
    return "".join(char if char.isascii() and char.isalnum() else f"_{ord(char):x}_" for char in name)


def renaming(player: Contestant, folder: Folder) -> str:
    """What to do about a name that is somebody else's."""
    kind, what = ("exec", "COMMAND") if player.exec else ("bot", "FILE.py" if file_of(player.bot) else player.bot)
    return f"change the name in {folder.plan_file}, or take another folder with --{kind} NAME={what}"


class Player:
    """One process, and its successors."""

    def __init__(self, player: Contestant, plan: Plan, folder: Folder, url: str, trust: str) -> None:
        self.name = player.name
        self._startup = player.startup
        self._renaming = renaming(player, folder)
        self._output_file = folder.players / f"{file_name(player.name)}.txt"
        state = folder.players.absolute() / f"{file_name(player.name)}.json"
        self._words = ["bot", *words(player, plan, folder), "--url", url, "--state", str(state), "--leave-with-stdin"]
        self._words += ["--concurrent", str(plan.limit(player.name)), *(["--tls-trust", trust] if trust else [])]
        self._token = os.environ.get(player.token, "") if player.token else ""
        self._token_missing = player.token if not self._token else ""
        self._said: deque[str] = deque(maxlen=20)
        self._called = ""  # what the server calls it
        self._here = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False

    async def start(self) -> None:
        """Until it is connected; TournamentError says why it is not."""
        if self._token_missing:
            raise TournamentError(f"the token of {self.name} should be in the variable {self._token_missing}")
        end = time.monotonic() + COMING + self._startup
        named_by = time.monotonic() + NAMED_LATER
        while True:
            await self._come(end)
            if fold(self._called) == fold(self.name):
                break
            if time.monotonic() > named_by:
                await self.stop()
                raise TournamentError(f"somebody else is called {self.name} on that server: {self._renaming}")
            await self.stop()
            await asyncio.sleep(0.5)
        self._keeper = asyncio.create_task(self._keep())

    async def _come(self, end: float) -> None:
        self._here.clear()
        reading = self._reading = asyncio.create_task(self._live())
        here = asyncio.create_task(self._here.wait())
        await asyncio.wait(
            {reading, here}, timeout=max(0.0, end - time.monotonic()), return_when=asyncio.FIRST_COMPLETED
        )
        here.cancel()
        if not self._here.is_set():
            gone = reading.done()
            await self.stop()
            last = clean(self._said[-1].removeprefix("parlour: ")) if self._said else "it said nothing"
            if TAKEN.fullmatch(last):
                last += f": {self._renaming}"
            raise TournamentError(f"{self.name} {'cannot be started' if gone else 'does not come'}: {last}")

    async def _keep(self) -> None:
        """Whenever it dies it is started again, later and later if it dies soon."""
        backoff = Backoff(first=0.5, most=30.0)
        while True:
            began = time.monotonic()
            assert self._reading is not None
            await self._reading
            if time.monotonic() - began > LASTING:
                backoff.reset()
            await asyncio.sleep(backoff.next())
            self._reading = asyncio.create_task(self._live())

    async def _live(self) -> None:
        """From its start to its end; what it says is kept in a file."""
        self._output_file.parent.mkdir(parents=True, exist_ok=True)
        process = self._process = await child_process.start("parlour", *self._words, heard=True, token=self._token)
        if self._stopping:  # it was, while it came up
            await child_process.end(process, GRACE)
        assert process.stdout is not None
        assert process.stderr is not None
        with self._output_file.open("ab", buffering=0) as file:
            await asyncio.gather(self._read(process.stdout, file), self._read(process.stderr, file))
        await process.wait()

    async def _read(self, pipe: asyncio.StreamReader, file: IO[bytes]) -> None:
        while True:
            try:
                line = await pipe.readline()
            except ValueError:  # longer than anybody reads
                continue
            if not line:
                return
            with suppress(OSError):  # a full disk costs the output, not the game
                file.write(line)
            text = line.decode(errors="replace").strip()
            self._said.append(text)
            if (match := CONNECTED.fullmatch(text)) is not None:
                self._called = match[1]
                self._here.set()

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        self._stopping = True
        process, self._process = self._process, None
        if process is not None:
            await child_process.end(process, GRACE)
        if self._reading is not None:
            await asyncio.gather(self._reading, return_exceptions=True)
        self._stopping = False
