"""SQL that both stores share. `mark` is the placeholder of a store: `?` in SQLite, `$` in PostgreSQL."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from protocol.usernames import fold

MAX_GAMES_PER_MS = 10_000  # games that end in one millisecond
END_OF_TIME_MS = 2**62
# a dead node keeps the time of its last heartbeat, as a negative number
MARK_DEAD = "UPDATE nodes SET alive_at = -abs(alive_at) WHERE node = "
# a node that recorded the end of a downtime was alive then, even if it died before its first heartbeat
LAST_ALIVE = (
    "SELECT max(at) FROM (SELECT abs(alive_at) AS at FROM nodes UNION ALL SELECT ended FROM downtimes) AS times"
)
DOWNTIMES = "SELECT began, ended FROM downtimes ORDER BY ended"
HAS_RUNNING_ROOMS = "SELECT 1 FROM rooms WHERE status <> 'ended' AND status = 'running' LIMIT 1"
OPEN = "status IN ('waiting', 'running')"  # in this form SQLite uses the index of open rooms

Read = Callable[..., Awaitable[list[Any]]]


async def history(
    read: Read, mark: str, game: str, name: str, before: int | None, limit: int
) -> list[tuple[int, bytes]]:
    """Return end time and info of finished public games, latest first.

    Games that ended in the same millisecond stay together, because `before` cannot tell them apart.
    """
    sql, values = finished_games(mark, game, name)
    until = END_OF_TIME_MS if before is None else before - 1
    rows = await read(sql, 0, until, limit + 1, *values)
    if len(rows) > limit:
        last = rows[limit - 1][0]
        tied = rows.pop()[0] == last
        if tied:
            rows = [row for row in rows if row[0] > last] + await read(sql, last, last, MAX_GAMES_PER_MS, *values)
    return [(row[0], row[1]) for row in rows]


def finished_games(mark: str, game: str, name: str) -> tuple[str, list[str]]:
    """Return the SQL for finished public games between two times, and its values after the times and the limit.

    There is one search per seat, because no index serves a condition with OR.
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
    union = " UNION ".join(f"SELECT * FROM ({part}) AS part{number}" for number, part in enumerate(parts))
    return f"SELECT changed_at, info FROM ({union}) AS games {newest}", values


def last_opponent(mark: str) -> str:
    """Return the SQL for the current or last opponent of a player. Its values: the player and the folded name."""
    newest = "ORDER BY changed_at DESC LIMIT 1"
    parts: list[str] = []
    for own, other in ((0, 1), (1, 0)):
        select = f"SELECT changed_at, player{other} AS opponent FROM rooms WHERE player{own} = {mark}1 AND"
        parts.append(f"{select} status <> 'ended' AND player{other} <> '' {newest}")
        parts.append(f"{select} status = 'ended' AND result <> '*' AND name{own} = {mark}2 {newest}")
    games = " UNION ALL ".join(f"SELECT * FROM ({part}) AS part{number}" for number, part in enumerate(parts))
    return f"SELECT opponent FROM ({games}) AS games {newest}"


def rooms(mark: str, game: str, status: str) -> tuple[str, list[str]]:
    """Return the SQL for public rooms, newest first, and its values after the limit.

    The status is part of the text: only then can the planner use the index of open rooms.
    """
    assert status in ("", "waiting", "running", "ended"), status
    conditions = ["NOT private", f"status = '{status}'" if status else OPEN]
    if status != "ended":
        conditions.append("status <> 'ended'")
    if game:
        conditions.append(f"game = {mark}2")
    newest = "changed_at DESC, room DESC" if status == "ended" else "room DESC"
    sql = f"SELECT info FROM rooms WHERE {' AND '.join(conditions)} ORDER BY {newest} LIMIT {mark}1"
    return sql, [game] if game else []


def unfinished_rooms(status: str) -> str:
    """Return the SQL for the rooms of a status that is not `ended`, or of all of them."""
    assert status in ("", "waiting", "running"), status
    condition = f"status = '{status}'" if status else OPEN
    return f"SELECT room FROM rooms WHERE status <> 'ended' AND {condition} ORDER BY room"


def postpone_running(mark: str, least: str, greatest: str) -> str:
    """Return the SQL that postpones the deadlines of running games.

    Its values: two times, and the latest deadline. A game gets the time from the first one, or from its start if that
    was later, to the second one.
    """
    postpone_ms = f"{greatest}(0, {mark}2 - {greatest}({mark}1, changed_at))"
    deadline = f"{least}(coalesce(deadline + {postpone_ms}, {mark}3), {mark}3)"
    return f"UPDATE rooms SET deadline = {deadline} WHERE status <> 'ended' AND status = 'running'"
