"""Play a tournament from its current state to its end: create rooms, watch them, log the results.

If the runner is interrupted, another one continues from the log.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from client.sdk.room_view import RoomView
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
from client.tournament.play.opening_book import OpeningBook
from client.tournament.play.outcome import unstarted_result
from client.tournament.play.player_pool import PlayerPool
from engine.record import RULE_REASONS
from runtime.tasks import BackgroundTasks

MAX_ROOMS_PER_GAME = 5  # without a result; then the tournament stops
ROOM_CREATION_GRACE_S = 2.0  # for rooms that are being created
# an interruption of the runner does not cause these
STANDING_REASONS = (*RULE_REASONS, "resigned", "agreed", "illegal_moves")


@dataclass(frozen=True, slots=True)
class GameUpdate:
    """A game has begun, has ended, or has to be played again."""

    kind: Literal["began", "ended", "again"]
    game: Pairing
    room: str
    result: Result | None = None


OnUpdate = Callable[[GameUpdate], None]


class Runner:
    """Plays all games of a plan."""

    def __init__(
        self,
        plan: Plan,
        folder: Folder,
        log: Log,
        state: TournamentState,
        arbiter: Arbiter,
        pool: PlayerPool,
        book: OpeningBook,
        on_update: OnUpdate,
    ) -> None:
        self.plan, self.state, self.arbiter = plan, state, arbiter
        self._folder, self._log, self._pool, self._book = folder, log, pool, book
        self._on_update = on_update
        self.live: dict[int, tuple[Pairing, str]] = {}  # running games and their rooms
        self.schedule: Schedule = schedule(plan, state.results)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._creations = BackgroundTasks()
        self._late: set[str] = set()
        self._limits = {name: plan.limit(name) for name in plan.names}
        self._prover = Prover(plan.adjudicate) if plan.adjudicate else None

    async def run(self) -> None:
        """Play until every game has a result."""
        try:
            if self._prover is not None:
                await self._prover.warm_up(self.plan.create())
            await self.arbiter.find_unlogged_rooms(self.state.known_rooms)
            while not self.schedule.finished(self.state.results):
                await self._cancel_unneeded()
                self._start_games()
                await asyncio.wait(self._tasks.values(), return_when=asyncio.FIRST_COMPLETED)
                self._collect_finished()
            await self._cancel_unneeded()
        finally:
            await self._cancel(list(self._tasks))
            await self._finish_creations()
            if self._prover is not None:
                self._prover.close()

    def view(self, room: str) -> RoomView | None:
        return self.arbiter.session.rooms.get(room)

    # -- scheduling

    def _start_games(self) -> None:
        """Start games in the order of the schedule, up to the limits of the plan and of each player."""
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
        """Remove finished games, and extend the schedule if needed."""
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
        """Abort running games that a decided test does not need any more."""
        wanted = {game.number for game in self.schedule.games}
        unneeded = [number for number in self._tasks if number not in wanted]
        await self._cancel(unneeded)
        if unneeded:
            await self._finish_creations()
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
            unstartable = {name: self._pool.unstartable[name] for name in game.seats if name in self._pool.unstartable}
            start = await self._book.start(game.opening)
            if unstartable:
                await self._record_result(game, unstarted_result(self.plan, game, start, unstartable))
            else:
                await self._play_until_result(game, start)
        finally:
            self._pool.release(game.seats)

    async def _play_until_result(self, game: Pairing, start: str) -> None:
        room = await self._resume_room(game, start)
        while True:
            if not room:
                room = await self._create_room(game, start)
            self.live[game.number] = (game, room)
            self._on_update(GameUpdate("began", game, room))
            supervisor = GameSupervisor(self.arbiter, self.plan, self._folder, game, self._late, self._prover)
            result = await supervisor.play(room)
            if result is None and self.state.dropped[game.number] + 1 >= MAX_ROOMS_PER_GAME:
                raise TournamentError(
                    f"game {game.number} ({' against '.join(game.seats)}) had no result in {MAX_ROOMS_PER_GAME} rooms:"
                    " check the log of the server"
                )
            if result is not None:
                await self._record_result(game, result)
                return
            self._drop(game.number, room, entries.NO_RESULT)
            self._on_update(GameUpdate("again", game, room))
            room = ""

    async def _create_room(self, game: Pairing, start: str) -> str:
        """Create a room and log it. A cancellation does not interrupt this."""

        async def create() -> None:
            self._log_room(game, await self.arbiter.create_room(game, start))

        await asyncio.shield(self._creations.start(create()))
        return self.state.rooms[game.number]

    async def _finish_creations(self) -> None:
        """Wait a short time for rooms that are being created."""
        if creations := set(self._creations):
            await asyncio.wait(creations, timeout=ROOM_CREATION_GRACE_S)

    def _log_room(self, game: Pairing, room: str) -> None:
        self._log.append(entries.created(game.number, room))
        self.state.rooms[game.number] = room

    async def _record_result(self, game: Pairing, result: Result) -> None:
        await self._log.append_durably(entries.ended(game.number, result))
        self.state.rooms.pop(game.number, None)
        self.state.results[game.number] = result
        self._on_update(GameUpdate("ended", game, result.room, result))

    def _drop(self, number: int, room: str, reason: str) -> None:
        self._log.append(entries.dropped(number, room, reason))
        self.state.rooms.pop(number, None)
        self.state.dropped[number] += reason == entries.NO_RESULT
        self.state.dropped_rooms.add(room)

    async def _resume_room(self, game: Pairing, start: str) -> str:
        """Return the room where a game was begun before an interruption, if its result counts or it continues; else "".

        Players started by the runner stopped with it. What they lost that way is played again. Other players continued.
        """
        room = self.state.rooms.get(game.number, "")
        if not room:
            room = self.arbiter.take_unlogged_room(game, start)
            if not room:
                return ""
            self._log_room(game, room)
        view = await self.arbiter.watch(room)
        if view is not None and self._result_counts(game, view):
            return room
        if view is not None and view.status != "ended":
            await self.arbiter.abort(room)
        self.arbiter.unwatch(room)
        self._drop(game.number, room, "interrupted")
        return ""

    def _result_counts(self, game: Pairing, view: RoomView) -> bool:
        """Return whether an interrupted game continues or its result is not due to the interruption."""
        started = [self.plan.player(name).started for name in game.seats]
        if view.status != "ended":
            return not all(started)
        if view.reason in STANDING_REASONS:
            return True
        return view.winner is not None and not started[1 - view.winner]
