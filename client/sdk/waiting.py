"""A command without its answer, which may outlive the connection it was sent over."""

from __future__ import annotations

import time
from asyncio import Future

from client.sdk.errors import Cut, Refused, SessionError
from protocol.commands import (
    Abort,
    Command,
    Export,
    History,
    Join,
    Leaderboard,
    Leave,
    List,
    Lobby,
    Move,
    Ratings,
    Resign,
    Watch,
)
from protocol.replies import Error, Ok

# What may be sent twice: the second time changes nothing, or says that the first one was done.
REPEATABLE = (
    Move, Join, Watch, Leave, List, Lobby, History, Leaderboard, Ratings, Export, Resign, Abort
)  # fmt: skip
DONE_ALREADY = {Join: "already_seated", Leave: "not_seated", Resign: "game_over", Abort: "game_over"}


class Waiting:
    def __init__(self, command: Command, answer: Future[Ok]) -> None:
        self.command, self.answer = command, answer
        self.sent = False
        self._again = False  # it may have arrived twice
        self.since = 0.0

    def on_its_way(self) -> None:
        self._again, self.sent, self.since = self.sent, True, time.monotonic()

    def cut(self) -> None:
        """The connection is gone: what may be sent again waits for the next."""
        if self.sent and not isinstance(self.command, REPEATABLE):
            self.fail(Cut("the connection was lost before the answer came"))

    def fail(self, error: SessionError) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)
            self.answer.exception()  # whoever asked may have gone away

    def resolve(self, reply: Ok | Error) -> float:
        """How long it took, in seconds."""
        if not self.answer.done():
            if isinstance(reply, Ok):
                self.answer.set_result(reply)
            elif self._again and self._was_done(reply):
                seq = 0 if reply.snapshot is None else reply.snapshot.seq
                self.answer.set_result(Ok(id=self.command.id, seq=seq))
            else:
                self.answer.set_exception(Refused(reply))
        return time.monotonic() - self.since

    def _was_done(self, error: Error) -> bool:
        """The first copy had arrived after all, and this is the answer to the second."""
        command, seen = self.command, error.snapshot
        if not isinstance(command, Move):
            return DONE_ALREADY.get(type(command)) == error.code
        if error.code == "game_over":
            return True  # whether by this very move or not, the table tells
        played = () if seen is None else seen.moves[command.ply : command.ply + 1]
        return bool(played) and played[0].side == seen.your_seat and played[0].move == command.move  # type: ignore[union-attr]
