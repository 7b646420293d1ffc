"""Supervise one game from its room to its result."""

from __future__ import annotations

import asyncio
from typing import Any

from client.sdk.room_view import RoomView
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result
from client.tournament.play.adjudication import Prover
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.outcome import adjudicated_result, finished_result, forfeited_result
from engine.replay import ending

SILENT_ROOM_REFRESH_S = 20.0
LATE_PLAYER_WAIT_S = 5.0  # for players who missed their last game
Proof = dict[str, Any]


class NoResult(Exception):
    """The room ended without a result: the game has to be played in another one."""


class GameSupervisor:
    """Supervises one game.

    `late`: players who missed their last game. They get less time for the next one.
    """

    def __init__(
        self, arbiter: Arbiter, plan: Plan, folder: Folder, game: Pairing, late: set[str], prover: Prover | None
    ) -> None:
        self._arbiter, self._plan, self._folder, self._late = arbiter, plan, folder, late
        self.game, self._prover = game, prover
        self._room = ""
        self._proving: asyncio.Task[Proof | None] | None = None
        self._examined = 0  # last ply that was examined

    async def play(self, room: str) -> Result | None:
        """Return the result, or None if the game has to be played again."""
        self._room = room
        try:
            return await self._play()
        except NoResult:
            return None
        finally:
            if self._proving is not None:
                self._proving.cancel()
            self._arbiter.unwatch(room)

    async def _play(self) -> Result:
        began, running_since = self._arbiter.now(), None
        while True:
            view = await self._view()
            if view.status == "ended":
                return await self._final_result(view)
            if view.status == "running" and running_since is None:
                running_since = self._arbiter.now()
                self._late.difference_update(self.game.seats)
            spent = self._arbiter.now() - (began if running_since is None else running_since)
            result = await (self._wait_for_players if view.status == "waiting" else self._wait_for_move)(view, spent)
            if result is not None:
                return result

    async def _view(self) -> RoomView:
        view = await self._arbiter.watch(self._room)
        if view is None:
            raise NoResult
        return view

    async def _wait_for_players(self, view: RoomView, spent: float) -> Result | None:
        """Wait until both players are here. After the time limit, absent players forfeit."""
        late = not self._late.isdisjoint(self.game.seats)
        limit = min(LATE_PLAYER_WAIT_S, self._plan.wait) if late else self._plan.wait
        absent = [
            name for name, seat in zip(self.game.seats, view.seats, strict=True) if seat is None or not seat.online
        ]
        if spent < limit or not absent:
            await self._wait(max(0.1, limit - spent))
            return None
        self._late.update(absent)
        return await self._stop(absent, "absent")

    async def _wait_for_move(self, view: RoomView, spent: float) -> Result | None:
        """Wait for the next move, for a proof, or for the time limit of the game."""
        if spent >= self._plan.longest:
            return await self._stop([self.game.seats[view.turn]], "time")
        proof = await self._next_proof(view)
        if proof is None:
            return None
        await self._abort()
        return adjudicated_result(self._room, await self._arbiter.export_record(self._room), proof)

    async def _final_result(self, view: RoomView) -> Result:
        # the players may have been faster than the proof
        while self._proving is not None or self._has_unexamined_position(view):
            proof = await self._next_proof(view)
            if proof is not None:
                return adjudicated_result(self._room, await self._arbiter.export_record(self._room), proof)
        if view.result == "*":
            raise NoResult
        return finished_result(self.game, view, await self._arbiter.export_record(self._room), self._folder)

    # -- stopping a game

    async def _stop(self, losers: list[str], reason: str) -> Result | None:
        """Abort a game that `losers` forfeit. Return None if it ended in another way in the meantime."""
        view = await self._abort()
        if view.reason != "aborted":
            return None
        return forfeited_result(self.game, self._room, await self._arbiter.export_record(self._room), losers, reason)

    async def _abort(self) -> RoomView:
        """Abort the game and return its final view."""
        if not await self._arbiter.abort(self._room):
            raise NoResult  # this session is not its arbiter any more
        while (view := await self._view()).status != "ended":
            await self._wait()
        return view

    async def _wait(self, timeout_s: float = SILENT_ROOM_REFRESH_S) -> None:
        happened = await self._arbiter.wait(self._room, min(SILENT_ROOM_REFRESH_S, timeout_s))
        if not happened and timeout_s >= SILENT_ROOM_REFRESH_S:
            await self._arbiter.refresh(self._room)

    async def _next_proof(self, view: RoomView) -> Proof | None:
        """Wait until something happens or a proof is found.

        Positions are examined in order. The first one that is proved ends the game, even if the players have moved on.
        """
        waiting = asyncio.create_task(self._wait())
        try:
            if self._proving is None and self._prover is not None and self._has_unexamined_position(view):
                self._examined += 1
                states = view.states[: self._examined + 1]
                self._proving = asyncio.create_task(self._prover.prove(self._plan.create(), states))
            if self._proving is None:
                await waiting
                return None
            await asyncio.wait({self._proving, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not self._proving.done():
                return None
            proof, self._proving = self._proving.result(), None
            return None if proof is None else {"ply": self._examined, **proof}
        finally:
            waiting.cancel()

    def _has_unexamined_position(self, view: RoomView) -> bool:
        """Return whether a position before the end of the game has not been examined yet."""
        if self._prover is None or view.game is None or self._examined >= view.ply:
            return False
        return self._examined < view.ply - 1 or ending(view.game, view.states) is None
