"""Find what is wrong in a database: one sentence for each fault.

A room is a log, so its row in the index must be what the log says. A server may be writing while the database is
checked: a room that looks wrong is read once more before it is reported.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import groupby

from protocol.codec import decode_event, decode_part
from protocol.replies import ReviewUpdate
from protocol.types import RoomInfo, with_ply
from protocol.usernames import fold
from server.domain.room import replay
from server.ids import month_of
from server.storage.copying import Progress
from server.storage.interface import RoomRow, Store
from server.storage.room_index import decode_info, room_row
from server.storage.tables import (
    ACCOUNT_KEYS,
    ACCOUNTS,
    ARCHIVES,
    EVENTS,
    RATINGS,
    REVIEWS,
    ROOMS,
    ROWS_PER_BATCH,
    SESSIONS,
    STANDINGS,
    Row,
    Table,
)

CHECKING_ROOMS = "checking rooms"  # what is done, for progress
ROOMS_PER_BATCH = 200
LAST_SEQ = 2**62  # no log is that long
READS = 3  # of a room that looks wrong
MAX_ERROR_CHARS = 120
COMPARED = ("game", "status", "result", "private", "players", "names", "changed_at")
GAMES = RATINGS.columns.index("games")
RATED_ROOM = RATINGS.columns.index("room")
REVIEW = REVIEWS.columns.index("review")

Log = list[tuple[int, bytes]]  # seq and payload of each event


async def find_faults(store: Store, progress: Progress) -> AsyncIterator[str]:
    """Yield a sentence for each fault."""
    for text in await store.find_broken_pages():
        yield f"the file is damaged: {text}"
    for check in (check_rooms, check_reviews, check_ratings, check_accounts):
        async for fault in check(store, progress):
            yield fault


# -- rooms


async def check_rooms(store: Store, progress: Progress) -> AsyncIterator[str]:
    """Yield the faults of all rooms, in the order of their ids."""
    after, count = "", 0
    while True:
        rows = await store.read_rows(ROOMS, (after,) if after else (), limit=ROOMS_PER_BATCH)
        last = rows[-1][0] if len(rows) == ROOMS_PER_BATCH else ""
        for room in sorted(await suspects(store, rows, after, last)):
            for fault in await read_faults(store, room):
                yield fault
        count += len(rows)
        progress(CHECKING_ROOMS, count)
        if not last:
            return
        after = last


async def suspects(store: Store, rows: list[Row], after: str, last: str) -> list[str]:
    """Return the rooms between two ids that have faults."""
    events = await store.read_rows(EVENTS, (after, LAST_SEQ) if after else (), (last, LAST_SEQ) if last else ())
    logs = {room: [event[1:] for event in log] for room, log in groupby(events, lambda event: event[0])}
    index = {row[0]: row for row in rows}
    return [room for room in {**index, **logs} if any(room_faults(room, index.get(room), logs.get(room, [])))]


async def read_faults(store: Store, room: str) -> list[str]:
    """Read a room again, and return its faults. Its row and its log may be of different moments: try some times."""
    for _ in range(READS):
        rows, log = await store.rows_of(ROOMS, [room]), await store.rows_of(EVENTS, [room])
        faults = list(room_faults(room, rows[0] if rows else None, [event[1:] for event in log]))
        if not faults:
            break
    return faults


def room_faults(room: str, row: Row | None, log: Log) -> Iterator[str]:
    """Yield the faults of a room."""
    if not log:
        yield f"room {room} is in the index and has no events"
        return
    if row is None:
        yield f"room {room} has events and is not in the index"
    missing = next((n for n, (seq, _) in enumerate(log, 1) if seq != n), None)
    if missing is not None:
        yield f"room {room} has no event {missing}, and has event {log[missing - 1][0]}"
        return
    try:
        said = room_row((played := replay(decode_event(payload) for _, payload in log)), played.deadline)
    except Exception as error:  # damaged data can raise anything
        yield f"the log of room {room} cannot be replayed: {str(error)[:MAX_ERROR_CHARS] or type(error).__name__}"
        return
    if said.room != room:
        yield f"the log of room {room} is that of room {said.room}"
    elif row is not None:
        yield from index_faults(indexed(row), said)


def index_faults(row: RoomRow, said: RoomRow) -> Iterator[str]:
    """Yield the differences between a room's row in the index and its log."""
    for name in COMPARED:
        if getattr(row, name) != getattr(said, name):
            yield f"room {row.room}: the index has {name} {getattr(row, name)!r}, the log {getattr(said, name)!r}"
    if said.deadline is not None and row.deadline is None:
        yield f"room {row.room} has a deadline that is not in the index"
    try:
        same = info_of(row) == info_of(said)
    except Exception:  # damaged data can raise anything
        same = False
    if not same:
        yield f"room {row.room}: the index and the log describe the room differently"


