"""What a decision is made of. Pure.

A `Decision` holds events and the room after them, which is always what `apply` makes of them. A command that may not
be has a `Refusal` for an answer: a code of the protocol and a sentence for its sender.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from protocol.events import AnyEvent, Ended
from protocol.types import EndReason, ErrorCode, Result
from server.domain.room import Room, apply

NO_RESULT: Result = "*"


class Decision(NamedTuple):
    events: tuple[AnyEvent, ...]
    room: Room


class Refusal(Exception):
    """The answer is no. `decision`: what has to be written down all the same."""

    def __init__(
        self, code: ErrorCode, text: str, *, decision: Decision | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(text)
        self.code = code
        self.decision = decision
        self.retry_after = retry_after


def event_fields(room: Room, now: int, ahead: int = 1) -> dict[str, Any]:
    return {"room": room.setup.room, "seq": room.seq + ahead, "at": now}


def emit(room: Room, *events: AnyEvent) -> Decision:
    for event in events:
        room = apply(room, event)
    return Decision(events, room)


def end_game(room: Room, winner: int | None, reason: EndReason, now: int, result: Result | None = None) -> Decision:
    if result is None:
        result = "1/2-1/2" if winner is None else "1-0" if winner == 0 else "0-1"
    return emit(room, Ended(**event_fields(room, now), result=result, reason=reason, winner=winner))
