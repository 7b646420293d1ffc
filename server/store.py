"""Where rooms, sessions and accounts are kept: the contract of a store, and the way to the one that is asked for.

The key (room, seq) is the fence. Nobody owns a room: whoever appends an event behind a seq that has an event already
was too late, gets `Conflict`, reads what it missed and decides again.
"""

from __future__ import annotations

import hashlib
import secrets
from asyncio import Future, get_running_loop
from collections.abc import Callable
from typing import NamedTuple, Protocol


class Conflict(Exception):
    """Someone else has written an event of this seq."""


class Unavailable(Exception):
    """The store cannot write now; nothing of what was asked has happened. The text says why."""


class StoreError(Exception):
    """The store cannot be used at all; the text is one sentence for whoever started the server."""


class RoomRow(NamedTuple):
    """The line of a room in the index. It changes in the same transaction as the event that changes it."""

    room: str
    game: str
    status: str
    result: str
    private: bool
    players: tuple[str, str]
    names: tuple[str, str]
    deadline: int | None  # not later than the room's own, and as a rule a little behind it
    changed_at: int
    info: bytes


class Append(NamedTuple):
    """Events that belong behind `after`, all of them or none. `also`: another room's, in the same transaction."""

    room: str
    after: int
    payloads: tuple[bytes, ...]
    line: RoomRow | None = None
    also: Append | None = None


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
    async def open(self) -> None: ...

    async def close(self) -> None:
        """Write what is queued, then let go."""

    async def settled(self) -> None:
        """Once nothing is queued any more."""

    def append(self, append: Append, done: Done) -> None:
        """Calls `done` in the event loop once the events are durable, or with Conflict or Unavailable.

        A call and not a future, since a future for every move costs as much as judging the move.
        """

    @property
    def queued(self) -> int: ...

    async def events(self, room: str, after: int = 0) -> list[bytes]: ...

    async def rooms(self, game: str, status: str, limit: int) -> list[bytes]:
        """The infos of public rooms, the newest first; without a status those that have not ended."""

    async def history(self, game: str, name: str, before: int | None, limit: int) -> list[tuple[int, bytes]]:
        """When finished public games ended, and their infos, the latest first."""

    async def rooms_of(self, player: str) -> list[str]:
        """The open rooms in which a player sits."""

    async def due(self, before: int) -> list[tuple[str, int]]:
        """The rooms whose deadline in the index has passed, and that deadline."""

    async def postpone(self, room: str, was: int, due: int) -> None:
        """Change the deadline in the index, if it is still what it was."""

    async def unfinished(self) -> list[str]: ...

    async def save_session(self, secret: str, session: Session, now: int) -> None: ...

    async def forget_sessions(self, before: int) -> None: ...

    async def session(self, secret: str) -> Session | None: ...

    async def add_account(self, name: str, player: str, token: str, now: int) -> bool:
        """False if the name belongs to someone."""

    async def revoke_account(self, name: str, now: int) -> bool: ...

    async def accounts(self) -> list[Account]: ...

    async def account_of_token(self, token: str) -> Account | None: ...

    async def account_named(self, name: str) -> Account | None: ...

    async def mark_alive(self, node: str, now: int) -> None: ...

    async def last_alive(self) -> int | None:
        """When any node was last known to be there."""


def appended(store: Store, append: Append) -> Future[None]:
    """An append to wait for."""
    future: Future[None] = get_running_loop().create_future()

    def done(error: Exception | None) -> None:
        if not future.done():
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)

    store.append(append, done)
    return future


def digest(secret: str) -> bytes:
    """How secrets are kept: they are long and random, so a plain hash tells nothing."""
    return hashlib.sha256(secret.encode()).digest()


def new_secret() -> str:
    return secrets.token_urlsafe(24)


Commit = Callable[[float, int], None]  # how long a transaction took, and how many jobs were in it


def open_store(where: str, on_commit: Commit = lambda seconds, jobs: None) -> Store:
    """The store for what `--db` says."""
    if "://" in where:
        raise StoreError(f"--db takes the name of a file, and {where.partition('://')[0]}:// is none")
    from server.sqlite.store import SqliteStore

    return SqliteStore(where, on_commit)
