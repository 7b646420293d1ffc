"""The tables that make up a database, and how to read and write them row by row. Both stores share this SQL.

`nodes` is one of them, because the time of the last heartbeat says for how long no server was running. `present` is
not: it holds the players who are connected now. Nor is `nodes.on_bus`, which says what is so now, nor `keys`: every
store has its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

ROWS_PER_BATCH = 5000  # of a walk through a table
MAX_VALUES_PER_STATEMENT = 1200  # SQLite needs seconds for a statement with 30,000
MAX_KEY_CHARS = 80  # of a row that is reported
TEXT_KEYS = frozenset({"fingerprint", "room", "profile", "player", "node", "task", "month"})

Row = tuple[Any, ...]
Statements = Sequence[tuple[str, Sequence[Any]]]


class WrongType(Exception):
    """A column has a value of another type than Parlour writes. The text is one sentence for the operator."""


class Table(NamedTuple):
    """A table. Its first columns are its key."""

    name: str
    key_length: int
    columns: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        return self.columns[: self.key_length]


RATING_COLUMNS = ("profile", "player", "games", "rating", "deviation", "volatility", "at", "room")
ROOM_COLUMNS = (
    "room", "game", "status", "result", "private", "player0", "player1", "name0", "name1", "deadline", "changed_at",
    "info",
)  # fmt: skip
ROOMS = Table("rooms", 1, ROOM_COLUMNS)
EVENTS = Table("events", 2, ("room", "seq", "payload"))
RATINGS = Table("ratings", 3, RATING_COLUMNS)
STANDINGS = Table("standings", 2, RATING_COLUMNS)
ACCOUNTS = Table("accounts", 1, ("token", "name", "player", "created_at", "revoked_at", "folded", "change"))
ACCOUNT_KEYS = Table("account_keys", 1, ("fingerprint", "player", "comment", "added_at"))
SESSIONS = Table("sessions", 1, ("secret", "player", "name", "account", "seen_at"))
REVIEWS = Table("reviews", 1, ("room", "asked_by", "asked_at", "taken_until", "attempts", "review"))
ARCHIVES = Table("archives", 1, ("month", "file", "rooms", "events", "archived_at"))
TABLES = (
    ACCOUNTS,
    ACCOUNT_KEYS,
    SESSIONS,
    ROOMS,
    EVENTS,
    REVIEWS,
    RATINGS,
    STANDINGS,
    Table("downtimes", 1, ("ended", "began")),
    Table("nodes", 1, ("node", "alive_at")),
    Table("retention", 1, ("task", "at", "room")),
    ARCHIVES,
)
PRIVATE = ROOM_COLUMNS.index("private")
BYTES = frozenset({"info", "payload", "review", "secret", "token"})
INTEGERS = frozenset(
    {"added_at", "alive_at", "archived_at", "asked_at", "at", "attempts", "began", "change", "changed_at", "created_at",
     "deadline", "ended", "events", "games", "private", "revoked_at", "rooms", "seen_at", "seq", "taken_until"}
)  # fmt: skip
REALS = frozenset({"deviation", "rating", "volatility"})
OPTIONAL = frozenset({"deadline", "review", "revoked_at"})


class Tables(ABC):
    """The part of a store that reads and writes whole rows. `mark` is the store's placeholder: `?` or `$`.

    `byte_order`: makes the database compare texts by their bytes, so that all databases have the same order.
    """

    mark: str
    byte_order: str

    @abstractmethod
    async def _select(self, sql: str, *values: Any) -> list[Any]: ...

    @abstractmethod
    async def _change_together(self, statements: Statements) -> None:
        """Run statements as one transaction."""

    async def read_rows(self, table: Table, after: Row = (), until: Row = (), limit: int = 0) -> list[Row]:
        """Return rows in the order of their keys: those after one key, up to and including another one."""
        where, values = self._between(table, after, until)
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name}{where} ORDER BY {self._key(table)}"
        return as_rows(table, await self._select(f"{sql} LIMIT {limit}" if limit else sql, *values))

    async def rows_of(self, table: Table, rooms: Sequence[str]) -> list[Row]:
        """Return the rows of rooms, in the order of their keys."""
        where = f"room IN ({self._marks(len(rooms))})"
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {where} ORDER BY {self._key(table)}"
        return as_rows(table, await self._select(sql, *rooms))

    async def replace_rows(self, table: Table, after: Row, until: Row, rows: Sequence[Row]) -> None:
        """Replace the rows between two keys, as one transaction."""
        where, values = self._between(table, after, until)
        await self._change_together([(f"DELETE FROM {table.name}{where}", values), *self._inserts(table, rows)])

    async def put_rooms(self, rooms: Sequence[Row], events: Sequence[Row], reviews: Sequence[Row]) -> None:
        """Insert rooms with their events and reviews, or replace them, as one transaction."""
        names = [row[0] for row in rooms]
        inserts = [*self._inserts(EVENTS, events), *self._inserts(REVIEWS, reviews), *self._inserts(ROOMS, rooms)]
        await self._change_together([*self._deletes(names), *inserts])

    async def remove_rooms(self, rooms: Sequence[str]) -> None:
        """Delete rooms with their events and reviews, as one transaction."""
        await self._change_together(self._deletes(rooms))

    def _deletes(self, rooms: Sequence[str]) -> Statements:
        which = f"room IN ({self._marks(len(rooms))})"
        return [(f"DELETE FROM {table.name} WHERE {which}", rooms) for table in (EVENTS, REVIEWS, ROOMS)]

    async def set_archive(self, row: Row) -> None:
        """Note that a month is in an archive. Without a file: forget that."""
        forget = (f"DELETE FROM archives WHERE month = {self.mark}1", row[:1])
        await self._change_together([forget, *self._inserts(ARCHIVES, [row] if row[1] else [])])

    async def unfinished_copy(self) -> str:
        """Return the source if this database is the target of a copy that was not finished, else an empty text."""
        rows = await self._select("SELECT source FROM copies WHERE ended_at IS NULL")
        return str(rows[0][0]) if rows else ""

    async def begin_copy(self, source: str, now: int) -> None:
        """Mark this database as an unfinished copy, unless it is marked already."""
        if not await self.unfinished_copy():
            sql = f"INSERT INTO copies (source, began_at) VALUES ({self._marks(2)})"
            await self._change_together([(sql, (source, now))])

    async def end_copy(self, now: int) -> None:
        """Mark this database as a finished copy."""
        await self._change_together([(f"UPDATE copies SET ended_at = {self.mark}1 WHERE ended_at IS NULL", (now,))])

    def _inserts(self, table: Table, rows: Sequence[Row]) -> Statements:
        inserts, size = [], MAX_VALUES_PER_STATEMENT // len(table.columns)
        for at in range(0, len(rows), size):
            part = rows[at : at + size]
            sql = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES "
            marks = [f"({self._marks(len(row), 1 + n * len(row))})" for n, row in enumerate(part)]
            inserts.append((sql + ", ".join(marks), [value for row in part for value in row]))
        return inserts

    def _between(self, table: Table, after: Row, until: Row) -> tuple[str, list[Any]]:
        conditions, key, length = [], self._key(table), table.key_length
        if after:
            conditions.append(f"({key}) > ({self._marks(length)})")
        if until:
            conditions.append(f"({key}) <= ({self._marks(length, len(after) + 1)})")
        return f" WHERE {' AND '.join(conditions)}" if conditions else "", [*after, *until]

    def _key(self, table: Table) -> str:
        return ", ".join(f"{name}{self.byte_order}" if name in TEXT_KEYS else name for name in table.key)

    def _marks(self, count: int, first: int = 1) -> str:
        return ", ".join(f"{self.mark}{number}" for number in range(first, first + count))


def as_rows(table: Table, found: Sequence[Any]) -> list[Row]:
    """Return rows in the same form for all stores: SQLite has no booleans. Raises WrongType if a key has one."""
    rows = [tuple(row) for row in found]
    check_types(table, rows, table.key_length)
    if table is ROOMS:
        rows = [(*row[:PRIVATE], bool(row[PRIVATE]), *row[PRIVATE + 1 :]) for row in rows]
    return rows


def check_types(table: Table, rows: Sequence[Row], columns: int | None = None) -> None:
    """Raise WrongType if a value in all columns, or in the first ones, has another type than Parlour writes.

    A column of SQLite takes values of any type.
    """
    for types in {tuple(map(type, row[:columns])) for row in rows}:
        for column, kind in zip(table.columns, types, strict=False):
            if kind not in types_of(column):
                key = next(row for row in rows if tuple(map(type, row[:columns])) == types)[: table.key_length]
                where = f"in its table {table.name}, the column {column} of {repr(key)[:MAX_KEY_CHARS]}"
                raise WrongType(f"the database is damaged or not written by Parlour: {where} has a wrong type")


@cache
def types_of(column: str) -> frozenset[type]:
    """Return the types of the values in a column."""
    types: dict[bool, set[type]] = {column in BYTES: {bytes}, column in INTEGERS: {int, bool}, column in REALS: {float}}
    return frozenset(types.get(True, {str}) | ({type(None)} if column in OPTIONAL else set()))
