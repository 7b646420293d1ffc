"""The interface of a store: rooms, ratings, sessions, accounts and nodes.

The key (room, seq) fences writers. No node owns a room: an append whose seq is already taken raises `Conflict`. The
node then reads the events it missed and decides again.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from asyncio import Future, get_running_loop
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

from server.domain.downtime import Downtime
from server.domain.ratings import RatingRow
from server.storage.account_keys import AccountKey
from server.storage.reviews import ReviewRow
from server.storage.tables import Row, Table


class Conflict(Exception):
    """An event with this seq already exists."""


class Unavailable(Exception):
    """The store cannot do this now, and nothing was written. The text says why."""


class ReadTimeout(Unavailable):
    """A read took too long and was stopped. The store itself works."""

    def __init__(self) -> None:
        super().__init__("the search took too long; try again later, or ask for less")


class StoreError(Exception):
    """The store cannot be used at all. The text is one sentence for the operator."""


LOCK_TIMEOUT_S = 10.0
BUSY_TIMEOUT_S = 2.0  # while another process has a file locked
DB_HINT = "give --db the value that the server was started with"
OLDER_SCHEMA = "{} has schema {}, and this Parlour needs {}: start the server once, which updates the database"


class RoomRow(NamedTuple):
    """The row of a room in the index. It is written in the transaction of the event that changes it."""

    room: str
    game: str
    status: str
    result: str
    private: bool
    players: tuple[str, str]
    names: tuple[str, str]  # folded; of the players, or of the players that a waiting room keeps its seats for
    deadline: int | None  # never later than the room's own deadline, usually a little earlier
    changed_at: int  # when the room got its status
    info: bytes


class Append:
    """Events to write after seq `after`, all or none.

    `row`: the room's new row in the index. `also`: an append to another room in the same transaction.
    `ratings`: the ratings after the game that ends here. `event_only`: there is one event and nothing else.
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
    """What a resume secret restores."""

    player: str
    name: str
    account: str  # the name of the account, empty for a guest


class PlayerRooms(NamedTuple):
    """The rooms that concern a player who connects."""

    seated: list[str]  # open rooms in which the player has a seat
    waiting: list[str]  # waiting rooms, including private ones, that keep a seat for the player's name


class ReturningPlayer(NamedTuple):
    """What the store knows of a player who resumes a session."""

    session: Session
    saved_at: int  # when the session was created or renewed
    name_owner: str | None  # the player whose active account has the session's name
    rooms: PlayerRooms
    account_change: int = 0  # as in Account; 0 for a guest


class LostPlayer(NamedTuple):
    """A player whose node has died."""

    player: str
    seen_at: int  # the last heartbeat of that node


class Account(NamedTuple):
    """An account. `change`: the number of its latest change, when its token was read."""

    name: str
    player: str
    created_at: int
    revoked_at: int | None
    change: int = 0


class AccountChange(NamedTuple):
    """An account that was added or revoked, or whose token was replaced.

    Changes are numbered from 1 in the order in which they were written.
    """

    number: int
    account: Account


Done = Callable[[Exception | None], None]
OnCommit = Callable[[float, int], None]  # the duration of a transaction in seconds, and the number of its jobs


