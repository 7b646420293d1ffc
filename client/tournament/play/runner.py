"""A tournament from wherever it stands to its end: rooms are made, watched, and what comes of them is written down.

Whenever it is interrupted, by whatever, another runner goes on with what the log says.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from client.sdk.room_view import RoomView
from client.tournament.formats.openings import opening
from client.tournament.formats.schedule import schedule
from client.tournament.formats.schedule_builder import Schedule
from client.tournament.journal import replay as entries
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log
from client.tournament.journal.replay import TournamentState
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result
from client.tournament.play.adjudication import Prover
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.game import GameSupervisor
from client.tournament.play.outcome import unstarted_result
from client.tournament.play.player_pool import PlayerPool
from engine.record import RULE_REASONS

MAX_ROOMS_PER_GAME = 5  # rooms for one game; if all of them come to nothing the server is to blame, and nobody wins
ROOM_CREATION_GRACE_S = 2.0  # seconds for rooms that are just being made
STANDING_REASONS = (*RULE_REASONS, "resigned", "agreed", "illegal_moves")


@dataclass(frozen=True, slots=True)
class GameUpdate:
    """Something has happened to a game: it was begun, has ended, or has to be begun again."""

    kind: Literal["began", "ended", "again"]
    game: Pairing
    room: str
    result: Result | None = None


OnUpdate = Callable[[GameUpdate], None]


class Runner:
    def __init__(
        self,
        plan: Plan,
        folder: Folder,
        log: Log,
        state: TournamentState,
        arbiter: Arbiter,
        pool: PlayerPool,
        on_update: OnUpdate,
    ) -> None:
        self.plan, self.state, self.arbiter = plan, state, arbiter
        self._folder, self._log, self._pool, self._on_update = folder, log, pool, on_update
        self.live: dict[int, tuple[Pairing, str]] = {}  # games under way, and their rooms
        self.schedule: Schedule = schedule(plan, state.results)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._creations: set[asyncio.Task[str]] = set()
        self._late: set[str] = set()
        self._limits = {name: plan.limit(name) for name in plan.names}
        self._prover = Prover(plan.adjudicate) if plan.adjudicate else None

    async def run(self) -> None:
        """Until every game has its result."""
        try:
            if self._prover is not None:
                await self._prover.warm_up(self.plan.create())
            await self.arbiter.find_unlogged_rooms(self.state.known)
            while not self.schedule.finished(self.state.results):
                await self._cancel_unneeded()
                self._start_games()
                await asyncio.wait(self._tasks.values(), return_when=asyncio.FIRST_COMPLETED)
                self._collect_finished()
            await self._cancel_unneeded()
        finally:
            await self._cancel(list(self._tasks))
            if self._creations:
                await asyncio.wait(self._creations, timeout=ROOM_CREATION_GRACE_S)
            if self._prover is not None:
                self._prover.close()

    def table(self, room: str) -> RoomView | None:
        return self.arbiter.session.rooms.get(room)

    # -- which games

    def _start_games(self) -> None:
        """As many games as may be played at a time, in the order of the schedule."""
        busy = Counter(name for number in self._tasks for name in self._game(number).seats)
        for game in self.schedule.games:
            if len(self._tasks) >= self.plan.concurrency:
                break
            free = all(busy[name] < self._limits[name] for name in game.seats)
            if game.number not in self.state.results and game.number not in self._tasks and free:
                busy.update(game.seats)
                self.live[game.number] = (game, "")
                self._tasks[game.number] = asyncio.create_task(self._play(game))

    def _game(self, number: int) -> Pairing:
        return self.live[number][0]

    def _collect_finished(self) -> None:
        """Games that are over leave their place to others."""
        done = [number for number, task in self._tasks.items() if task.done()]
        for number in done:
            del self.live[number]
            self._tasks.pop(number).result()
        unplayed = any(
            game.number not in self.state.results and game.number not in self._tasks for game in self.schedule.games
        )
        if not unplayed or self.plan.sprt is not None or self.plan.goals:
            self.schedule = schedule(self.plan, self.state.results)

    async def _cancel_unneeded(self) -> None:
        """A test that has its verdict needs no more games, not even those under way."""
        wanted = {game.number for game in self.schedule.games}
        unneeded = [number for number in self._tasks if number not in wanted]
        await self._cancel(unneeded)
        if unneeded and self._creations:
            await asyncio.wait(self._creations, timeout=ROOM_CREATION_GRACE_S)
        for number in unneeded:
            room = self.state.rooms.get(number)
            if room is not None:
                await self.arbiter.abort(room)
                self._drop(number, room, "not needed")

    async def _cancel(self, numbers: list[int]) -> None:
        tasks = [self._tasks.pop(number) for number in numbers]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for number in numbers:
            self.live.pop(number, None)

    # -- one game

    async def _play(self, game: Pairing) -> None:
        await self._pool.acquire(game.seats)
        try:
            broken = {name: self._pool.broken[name] for name in game.seats if name in self._pool.broken}
            if broken:
                await self._record_result(game, unstarted_result(self.plan, game, broken))
            else:
                await self._play_in_rooms(game)
        finally:
            self._pool.release(game.seats)

    async def _play_in_rooms(self, game: Pairing) -> None:
        start = opening(self.plan, game.opening)
        room = await self._resume_room(game, start)
        while True:
            if not room:
                room = await self._open(game, start)
            self.live[game.number] = (game, room)
            self._on_update(GameUpdate("began", game, room))
            supervisor = GameSupervisor(self.arbiter, self.plan, self._folder, game, self._late, self._prover)
            result = await supervisor.play(room)
            if result is None and self.state.dropped[game.number] + 1 >= MAX_ROOMS_PER_GAME:
                raise TournamentError(
                    f"game {game.number} ({' against '.join(game.seats)}) had no result in {MAX_ROOMS_PER_GAME} rooms;"
                    " check the server's log"
                )
            if result is not None:
                await self._record_result(game, result)
                return
            self._drop(game.number, room, entries.NO_RESULT)
            self._on_update(GameUpdate("again", game, room))
            room = ""

    async def _open(self, game: Pairing, start: str) -> str:
        """Make a room and write it down; whoever interrupts us meanwhile interrupts us after that."""

        async def open_one() -> str:
            room = await self.arbiter.create_room(game, start)
            self._created(game, room)
            return room

        opening = asyncio.create_task(open_one())
        self._creations.add(opening)
        opening.add_done_callback(self._creations.discard)
        return await asyncio.shield(opening)

    def _created(self, game: Pairing, room: str) -> None:
        self._log.write(entries.created(game.number, room))
        self.state.rooms[game.number] = room

    async def _record_result(self, game: Pairing, result: Result) -> None:
        await self._log.keep(entries.ended(game.number, result))
        self.state.rooms.pop(game.number, None)
        self.state.results[game.number] = result
        self._on_update(GameUpdate("ended", game, result.room, result))

    def _drop(self, number: int, room: str, why: str) -> None:
        self._log.write(entries.dropped(number, room, why))
        self.state.rooms.pop(number, None)
        self.state.dropped[number] += why == entries.NO_RESULT

    async def _resume_room(self, game: Pairing, start: str) -> str:
        """The room in which a game was begun before we were interrupted, if it can be counted or goes on; else "".

        Players of ours went away with the runner: what they have lost by that is played again. Others have played on.
        """
        room = self.state.rooms.get(game.number, "")
        if not room:
            room = self.arbiter.take_unlogged_room(game, start)
            if not room:
                return ""
            self._created(game, room)
        table = await self.arbiter.watch(room)
        if table is not None and self._result_counts(game, table):
            return room
        if table is not None and table.status != "ended":
            await self.arbiter.abort(room)
        self.arbiter.unwatch(room)
        self._drop(game.number, room, "interrupted")
        return ""

    def _result_counts(self, game: Pairing, table: RoomView) -> bool:
        ours = [self.plan.player(name).started for name in game.seats]
        if table.status != "ended":
            return not all(ours)
        if table.reason in STANDING_REASONS:
            return True
        return table.winner is not None and not ours[1 - table.winner]
