"""Where rooms, sessions and accounts are kept: the contract of a store.

The key (room, seq) is the fence. Nobody owns a room: whoever appends an event behind a seq that has an event already
was too late, gets `Conflict`, reads what it missed and decides again.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from asyncio import Future, get_running_loop
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import NamedTuple, Protocol

from server.domain.ratings import RatingRow


class Conflict(Exception):
    """Someone else has written an event of this seq."""


class Unavailable(Exception):
    """The store cannot write now; nothing of what was asked has happened. The text says why."""


class StoreError(Exception):
    """The store cannot be used at all; the text is one sentence for whoever started the server."""


DB_HINT = "--db should be what the server was started with"


class RoomRow(NamedTuple):
    """The line of a room in the index. It changes in the same transaction as the event that changes it."""

    room: str
    game: str
    status: str
    result: str
    private: bool
    players: tuple[str, str]
    names: tuple[str, str]  # of who plays; while the room waits, of those it waits for; folded
    deadline: int | None  # not later than the room's own, and as a rule a little behind it
    changed_at: int
    info: bytes


class Append:
    """Events that belong behind `after`, all of them or none. `also`: another room's, in the same transaction.

    `ratings`: what the game that ends here does to its players. `plain`: an event and nothing else, as most are.
    """

    __slots__ = ("after", "also", "event_only", "payloads", "ratings", "room", "row")

    def __init__(
        self,
        room: str,
        after: int,
        payloads: tuple[bytes, ...],
        row: RoomRow | None = None,
        also: Append | None = None,
        ratings: tuple[RatingRow, ...] = (),
    ) -> None:
        self.room, self.after, self.payloads, self.row, self.also = room, after, payloads, row, also
        self.ratings = ratings
        self.event_only = len(payloads) == 1 and row is None and also is None and not ratings


class Session(NamedTuple):
    player: str
    name: str
    account: str  # the name of the account, or nothing for a guest


class Account(NamedTuple):
    name: str
    player: str
    created_at: int
    revoked_at: int | None


Done = Callable[[Exception | None], None]


class Store(Protocol):
    @property
    def shared(self) -> bool:
        """Whether other nodes work on the same rooms at the same time."""

    async def open(self, create: bool = True) -> bool:
        """Whether it is a new one, which is only made if it may be; StoreError."""

    async def close(self) -> None:
        """Write what is queued, then let go."""

    async def find_damage(self, table: str = "") -> str:
        """One sentence if what is kept has suffered, as on a bad disk. It looks at everything, or at one table."""

    def fail_fast(self) -> None:
        """The server is about to stop: once something cannot be written, all that follows is refused at once."""

    async def flush(self) -> None:
        """Once nothing is queued any more."""

    def append(self, append: Append, done: Done) -> None:
        """Calls `done` in the event loop once the events are durable, or with Conflict or Unavailable.

        A call and not a future, since a future for every move costs as much as judging the move.
        """

    @property
    def queued(self) -> int: ...

    @property
    def write_age_s(self) -> float:
        """For how many seconds what is being written has been under way."""

    async def events(self, room: str, after: int = 0) -> list[bytes]: ...

    async def latest_seqs(self, rooms: list[str]) -> dict[str, int]:
        """The seq of each room's newest event."""

    async def rooms(self, game: str, status: str, limit: int) -> list[bytes]:
        """The infos of public rooms, the newest first; without a status those that are open."""

    async def history(self, game: str, name: str, before: int | None, limit: int) -> list[tuple[int, bytes]]:
        """When finished public games ended, and their infos, the latest first; all of the last millisecond."""

    async def last_opponent(self, player: str, name: str) -> str:
        """Whom somebody of this name plays, or has played last; nobody if there was none."""

    async def rooms_of(self, player: str) -> list[str]:
        """The open rooms in which a player sits."""

    async def rooms_waiting_for(self, name: str) -> list[str]:
        """The rooms that wait for somebody of this name, private ones too."""

    async def due(self, before: int) -> list[tuple[str, int]]:
        """The rooms whose deadline in the index has passed, and that deadline."""

    async def postpone(self, room: str, was: int, due: int) -> None:
        """Change the deadline in the index, if it is still what it was."""

    async def unfinished_rooms(self) -> list[str]: ...

    async def ratings(self, profile: str, players: list[str]) -> dict[str, RatingRow]:
        """The newest rating of each of these players who has one."""

    async def leaders(self, profile: str, now: int, limit: int) -> list[tuple[str, RatingRow]]:
        """Names and ratings of accounts that exist: who is certain at this time before who is not, the best first."""

    async def rating_history(self, profile: str, player: str, before: int | None, limit: int) -> list[RatingRow]:
        """A player's ratings, the newest first; `before` so many games."""

    async def save_session(self, secret: str, session: Session, now: int) -> None: ...

    async def forget_sessions(self, before: int) -> None: ...

    async def session(self, secret: str) -> Session | None: ...

    async def add_account(self, name: str, player: str, token: str, now: int) -> bool:
        """False if the name belongs to someone."""

    async def revoke_account(self, name: str, now: int) -> bool: ...

    async def accounts(self) -> list[Account]: ...

    async def account_of_token(self, token: str) -> Account | None: ...

    async def account_named(self, name: str) -> Account | None: ...

    async def mark_alive(self, node: str, now: int) -> bool:
        """False for a node that the others did not know, or do not know any more."""

    async def last_alive(self) -> int | None:
        """When any node was last known to be there."""

    # What only nodes beside others need; a store that is not shared has little to do for it.

    def lock(self, what: str) -> AbstractAsyncContextManager[None]:
        """A block that one node at a time goes through."""

    async def time(self) -> int | None:
        """The time of the store, which is the same for all nodes; None if it has none of its own."""

    async def mark_present(self, node: str, people: list[tuple[str, str]]) -> None:
        """These players are connected to this node, under these names."""

    async def claim_name(self, node: str, player: str, name: str) -> bool:
        """A player arrives, unless another one is connected under that name to any node; whether it was free."""

    async def mark_absent(self, node: str, player: str, name: str) -> None: ...

    async def remove_dead_nodes(self, before: int) -> list[str]:
        """Forget the nodes that were last there before this time; the players who were there and nowhere else."""


def as_future(begin: Callable[[Done], None]) -> Future[None]:
    """Something to wait for that calls back when it is done."""
    future: Future[None] = get_running_loop().create_future()

    def done(error: Exception | None) -> None:
        if not future.done():
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)

    begin(done)
    return future


def append_and_wait(store: Store, append: Append) -> Future[None]:
    """An append to wait for."""
    return as_future(partial(store.append, append))


def digest(secret: str) -> bytes:
    """How secrets are kept: they are long and random, so a plain hash tells nothing."""
    return hashlib.sha256(secret.encode()).digest()


def new_secret() -> str:
    """Long, random, and without the dash that a command line would take for a flag."""
    return secrets.token_hex(24)


OnCommit = Callable[[float, int], None]  # how long a transaction took, and how many jobs were in it


def without_password(address: str) -> str:
    """The address of a database or a broker as it may be logged."""
    return re.sub(r"(://[^:/?#]*):[^@/]*@", r"\1@", re.sub(r"(?i)(password)=[^&]*", r"\1=…", address))
