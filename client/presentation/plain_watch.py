"""Watch a room as text: boards and moves, or one JSON event per line."""

from __future__ import annotations

from collections.abc import Callable

from client.presentation.texts import outcome_text, program_text, situation, standing_text, title
from client.sdk.errors import SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.sdk.result_text import seat_name, side_name
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from client.sdk.sides import legend, shown_sides
from protocol.codec import JSON
from protocol.commands import Watch
from protocol.events import Declined, DrawOffered, Ended, Event, Moved, Presence, Said, Seated, Started, TakenBack
from protocol.replies import Closing, Error, Ok, Snapshot, Welcome

Write = Callable[[str], None]


async def follow(session: Session, room: str, code: str, as_json: bool, write: Write, warn: Write) -> None:
    """Write the events of a room until its game is over. Raises SessionError if the session ends before."""
    await session.ask(Watch(id=session.id(), room=room, code=code))
    table: RoomView | None = None  # our own view: the session's view may be ahead of the events that we have read
    async for event in session:
        if isinstance(event, Disconnected):
            warn(f"{event.reason}; reconnecting")
        elif isinstance(event, Connected | Ok | Error | Welcome):
            continue
        elif getattr(event, "room", None) == room:
            if isinstance(event, Snapshot):
                table = RoomView(event, 0.0)
            elif isinstance(event, Event) and table is not None:
                table.apply(event, 0.0)
            if table is None:
                continue
            for line in [JSON.encode(event).decode()] if as_json else lines(event, table):
                write(line)
            if table.status == "ended":
                return
        elif isinstance(event, Closing):
            warn(event.text)
    raise SessionError("the connection was closed")


def snapshot_lines(table: RoomView) -> list[str]:
    """Return the title, the programs that play, the moves so far, the board and whose turn it is."""
    out = [title(table), *(text for seat in table.seats if seat is not None and (text := program_text(seat)))]
    out += [f"{played.ply}. {shown_sides(table)[played.side]} {played.move}" for played in table.moves]
    letters = "" if table.game is None else legend(table.game.draw(table.state).marks, shown_sides(table))
    return [*out, "", *([letters] if letters else ()), *board_lines(table), situation(table)]


def board_lines(table: RoomView) -> list[str]:
    if table.game is None:
        return [table.position]
    standing = standing_text(table)
    return [*table.game.draw(table.state).text().splitlines(), *([standing] if standing else ()), ""]


def lines(event: SessionEvent, table: RoomView) -> list[str]:
    """Return the lines that describe an event. `table` is the room after it."""
    match event:
        case Moved():
            note = f"  ; {event.note}" if event.note else ""
            head = f"{event.ply}. {shown_sides(table)[event.side]} {event.move}{note}"
            return [head, *board_lines(table), situation(table)]
        case Ended():
            outcome = table.outcome()
            return [] if outcome is None else [outcome_text(table, outcome)]
        case Snapshot():
            return snapshot_lines(table)
        case TakenBack():
            return [f"Taken back to move {event.ply}", *board_lines(table)]
        case Said():
            return [f"{event.name}: {event.text}"]
        case Seated():
            return [f"{side_name(table, event.seat)} takes a seat"]
        case Presence():
            return [f"{seat_name(table.seats[event.seat])} {'is back' if event.online else 'has left'}"]
        case DrawOffered():
            return [f"{seat_name(table.seats[event.seat])} offers a draw"]
        case Declined():
            return [f"{seat_name(table.seats[event.seat])} declines"]
        case Started():
            return [situation(table)]
    return []