def info_of(row: RoomRow) -> RoomInfo:
    """Return the description in a row. The ply of a running game is not kept current there."""
    info = decode_info(row.info)
    return info if row.status == "ended" else with_ply(info, 0)


def indexed(row: Row) -> RoomRow:
    room, game, status, result, private, player0, player1, name0, name1, deadline, changed_at, info = row
    players, names = (player0, player1), (name0, name1)
    return RoomRow(room, game, status, result, private, players, names, deadline, changed_at, info)


# -- reviews


async def check_reviews(store: Store, progress: Progress) -> AsyncIterator[str]:
    """Yield the faults of reviews: there is no such game, it has not ended, or the review cannot be read."""
    async for rows in batches(store, REVIEWS, progress):
        ended = await ended_rooms(store, {row[0] for row in rows})
        for row in rows:
            room, review = row[0], row[REVIEW]
            if room not in ended:
                if await store.rows_of(REVIEWS, [room]):  # otherwise both were deleted a moment ago
                    yield f"there is a review of room {room}, which has not ended here"
            elif review is not None and not is_readable(review):
                yield f"the review of room {room} cannot be read"


def is_readable(review: bytes) -> bool:
    try:
        decode_part(review, ReviewUpdate)
    except Exception:  # damaged data can raise anything
        return False
    return True


# -- ratings and accounts


async def batches(store: Store, table: Table, progress: Progress) -> AsyncIterator[list[Row]]:
    """Yield the rows of a table in batches."""
    count, rows = 0, await store.read_rows(table, limit=ROWS_PER_BATCH)
    while rows:
        yield rows
        count += len(rows)
        progress(f"checking {table.name}", count)
        rows = await store.read_rows(table, rows[-1][: table.key_length], limit=ROWS_PER_BATCH)


async def check_ratings(store: Store, progress: Progress) -> AsyncIterator[str]:
    """Yield the faults of ratings: a game is missing, its room has not ended, or the standing is not the latest."""
    archived = {row[0] for row in await store.read_rows(ARCHIVES)}
    latest: dict[Row, Row] = {}
    async for rows in batches(store, RATINGS, progress):
        ended = await ended_rooms(store, {row[RATED_ROOM] for row in rows})
        for row in rows:
            player, before = row[:2], latest.get(row[:2])
            if row[GAMES] != (1 if before is None else before[GAMES] + 1):
                last = 0 if before is None else before[GAMES]
                yield f"{described(row)}: no rating between game {last} and game {row[GAMES]}"
            if row[RATED_ROOM] not in ended and month_of(row[RATED_ROOM]) not in archived:
                yield f"{described(row)}: game {row[GAMES]} is of room {row[RATED_ROOM]}, which has not ended here"
            latest[player] = row
    async for rows in batches(store, STANDINGS, progress):
        for row in rows:
            if latest.pop(row[:2], None) != row:
                yield f"{described(row)}: the standing is not the latest rating"
    for row in latest.values():
        yield f"{described(row)}: there is no standing"


def described(row: Row) -> str:
    return f"ratings of player {row[1]} in {row[0]}"


async def ended_rooms(store: Store, rooms: set[str]) -> set[str]:
    """Return the rooms among these that have ended."""
    found, wanted = set[str](), sorted(rooms)
    for at in range(0, len(wanted), ROOMS_PER_BATCH):
        part = await store.rows_of(ROOMS, wanted[at : at + ROOMS_PER_BATCH])
        found |= {row[0] for row in part if indexed(row).status == "ended"}
    return found


async def check_accounts(store: Store, progress: Progress) -> AsyncIterator[str]:
    """Yield the faults of accounts, their keys and sessions."""
    names, players = set[str](), set[str]()
    async for rows in batches(store, ACCOUNTS, progress):
        for _, name, player, _, _, folded, _ in rows:
            names.add(fold(name))
            players.add(player)
            if folded not in (fold(name), f"{fold(name)} {player}"):  # the second is an older account of the same name
                yield f"account {name} is stored as {folded!r}, not as {fold(name)!r}"
    async for rows in batches(store, ACCOUNT_KEYS, progress):
        for fingerprint, player, _, _ in rows:
            if player not in players:
                yield f"the SSH key {fingerprint} is of player {player}, who has no account"
    async for rows in batches(store, SESSIONS, progress):
        for _, player, _, account, _ in rows:
            if account and fold(account) not in names:
                yield f"a session of player {player} is of account {account}, which does not exist"
