"""Decisions and refusals, the two results of a command. Pure."""

from __future__ import annotations

from typing import NamedTuple

from protocol.events import AnyEvent, Ended
from protocol.types import EndReason, ErrorCode, Result
from server.domain.room import Room, apply

NO_RESULT: Result = "*"


class Decision(NamedTuple):
    """The events of a command, and the room after them: the same room that `apply` computes from the events."""

    events: tuple[AnyEvent, ...]
    room: Room


class Refusal(Exception):
    """A refused command: an error code of the protocol and a sentence for the client.

    `decision` holds events to store nevertheless, such as a counted illegal move. `retry_after` is in seconds.
    """

    def __init__(
        self, code: ErrorCode, text: str, *, decision: Decision | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(text)
        self.code = code
        self.decision = decision
        self.retry_after = retry_after


def emit(room: Room, *events: AnyEvent) -> Decision:
    """Return the decision with these events."""
    for event in events:
        room = apply(room, event)
    return Decision(events, room)


def end_game(room: Room, winner: int | None, reason: EndReason, now: int, result: Result | None = None) -> Decision:
    """Return the decision that ends the game. Without `result`, a game without a winner is a draw."""
    if result is None:
        result = "1/2-1/2" if winner is None else "1-0" if winner == 0 else "0-1"
    return emit(room, Ended(**room.event_fields(now), result=result, reason=reason, winner=winner))
