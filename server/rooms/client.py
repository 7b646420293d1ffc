"""Client: what rooms need of a connection. server/transport implements it; tests may too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from protocol.replies import Snapshot
from protocol.types import ErrorCode, Message, Player

if TYPE_CHECKING:
    from server.rooms.live_room import LiveRoom
    from server.vouchers import Voucher


class Client(Protocol):
    """One connection of a player or a watcher."""

    player: Player | None  # None before the welcome
    account_change: int  # the latest change of its account that it knew; an older token or session is not valid
    address: str  # where the client connects from; clients of one IPv6 network share it
    voucher: Voucher | None  # what the SSH service vouches for
    text: bool  # whether the client speaks JSON rather than msgpack
    wishes: frozenset[str]  # what the client wants in addition to plain messages
    rooms: dict[str, LiveRoom]  # where the client plays or watches
    latency: float  # round trip in seconds that the clock may credit
    allowance: int  # the factor by which its limits are higher: 1, unless the operator named the account as an arbiter

    def write(self, frames: bytes) -> int:
        """Write whole frames at once, and return the number of bytes still buffered (0 if few)."""

    def send(self, message: Message) -> None:
        """Encode and write one message."""

    def refuse(
        self,
        id: int | None,
        code: ErrorCode,
        text: str,
        retry_after: float | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        """Send an `error` for the command with this id."""

    def charge(self, weight: int) -> tuple[float, float]:
        """Charge for a command of this weight, of which its message has paid 1.

        Return the seconds after which the client may send it again, 0.0 if it is accepted, and the seconds to wait
        before the work.
        """

    def charge_done(self, weight: float) -> None:
        """Spend more of the rate limit for work that is done, even if the limit is used up already."""

    def pace(self, weight: float) -> float:
        """Return the seconds to wait before a step of work: the clients of one address share a pace."""

    def raise_limits(self, allowance: int) -> None:
        """Multiply the limits of the client, and give it a budget apart from that of its address."""

    def backlog(self) -> int:
        """Return the number of bytes that the other side has not read yet."""

    def cut(self, code: int, reason: str) -> None:
        """Close the connection; abort it if the other side does not read."""


def player_of(client: Client) -> Player:
    """Return the player of a client that has been welcomed."""
    assert client.player is not None, "the dispatcher accepts only hello before the welcome"
    return client.player
