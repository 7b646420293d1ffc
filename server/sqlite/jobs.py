"""What is to be written, as the process that writes gets it, and what its answers mean."""

from __future__ import annotations

from typing import Any, cast

from server.sqlite.ratings import PUT, STAND
from server.sqlite.scribe import Answer
from server.store import Append, Conflict, RoomRow, Unavailable


class Statement:
    """Any write that is no append."""

    __slots__ = ("changed", "sql", "values")

    def __init__(self, sql: str, values: tuple[Any, ...]) -> None:
        self.sql, self.values = sql, values
        self.changed = 0  # how many rows, once it is done


Work = Append | Statement


def as_job(work: Work) -> tuple[Any, ...]:
    """A `Job` of the scribe."""
    if type(work) is Statement:
        return ([], (), ((work.sql, work.values),))
    append = cast(Append, work)
    if append.line is None and append.also is None and not append.ratings and len(append.payloads) == 1:  # as most
        return ([append.room, append.after + 1, append.payloads[0]], (), ())
    rows: list[Any] = []
    lines: list[tuple[Any, ...]] = []
    statements: list[tuple[str, tuple[Any, ...]]] = []
    part: Append | None = append
    while part is not None:
        for seq, payload in enumerate(part.payloads, part.after + 1):
            rows += (part.room, seq, payload)
        if part.line is not None:
            lines.append(room_values(part.line))
        for rating in part.ratings:
            statements += ((PUT, tuple(rating)), (STAND, tuple(rating)))
        part = part.also
    return (rows, tuple(lines), tuple(statements))


def room_values(row: RoomRow) -> tuple[Any, ...]:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip


def outcome(work: Work, answer: Answer) -> Exception | None:
    if type(answer) is str:
        return Unavailable(answer) if answer else Conflict()
    if type(work) is Statement:
        work.changed = cast(int, answer)
    return None
