"""Who is there: players that are started come when a game needs them, and leave when others need their place.

So a class of a hundred does not mean a hundred processes. A student's program that cannot even be started forfeits its
games, and nobody else's; any other player that cannot be started ends the tournament before it has gone wrong.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence

from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan
from client.tournament.play.player_process import Player, file_name

AT_ONCE = 4  # players that come up at a time; each is a process
MOST = 40  # that are there at a time, if so many will do

Say = Callable[[str], None]


class Cast:
    def __init__(self, plan: Plan, folder: Folder, url: str, trust: str, say: Say) -> None:
        self._plan, self._folder, self._say = plan, folder, say
        self._players = {
            player.name: Player(player, plan, folder, url, trust) for player in plan.players if player.started
        }
        self._here: dict[str, asyncio.Task[None]] = {}  # who has come or is coming, whoever was needed last at the end
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._busy: Counter[str] = Counter()
        self._places = asyncio.Semaphore(AT_ONCE)
        self.broken: dict[str, str] = {}  # students' programs that cannot be started, and the evidence

    async def open(self) -> None:
        """Those who are not students come at once, so that a mistake in the plan is seen at once."""
        first = [name for name in self._players if name not in self._plan.students][:MOST]
        await self.need(first)
        self.release(first)

    async def need(self, names: Sequence[str]) -> None:
        """Until all of them are there, or known to be broken; TournamentError if one is that should not be."""
        for name in names:
            self._busy[name] += 1
        try:
            await asyncio.gather(*(self._come(name) for name in names if name in self._players))
        except BaseException:
            self._busy.subtract(names)
            raise

    async def _come(self, name: str) -> None:
        if name in self._leaving:
            await asyncio.shield(self._leaving[name])
        coming = self._here.pop(name, None) or asyncio.create_task(self._start(name))
        self._here[name] = coming
        await asyncio.shield(coming)

    async def _start(self, name: str) -> None:
        async with self._places:
            try:
                await self._players[name].start()
            except TournamentError as error:
                if name not in self._plan.students:
                    raise
                self.broken[name] = self._keep_evidence(name, str(error))
                self._say(f"{error}; it forfeits its games")

    def _keep_evidence(self, name: str, sentence: str) -> str:
        place = self._folder.forensics / file_name(name) / "start"
        place.mkdir(parents=True, exist_ok=True)
        report = {"kind": "start", "what": sentence, "bot": name, "room": ""}
        (place / "report.json").write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        return str(place.relative_to(self._folder.path))

    def release(self, names: Sequence[str]) -> None:
        """They are not needed for the moment; whoever has been idle for longest goes, if there are too many."""
        self._busy.subtract(names)
        idle = [name for name in self._here if not self._busy[name] and self._here[name].done()]
        for name in idle[: max(0, len(self._here) - MOST)]:
            del self._here[name]
            self._leaving[name] = leaving = asyncio.create_task(self._players[name].stop())
            leaving.add_done_callback(lambda _, name=name: self._leaving.pop(name))  # type: ignore[misc]

    async def close(self) -> None:
        coming = list(self._here.values())
        for task in coming:
            task.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        await asyncio.gather(*self._leaving.values(), *(player.stop() for player in self._players.values()))
