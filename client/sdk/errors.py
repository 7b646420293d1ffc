"""What can go wrong between a client and a server. Every text is one sentence that can be shown as it is."""

from __future__ import annotations

from protocol.replies import Error, Snapshot
from protocol.types import ErrorCode


class SessionError(Exception):
    """The server cannot be reached, or said no."""


class Refused(SessionError):
    """The answer was `error`: its code for programs, its text for people."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.text)
        self.code: ErrorCode = error.code
        self.retry_after: float | None = error.retry_after
        self.snapshot: Snapshot | None = error.snapshot


class ReplyTimeout(SessionError):
    """No answer within the time."""


class ConnectionLost(SessionError):
    """The connection was lost before the answer came; whether the command was done is not known."""


class NoServer(SessionError):
    """Nobody can be reached at that address, or it is no server of ours."""


class Closed(SessionError):
    """The session was closed by its user."""
