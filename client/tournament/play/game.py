"""One game from its room to its result."""

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

SILENT_ROOM_REFRESH_S = 20.0  # seconds after which a room where nothing happens is looked at
LATE_PLAYER_WAIT_S = 5.0  # seconds for somebody who did not come the last time
Proof = dict[str, Any]


class NoResult(Exception):
    """The room has come to nothing: the game has to be played in another one."""


class GameSupervisor:
    """`late`: players who did not come to their last game, and are not waited for as long any more."""

    def __init__(
        self, arbiter: Arbiter, plan: Plan, folder: Folder, game: Pairing, late: set[str], prover: Prover | None
    ) -> None:
        self._arbiter, self._plan, self._folder, self._late = arbiter, plan, folder, late
        self.game, self._prover = game, prover
        self._room = ""
        self._proving: asyncio.Task[Proof | None] | None = None
        self._examined = 0  # the ply up to which nothing could be proved

    async def play(self, room: str) -> Result | None:
        """The result; None if there is none, and the game has to be played again."""
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
            table = await self._table()
            if table.status == "ended":
                return await self._ended(table)
            if table.status == "running" and running_since is None:
                running_since = self._arbiter.now()
                self._late.difference_update(self.game.seats)
            spent = self._arbiter.now() - (began if running_since is None else running_since)
            result = await (self._waiting if table.status == "waiting" else self._running)(table, spent)
            if result is not None:
                return result

    async def _table(self) -> RoomView:
        table = await self._arbiter.watch(self._room)
        if table is None:
            raise NoResult
        return table

    async def _waiting(self, table: RoomView, spent: float) -> Result | None:
        """Until both are here, or we have waited for long enough."""
        late = not self._late.isdisjoint(self.game.seats)
        limit = min(LATE_PLAYER_WAIT_S, self._plan.wait) if late else self._plan.wait
        absent = [
            name for name, seat in zip(self.game.seats, table.seats, strict=True) if seat is None or not seat.online
        ]
        if spent < limit or not absent:
            await self._wait(max(0.1, limit - spent))
            return None
        self._late.update(absent)
        return await self._stop(absent, "absent")

    async def _running(self, table: RoomView, spent: float) -> Result | None:
        """Until the next move, or the proof that no more of them are needed."""
        if spent >= self._plan.longest:
            return await self._stop([self.game.seats[table.turn]], "time")
        proof = await self._proof(table)
        if proof is None:
            return None
        await self._abort()
        return adjudicated_result(self._room, await self._arbiter.export_record(self._room), proof)

    async def _ended(self, table: RoomView) -> Result:
        while self._proving is not None or self._has_unexamined(table):  # a proof may have come too late
            proof = await self._proof(table)
            if proof is not None:
                return adjudicated_result(self._room, await self._arbiter.export_record(self._room), proof)
        if table.result == "*":
            raise NoResult
        return finished_result(self.game, table, await self._arbiter.export_record(self._room), self._folder)

    # -- ends that we bring about

    async def _stop(self, guilty: list[str], reason: str) -> Result | None:
        """End a game that would not end by itself; None if it has done so after all."""
        table = await self._abort()
        if table.reason != "aborted":
            return None
        return forfeited_result(self.game, self._room, await self._arbiter.export_record(self._room), guilty, reason)

    async def _abort(self) -> RoomView:
        """The table of a game that is over now."""
        if not await self._arbiter.abort(self._room):
            raise NoResult  # we have no say in it any more
        while (table := await self._table()).status != "ended":
            await self._wait()
        return table

    async def _wait(self, most: float = SILENT_ROOM_REFRESH_S) -> None:
        if not await self._arbiter.wait(self._room, min(SILENT_ROOM_REFRESH_S, most)) and most >= SILENT_ROOM_REFRESH_S:
            await self._arbiter.refresh(self._room)

    async def _proof(self, table: RoomView) -> Proof | None:
        """Wait for something to happen, or for a proof. Every position is looked at, one after the other.

        So the first one that can be proved ends the game, however quickly the players go on meanwhile.
        """
        waiting = asyncio.create_task(self._wait())
        try:
            if self._proving is None and self._prover is not None and self._has_unexamined(table):
                self._examined += 1
                states = table.states[: self._examined + 1]
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

    def _has_unexamined(self, table: RoomView) -> bool:
        """Whether there is a position before the game's end that may be proved."""
        if self._prover is None or table.game is None or self._examined >= table.ply:
            return False
        return self._examined < table.ply - 1 or ending(table.game, table.states) is None
