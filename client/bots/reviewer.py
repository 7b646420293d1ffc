"""The reviewer: takes finished games from a server, one at a time, and submits a review of each.

The search runs in a thread. Its results are sent while it goes on, so the server knows that this process works and can
tell the players how far it is.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from client.sdk.errors import Refused, SessionError
from client.sdk.events import Connected
from client.sdk.session import Session
from engine.errors import GameError
from engine.record import parse
from engine.review import Budget, MoveReview, Review, review
from engine.review.report import ESTIMATE_DIGITS
from engine.review.reviewer import Cancelled
from engine.review.values import TABLE_MB
from protocol.commands import SubmitReview, TakeReview
from protocol.replies import ReviewTask
from protocol.types import ReviewedMove, ReviewSummary
from runtime.printable import printable
from runtime.threads import in_thread

DEFAULT_BUDGET = Budget(nodes=300_000, seconds=60.0)
SUBMIT_INTERVAL_S = 0.5  # between parts of a review
MAX_SILENCE_S = 10.0  # after that, the server gets a part without moves
MOVES_PER_PART = 12  # with their lines they stay far below the limit of a message
MAX_PROBLEM_CHARS = 200
MAX_WORDS_CHARS = 200
COST_DIGITS = 6  # the accuracy follows from the sum of all costs

Notify = Callable[[str], None]


class Reviewer:
    """Reviews games until cancelled. `table_mb` and `compiled`: as in engine.review. `notify` gets a line of each."""

    def __init__(
        self,
        session: Session,
        budget: Budget = DEFAULT_BUDGET,
        table_mb: float = TABLE_MB,
        compiled: bool | None = None,
        notify: Notify = lambda text: None,
    ) -> None:
        self._session, self._budget, self._search = session, budget, (table_mb, compiled)
        self._notify = notify
        self._task: asyncio.Task[None] | None = None
        self._error: SessionError | None = None

    async def run(self) -> None:
        """Take games and review them until cancelled. Raises SessionError if the server refuses this client."""
        self._session.start()
        try:
            async for event in self._session:
                if isinstance(event, Connected):
                    await self._stop()  # what it was doing is for another reviewer now
                    self._start(self._take())
                elif isinstance(event, ReviewTask):
                    self._start(self._review(event))
            if self._error is not None:
                raise self._error
        finally:
            await self._stop()
            await self._session.close()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.create_task(self._report_error(work))

    async def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _report_error(self, work: Coroutine[Any, Any, None]) -> None:
        """End the run if the server refuses this client. After a lost connection it continues with the next one."""
        try:
            await work
        except Refused as error:
            self._error = error
            await self._session.close()
        except SessionError:
            pass

    async def _take(self) -> None:
        await self._session.ask(TakeReview(id=self._session.id()))

    async def _review(self, task: ReviewTask) -> None:
        """Review a game, submit the result, and take the next game."""
        try:
            await self._submit_review(task)
        except Refused as error:  # the server no longer wants it
            self._notify(f"room {task.room}: {error}")
        await self._take()

    async def _submit_review(self, task: ReviewTask) -> None:
        """Search, and submit moves as they are found."""
        found: deque[MoveReview] = deque()
        cancel = threading.Event()
        searching = in_thread(lambda: self._run_search(task.record, found, cancel))
        loop = asyncio.get_running_loop()
        sent_at = loop.time()
        try:
            while not searching.done():
                await asyncio.wait({searching}, timeout=SUBMIT_INTERVAL_S)
                if found or loop.time() - sent_at > MAX_SILENCE_S:
                    sent_at = loop.time()
                    await self._submit(task.room, found)
            result = searching.result()
        finally:
            cancel.set()
        if isinstance(result, str):
            self._notify(f"room {task.room}: not reviewed, {result}")
            await self._session.ask(SubmitReview(id=self._session.id(), room=task.room, problem=result))
            return
        while found:
            await self._submit(task.room, found)
        summary = summary_of(result)
        await self._session.ask(SubmitReview(id=self._session.id(), room=task.room, summary=summary))
        self._notify(f"room {task.room}: {len(result.moves)} moves reviewed")

    def _run_search(self, text: str, found: deque[MoveReview], cancel: threading.Event) -> Review | str:
        """Return the review of a record, or why there is none. Runs in a thread."""
        table_mb, compiled = self._search
        try:
            return review(
                parse(text), self._budget, cancel=cancel, table_mb=table_mb, compiled=compiled, found=found.append
            )
        except GameError as error:
            return printable(str(error))[:MAX_PROBLEM_CHARS]
        except Cancelled:
            return "cancelled"

    async def _submit(self, room: str, found: deque[MoveReview]) -> None:
        """Submit some of the moves that were found, or tell the server that the search is still running."""
        moves = [found.popleft() for _ in range(min(MOVES_PER_PART, len(found)))]
        await self._session.ask(SubmitReview(id=self._session.id(), room=room, moves=tuple(map(reviewed_move, moves))))


def reviewed_move(move: MoveReview) -> ReviewedMove:
    """Return the review of a move as a part of a message."""
    return ReviewedMove(
        ply=move.ply,
        side=move.side,
        move=move.move,
        best=move.best,
        line=move.line,
        value=rounded(move.value),
        value_proved=move.value_proved,
        played=rounded(move.played),
        played_proved=move.played_proved,
        loss=rounded(move.loss),
        chance=rounded(move.chance),
        cost=round(move.cost, COST_DIGITS),
        judgement=move.judgement,
        depth=None if move.value_proved else move.depth,
        words=move.words[:MAX_WORDS_CHARS],
        also=move.also,
    )


def rounded(number: float) -> float:
    """Return a value with as many digits as people and graphs need."""
    return round(float(number), ESTIMATE_DIGITS)


def summary_of(review: Review) -> ReviewSummary:
    """Return what a review says of the whole game."""
    return ReviewSummary(
        accuracy=(review.accuracy(0), review.accuracy(1)),
        turning_points=tuple(move.ply for move in review.turning_points),
    )
