"""A room followed as text: boards and moves for people and pipes, or one event a line for programs."""

from __future__ import annotations

from collections.abc import Callable

from client.presentation.texts import outcome_text, printable, seat_name, side_name, situation, standing_text, title
from client.sdk.errors import SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from protocol.codec import JSON
from protocol.commands import Watch
from protocol.events import Declined, DrawOffered, Ended, Event, Moved, Presence, Said, Seated, Started, TakenBack
from protocol.replies import Closing, Error, Ok, Snapshot, Welcome

Write = Callable[[str], None]


async def follow(session: Session, room: str, code: str, as_json: bool, write: Write, warn: Write) -> None:
    """Write what happens in a room until its game is over; SessionError."""
    await session.ask(Watch(id=session.id(), room=room, code=code))
    table: RoomView | None = None  # as it was when it happened; the session's is ahead of what we have read
    async for happening in session:
        if isinstance(happening, Disconnected):
            warn(f"{happening.reason}; trying again")
        elif isinstance(happening, Connected | Ok | Error | Welcome):
            continue
        elif getattr(happening, "room", None) == room:
            if isinstance(happening, Snapshot):
                table = RoomView(happening, 0.0)
            elif isinstance(happening, Event) and table is not None:
                table.apply(happening, 0.0)
            if table is None:
                continue
            for line in [JSON.encode(happening).decode()] if as_json else lines(happening, table):
                write(line)
            if table.status == "ended":
                return
        elif isinstance(happening, Closing):
            warn(printable(happening.text))
    raise SessionError("the connection was closed")


def opening(table: RoomView) -> list[str]:
    """A room as it is when we come."""
    out = [title(table)]
    out += [f"{played.ply}. {table.setup.sides[played.side]} {played.move}" for played in table.moves]
    return [*out, "", *board(table), situation(table)]


def board(table: RoomView) -> list[str]:
    if table.game is None:
        return [table.position]
    standing = standing_text(table)
    return [*table.game.draw(table.state).text().splitlines(), *([standing] if standing else ()), ""]


def lines(happening: SessionEvent, table: RoomView) -> list[str]:
    match happening:
        case Moved():
            note = f"  ; {printable(happening.note)}" if happening.note else ""
            head = f"{happening.ply}. {table.setup.sides[happening.side]} {happening.move}{note}"
            return [head, *board(table), situation(table)]
        case Ended():
            outcome = table.outcome()
            return [] if outcome is None else [outcome_text(table, outcome)]
        case Snapshot():
            return opening(table)
        case TakenBack():
            return [f"taken back to move {happening.ply}", *board(table)]
        case Said():
            return [f"{printable(happening.name)}: {printable(happening.text)}"]
        case Seated():
            return [f"{side_name(table, happening.seat)} sits down"]
        case Presence():
            return [f"{seat_name(table.seats[happening.seat])} {'is back' if happening.online else 'has gone away'}"]
        case DrawOffered():
            return [f"{seat_name(table.seats[happening.seat])} offers a draw"]
        case Declined():
            return [f"{seat_name(table.seats[happening.seat])} declines"]
        case Started():
            return [situation(table)]
    return []
