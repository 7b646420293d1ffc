"""Games that were left, and that nobody wants to go on with."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from client.sdk.errors import SessionError
from client.sdk.room_view import Table
from client.sdk.session import Session
from protocol.commands import Leave, Resign


async def give_up(session: Session, tables: Iterable[Table]) -> None:
    """A game that has not begun cannot be lost, only left. What is refused is over by itself, or stays as it is."""
    for table in tables:
        farewell = Leave if table.status == "waiting" else Resign
        with suppress(SessionError):
            await session.ask(farewell(id=session.id(), room=table.room))
