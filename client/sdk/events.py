"""Events that a session yields: messages of the server, and changes of the connection."""

from __future__ import annotations

from dataclasses import dataclass

from protocol.replies import ServerMessage, Welcome


@dataclass(frozen=True, slots=True)
class Connected:
    """The session is connected. `again`: it resumed as the same player as before."""

    welcome: Welcome
    again: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection was lost. The session reconnects in `retry_in` seconds."""

    reason: str
    retry_in: float


SessionEvent = ServerMessage | Connected | Disconnected
