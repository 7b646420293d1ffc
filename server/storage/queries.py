"""Games that are over, as both stores look them up. `mark` is how a store marks the place of a value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from protocol.usernames import fold

MOST_AT_ONCE = 10_000  # games that end in one millisecond
FOR_EVER = 2**62
OPEN = "status IN ('waiting', 'running')"  # said in a way for which SQLite takes the index of open rooms

Read = Callable[..., Awaitable[list[Any]]]


async def history(
    read: Read, mark: str, game: str, name: str, before: int | None, limit: int
) -> list[tuple[int, bytes]]:
    """The latest first. Games that ended in one millisecond come together, since `before` cannot tell them apart."""
    sql, values = games(mark, game, name)
    until = FOR_EVER if before is None else before - 1
    rows = await read(sql, 0, until, limit, *values)
    if len(rows) == limit:
        last = rows[-1][0]
        rows = [row for row in rows if row[0] > last] + await read(sql, last, last, MOST_AT_ONCE, *values)
    return [(row[0], row[1]) for row in rows]


def games(mark: str, game: str, name: str) -> tuple[str, list[str]]:
    """The SQL for public games between two times, and what it needs beside the times and the limit.

    A search for each seat, since no index answers a question with an `or` in it.
    """
    values: list[str] = []
    where = f"status = 'ended' AND result <> '*' AND NOT private AND changed_at BETWEEN {mark}1 AND {mark}2"
    if game:
        values.append(game)
        where += f" AND game = {mark}4"
    seats = [where]
    if name:
        values.append(fold(name))
        seats = [f"{where} AND name{seat} = {mark}{3 + len(values)}" for seat in (0, 1)]
    newest = f"ORDER BY changed_at DESC, room DESC LIMIT {mark}3"
    parts = [f"SELECT changed_at, info, room FROM rooms WHERE {seat} {newest}" for seat in seats]
    found = " UNION ".join(f"SELECT * FROM ({part}) AS part{number}" for number, part in enumerate(parts))
    return f"SELECT changed_at, info FROM ({found}) AS games {newest}", values


def last_opponent(mark: str) -> str:
    """The SQL for whom a player plays or has played last; values: the player, and the folded name."""
    newest = "ORDER BY changed_at DESC LIMIT 1"
    parts: list[str] = []
    for own, other in ((0, 1), (1, 0)):
        of = f"SELECT changed_at, player{other} AS opponent FROM rooms WHERE player{own} = {mark}1 AND"
        parts.append(f"{of} status <> 'ended' AND player{other} <> '' {newest}")
        parts.append(f"{of} status = 'ended' AND result <> '*' AND name{own} = {mark}2 {newest}")
    games = " UNION ALL ".join(f"SELECT * FROM ({part}) AS part{number}" for number, part in enumerate(parts))
    return f"SELECT opponent FROM ({games}) AS games {newest}"


def rooms(mark: str, game: str, status: str) -> tuple[str, list[str]]:
    """The SQL for public rooms, the newest first, and what it needs beside the limit.

    The status stands in the text: a planner that does not know it cannot tell that an index of open rooms is enough.
    """
    assert status in ("", "waiting", "running", "ended"), status
    wanted = ["NOT private", f"status = '{status}'" if status else OPEN]
    if status != "ended":
        wanted.append("status <> 'ended'")
    if game:
        wanted.append(f"game = {mark}2")
    newest = "changed_at DESC, room DESC" if status == "ended" else "room DESC"
    sql = f"SELECT info FROM rooms WHERE {' AND '.join(wanted)} ORDER BY {newest} LIMIT {mark}1"
    return sql, [game] if game else []