class Store(Protocol):
    """What the server needs from a database. Every method that reads or writes may raise Unavailable."""

    @property
    def shared(self) -> bool:
        """Whether several nodes can use this store at the same time."""

    async def open(self, create: bool = True, serving: bool = False, read_only: bool = False) -> bool:
        """Connect and migrate. Return whether the database is new.

        `serving`: this process runs the games. If only one server can use the store, it is locked for this one.
        `read_only`: change nothing; a database with an older schema is refused.

        Raises StoreError if the database cannot be used, or if it does not exist and `create` is false.
        """

    async def close(self) -> None:
        """Write the queued jobs, then disconnect."""

    async def find_damage(self, table: str = "") -> str:
        """Check the database, or one table. Return a sentence for the operator if it is damaged, else an empty text."""

    async def find_broken_pages(self) -> list[str]:
        """Return what the database itself finds wrong with its pages and indexes, a sentence each."""

    def check(self) -> None:
        """Raise Unavailable if what is written now would be lost: the database was deleted or replaced."""

    def fail_fast(self) -> None:
        """Reject all further writes as soon as one fails: the server is shutting down."""

    async def flush(self) -> None:
        """Wait until no job is queued."""

    def append(self, append: Append, done: Done) -> None:
        """Queue an append. Call `done` with None once it is durable, otherwise with Conflict or Unavailable.

        A callback, because a future for every move would cost as much as deciding the move.
        """

    @property
    def queued(self) -> int:
        """The number of jobs that are not durable yet."""

    @property
    def write_age_s(self) -> float:
        """Seconds since the current write began, 0 if there is none."""

    async def events(self, room: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return the events of a room that follow seq `after`, or the first of them."""

    async def latest_seqs(self, rooms: list[str]) -> dict[str, int]:
        """Return the seq of the latest event of each room that exists."""

    async def rooms(self, game: str, status: str, limit: int) -> list[bytes]:
        """Return the infos of public rooms, newest first. An empty status selects the open rooms."""

    async def history(self, game: str, name: str, before: int | None, limit: int) -> list[tuple[int, bytes]]:
        """Return end time and info of finished public games, latest first.

        May return more than `limit`: games that ended in the same millisecond are not split between pages.
        """

    async def last_opponent(self, player: str, name: str) -> str:
        """Return the current or the last opponent of a player, empty if there is none."""

    async def rooms_of(self, player: str) -> list[str]:
        """Return the open rooms in which a player is seated."""

    async def rooms_for(self, player: str, name: str) -> PlayerRooms:
        """Return the rooms that concern a player with this id and name."""

    async def due(self, before: int) -> list[tuple[str, int]]:
        """Return the rooms whose indexed deadline has passed, with that deadline."""

    async def postpone(self, room: str, was: int, due: int) -> None:
        """Set the indexed deadline to `due` if it is still `was`."""

    async def unfinished_rooms(self, status: str = "") -> list[str]:
        """Return all rooms that wait or run, or those of one status."""

    async def has_running_rooms(self) -> bool:
        """Return whether a game is running."""

    async def ratings(self, profile: str, players: list[str]) -> dict[str, RatingRow]:
        """Return the latest rating of each player who has one."""

    async def leaders(self, profile: str, now: int, limit: int) -> list[tuple[str, RatingRow]]:
        """Return names and ratings of active accounts: established ratings first, then provisional ones, best first."""

    async def rating_history(self, profile: str, player: str, before: int | None, limit: int) -> list[RatingRow]:
        """Return a player's ratings, latest first; with `before`, those after fewer games than that."""

    async def save_session(self, secret: str, session: Session, now: int, account_change: int = 0) -> bool:
        """Create or renew a session. Return False if its account has changed after `account_change`, as in Account."""

    async def load_session(self, secret: str) -> ReturningPlayer | None:
        """Return the session of a resume secret, and what its player needs to continue."""

    async def add_account(self, name: str, player: str, token: str, now: int) -> bool:
        """Create an account. Return False if the name is taken."""

    async def revoke_account(self, name: str, now: int) -> bool:
        """Revoke an account's token. Return False if there is no such account."""

    async def rotate_account(self, name: str, token: str) -> bool:
        """Replace an account's token, and end its sessions. Return False if there is no such account."""

    async def accounts(self) -> list[Account]:
        """Return all accounts, including revoked ones, oldest first."""

    async def account_changes(self, after: int) -> list[AccountChange]:
        """Return the accounts that have changed after the change with this number, in order."""

    async def last_account_change(self) -> int:
        """Return the number of the newest change of accounts, or 0 if there is none."""

    async def account_of_token(self, token: str) -> Account | None:
        """Return the active account of a token."""

    async def account_named(self, name: str) -> Account | None:
        """Return the active account of a name."""

    # Public keys for SSH: see server/storage/account_keys.py.

    async def add_account_key(self, key: AccountKey) -> bool: ...

    async def account_of_key(self, fingerprint: str) -> str: ...

    async def account_keys(self) -> list[AccountKey]: ...

    async def remove_account_key(self, fingerprint: str) -> None: ...

    async def mark_alive(self, node: str, now: int, on_bus: bool = True) -> bool:
        """Record a node's heartbeat. Return False if the node was unknown, or removed as dead.

        `on_bus`: whether the bus takes the node's messages to the others in time.
        """

    async def mark_dead(self, node: str) -> None:
        """Record that a node has died, without waiting until its heartbeat is overdue."""

    async def has_living_node(self, since: int, until: int) -> bool:
        """Return whether the last heartbeat of a node is from this time, and the node is not known to be dead."""

    async def last_alive(self) -> int | None:
        """Return the time of the latest heartbeat or start of any node, alive or dead."""

    async def add_downtime(self, downtime: Downtime, turn_lag_ms: int, latest: int) -> None:
        """Record that no node was running. Postpone the indexed deadlines of running games, at most to `latest`.

        No turn began later than `turn_lag_ms` after the downtime had begun, or after the start of its game if that was
        later. A game without a deadline gets `latest`.
        """

    async def downtimes(self) -> list[Downtime]:
        """Return all recorded downtimes, oldest first."""

    async def move_times(self, ms: int, now: int) -> None:
        """Adapt to a clock that was changed: move the times of sessions, drop heartbeats and starts in the future."""

    # For reviews: see server/storage/reviews.py.

    async def review(self, room: str) -> ReviewRow | None: ...

    async def request_review(self, room: str, player: str, now: int, limit: int) -> bool: ...

    async def last_review_request(self, player: str) -> int: ...

    async def count_reviews_before(self, asked_at: int) -> int: ...

    async def take_review(self, now: int, until: int) -> tuple[str, int] | None: ...

    async def keep_review(self, room: str, until: int) -> bool: ...

    async def release_review(self, room: str, attempts: int) -> None: ...

    async def release_reviews(self) -> None: ...

    async def save_review(self, room: str, review: bytes) -> bool: ...

    async def drop_review(self, room: str) -> None: ...

    # For retention: see server/storage/retention_queries.py.

    async def count_prunable(self, aborted_before: int, sessions_before: int) -> tuple[int, int]: ...

    async def aborted_rooms(self, before: int, limit: int) -> list[str]: ...

    async def delete_rooms(self, rooms: list[str]) -> None: ...

    async def renew_sessions(self, players: list[str], now: int, before: int) -> None: ...

    async def delete_sessions(self, before: int, limit: int) -> int: ...

    async def ended_rooms(self, after: tuple[int, str], before: int, limit: int) -> list[tuple[int, str]]: ...

    async def chat_of(self, rooms: list[str]) -> list[tuple[str, int, bytes]]: ...

    async def replace_event(self, room: str, seq: int, payload: bytes) -> None: ...

    async def retention_mark(self, task: str) -> tuple[int, str]: ...

    async def set_retention_mark(self, task: str, at: int, room: str = "") -> None: ...

    async def sizes(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return the number of rows by table, and the number of bytes by table or file."""

    async def key(self, name: str) -> bytes:
        """Return a key that all nodes of the store share. The first node that asks creates it."""

    # For `parlour db`: see server/storage/tables.py.

    async def read_rows(self, table: Table, after: Row = (), until: Row = (), limit: int = 0) -> list[Row]: ...

    async def rows_of(self, table: Table, rooms: Sequence[str]) -> list[Row]: ...

    async def replace_rows(self, table: Table, after: Row, until: Row, rows: Sequence[Row]) -> None: ...

    async def unfinished_copy(self) -> str: ...

    async def begin_copy(self, source: str, now: int) -> None: ...

    async def end_copy(self, now: int) -> None: ...

    async def put_rooms(self, rooms: Sequence[Row], events: Sequence[Row], reviews: Sequence[Row]) -> None: ...

    async def remove_rooms(self, rooms: Sequence[str]) -> None: ...

    async def set_archive(self, row: Row) -> None: ...

    async def prepare_log(self, months: Sequence[str]) -> None:
        """Make sure that the log has a partition for each of these months, if it has partitions."""

    async def drop_month(self, month: str, rooms: int) -> bool:
        """Drop the partition of a month, and the rooms, if all have ended and their number is `rooms`.

        Return False if that cannot be done: remove the rooms by themselves then.
        """

    async def back_up(self, target: str) -> int:
        """Copy the database into a new file. Return the size of that. Raises StoreError if it cannot."""

    # For nodes that share a store. A store that is not shared does little here.

    def lock(self, what: str, wait_s: float = LOCK_TIMEOUT_S) -> AbstractAsyncContextManager[None]:
        """Return a lock, by name, that one node at a time can hold.

        Entering it raises Unavailable if the store fails, or if nodes on other machines hold the lock for longer than
        `wait_s`.
        """

    async def time(self) -> int | None:
        """Return the time of the store's clock, None if it has none."""

    async def mark_present(self, node: str, people: list[tuple[str, str]]) -> None:
        """Record that players, each with a name, are connected to a node."""

    async def claim_name(self, node: str, player: str, name: str) -> bool:
        """Record that a player is connected. Return False if another connected player, on any node, has this name."""

    async def player_named(self, name: str) -> str:
        """Return the player whose account has this name, or who is connected under it at any node; "" for none."""

    async def mark_absent(self, node: str, player: str, name: str) -> None:
        """Record that a player has disconnected from a node."""

    async def forget_present(self) -> None:
        """Forget the connected players of an earlier run, if this server is the only one that uses the store."""

    async def lost_players(self, before: int) -> list[LostPlayer]:
        """Return the players who are connected only to nodes that are dead or without a heartbeat since this time."""

    async def remove_dead_nodes(self, before: int) -> None:
        """Remove nodes that are dead or without a heartbeat since this time, with the players connected to them."""

    async def seen_at(self, player: str, node: str) -> int | None:
        """Return the last heartbeat of the nodes to which a player is connected, or None if it is only `node`."""

    async def living_nodes(self, since: int) -> dict[str, bool]:
        """Return whether each living node is on the bus: each with a heartbeat since this time that has not died.

        A node of an earlier version does not say so, and counts as on the bus.
        """


def append_and_wait(store: Store, append: Append) -> Future[None]:
    """Return a future for an append. Raises Conflict or Unavailable."""
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
    """Return the hash under which a secret is stored. Secrets are long and random, so no salt is needed."""
    return hashlib.sha256(secret.encode()).digest()


def new_secret() -> str:
    """Return a long random secret. It has no leading dash, so it can be the value of a flag."""
    return secrets.token_hex(24)


def without_password(address: str) -> str:
    """Return the address of a database or a broker without its password, for the log."""
    return re.sub(r"(://[^:/?#]*):[^@/]*@", r"\1@", re.sub(r"(?i)(password)=[^&]*", r"\1=…", address))
