"""What is to be written, as the process that writes gets it, and what its answers mean."""

from __future__ import annotations

from typing import final

from server.storage.interface import Append, Conflict, Done, RoomRow, Unavailable
from server.storage.sqlite.ratings import PUT, STAND
from server.storage.sqlite.writer_process import Answer, Job, Rows, Values


@final
class Statement:
    """Any write that is no append."""

    __slots__ = ("changed", "sql", "values")

    def __init__(self, sql: str, values: Values) -> None:
        self.sql, self.values = sql, values
        self.changed = 0  # how many rows, once it is done


Work = Append | Statement
Asked = tuple[Work, Done]


def sort_out(asked: list[Asked]) -> tuple[list[Asked], Rows, list[Asked]]:
    """Plain events, with their rows, and the rest."""
    events: list[Asked] = []
    others: list[Asked] = []
    rows: Rows = []
    for one in asked:
        work = one[0]
        if type(work) is Statement or not work.event_only:
            others.append(one)
        else:
            rows += (work.room, work.after + 1, work.payloads[0])
            events.append(one)
    return events, rows, others


def as_job(work: Work) -> Job:
    if isinstance(work, Statement):
        return ([], (), ((work.sql, work.values),))
    rows: Rows = []
    lines: list[Values] = []
    statements: list[tuple[str, Values]] = []
    part: Append | None = work
    while part is not None:
        for seq, payload in enumerate(part.payloads, part.after + 1):
            rows += (part.room, seq, payload)
        if part.row is not None:
            lines.append(room_values(part.row))
        for rating in part.ratings:
            statements += ((PUT, tuple(rating)), (STAND, tuple(rating)))
        part = part.also
    return (rows, tuple(lines), tuple(statements))


def room_values(row: RoomRow) -> Values:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip


def outcome(work: Work, answer: Answer) -> Exception | None:
    if isinstance(answer, str):
        return Unavailable(answer) if answer else Conflict()
    if isinstance(work, Statement):
        work.changed = answer
    return None
