"""Errors of a session. Every message is one sentence that can be shown to a user as it is."""

from __future__ import annotations

from protocol.replies import Error, Snapshot
from protocol.types import ErrorCode


class SessionError(Exception):
    """Base class: the server cannot be reached, or refused a command."""


class Refused(SessionError):
    """The server answered with `error`. `code` is for programs, the message for people."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.text)
        self.code: ErrorCode = error.code
        self.retry_after: float | None = error.retry_after
        self.snapshot: Snapshot | None = error.snapshot


class ReplyTimeout(SessionError):
    """The server did not reply in time."""


class ConnectionLost(SessionError):
    """The connection was lost before the reply arrived. The server may or may not have executed the command."""


class NoServer(SessionError):
    """No Parlour server can be reached at the address."""


class Closed(SessionError):
    """The session was closed by its user."""
