"""What a session tells its user: what the server says, and how the connection is."""

from __future__ import annotations

from dataclasses import dataclass

from protocol.replies import ServerMessage, Welcome


@dataclass(frozen=True, slots=True)
class Connected:
    """The session is (again) with the server. `again`: as the same player as before."""

    welcome: Welcome
    again: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is gone; the next try is so many seconds away."""

    reason: str
    retry_in: float


SessionEvent = ServerMessage | Connected | Disconnected
