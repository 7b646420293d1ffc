"""The players that the runner starts. They are started when a game needs them and stopped when there are too many.

So a class of a hundred students does not need a hundred processes. A student's program that cannot be started forfeits
its games. Any other player that cannot be started ends the tournament.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence

from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan
from client.tournament.play.player_process import PlayerProcess, file_name

MAX_CONCURRENT_STARTS = 4
MAX_RUNNING_PLAYERS = 40  # more only if that many play at once

OnMessage = Callable[[str], None]


class PlayerPool:
    """Starts and stops player processes."""

    def __init__(self, plan: Plan, folder: Folder, url: str, trust: str, on_message: OnMessage) -> None:
        self._plan, self._folder, self._on_message = plan, folder, on_message
        self._players = {
            player.name: PlayerProcess(player, plan, folder, url, trust) for player in plan.players if player.started
        }
        self._started: dict[str, asyncio.Task[None]] = {}  # least recently needed first
        self._stopping: dict[str, asyncio.Task[None]] = {}
        self._busy: Counter[str] = Counter()
        self._start_slots = asyncio.Semaphore(MAX_CONCURRENT_STARTS)
        self.unstartable: dict[str, str] = {}  # students whose program cannot be started -> evidence

    async def start(self) -> None:
        """Start the players that are not students, so that a mistake in the plan is reported at once."""
        first = [name for name in self._players if name not in self._plan.students][:MAX_RUNNING_PLAYERS]
        await self.acquire(first)
        self.release(first)

    async def acquire(self, names: Sequence[str]) -> None:
        """Wait until these players are running, or known to be unstartable.

        Raises TournamentError if a player that is not a student cannot be started.
        """
        for name in names:
            self._busy[name] += 1
        try:
            await asyncio.gather(*(self._ensure_started(name) for name in names if name in self._players))
        except BaseException:
            self._busy.subtract(names)
            raise

    async def _ensure_started(self, name: str) -> None:
        """Start a player, or wait until it has started. Move it to the end of the idle order."""
        if name in self._stopping:
            await asyncio.shield(self._stopping[name])
        starting = self._started.pop(name, None) or asyncio.create_task(self._start(name))
        self._started[name] = starting
        await asyncio.shield(starting)

    async def _start(self, name: str) -> None:
        async with self._start_slots:
            try:
                await self._players[name].start()
            except TournamentError as error:
                if name not in self._plan.students:
                    raise
                self.unstartable[name] = self._keep_evidence(name, str(error))
                self._on_message(f"{error}; {name} forfeits its games")

    def _keep_evidence(self, name: str, error: str) -> str:
        evidence = self._folder.forensics / file_name(name) / "start"
        evidence.mkdir(parents=True, exist_ok=True)
        report = {"kind": "start", "what": error, "bot": name, "room": ""}
        (evidence / "report.json").write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        return str(evidence.relative_to(self._folder.path))

    def release(self, names: Sequence[str]) -> None:
        """Mark players as not needed. Stop those that have been idle longest, if too many are running."""
        self._busy.subtract(names)
        idle = [name for name in self._started if not self._busy[name] and self._started[name].done()]
        for name in idle[: max(0, len(self._started) - MAX_RUNNING_PLAYERS)]:
            del self._started[name]
            self._stopping[name] = stopping = asyncio.create_task(self._players[name].stop())
            stopping.add_done_callback(lambda _, name=name: self._stopping.pop(name))  # type: ignore[misc]

    async def close(self) -> None:
        starting = list(self._started.values())
        for task in starting:
            task.cancel()
        await asyncio.gather(*starting, return_exceptions=True)
        await asyncio.gather(*self._stopping.values(), *(player.stop() for player in self._players.values()))
