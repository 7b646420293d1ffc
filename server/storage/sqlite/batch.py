"""Jobs in the form that the writer process takes, and the meaning of its answers."""

from __future__ import annotations

from typing import final

from server.storage.interface import Append, Conflict, Done, RoomRow, Unavailable
from server.storage.sqlite.ratings import INSERT_RATING, REPLACE_STANDING
from server.storage.sqlite.writer_process import Answer, Job, Rows, Values


@final
class Statement:
    """A write other than an append."""

    __slots__ = ("changed", "sql", "values")

    def __init__(self, sql: str, values: Values) -> None:
        self.sql, self.values = sql, values
        self.changed = 0  # the number of changed rows, once it is done


Work = Append | Statement
QueuedJob = tuple[Work, Done]


def as_job(work: Work) -> Job:
    """Return an append or a statement as the writer process takes it."""
    if isinstance(work, Statement):
        return ([], (), ((work.sql, work.values),))
    events: Rows = []
    rooms: list[Values] = []
    statements: list[tuple[str, Values]] = []
    part: Append | None = work
    while part is not None:
        for seq, payload in enumerate(part.payloads, part.after + 1):
            events += (part.room, seq, payload)
        if part.row is not None:
            rooms.append(room_values(part.row))
        for rating in part.ratings:
            statements += ((INSERT_RATING, tuple(rating)), (REPLACE_STANDING, tuple(rating)))
        part = part.also
    return (events, tuple(rooms), tuple(statements))


def room_values(row: RoomRow) -> Values:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip


def outcome(work: Work, answer: Answer) -> Exception | None:
    """Return the error that an answer stands for. Set `changed` of a statement."""
    if isinstance(answer, str):
        return Unavailable(answer) if answer else Conflict()
    if isinstance(work, Statement):
        work.changed = answer
    return None
