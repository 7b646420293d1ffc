"""Client: what rooms need of a connection. server/transport/connection.py implements it; tests may too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from protocol.replies import Snapshot
from protocol.types import ErrorCode, Message, Player

if TYPE_CHECKING:
    from server.rooms.live_room import Live


class Peer(Protocol):
    player: Player | None  # None before the welcome
    text: bool  # it speaks JSON
    rooms: dict[str, Live]  # where it plays or watches
    latency: float  # the round trip in seconds, as our own pings measured it

    def write(self, frames: bytes) -> int:
        """Whole frames in the peer's encoding, at once; how many bytes wait to be read then, 0 if they are few."""

    def send(self, message: Message) -> None: ...

    def refuse(
        self,
        id: int | None,
        code: ErrorCode,
        text: str,
        retry_after: float | None = None,
        snapshot: Snapshot | None = None,
    ) -> None: ...

    def backlog(self) -> int:
        """How many bytes wait to be read by the other side."""

    def cut(self, code: int, reason: str) -> None:
        """Close the connection; without ceremony if the other side does not read."""


def require(peer: Peer) -> Player:
    assert peer.player is not None, "the desk lets nobody in before the welcome"
    return peer.player
