"""What a session hears of because it asked to, and has to ask for again over a new connection."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from client.sdk.room_cache import RoomCache
from protocol.commands import Command, Leave, Lobby, Watch


class Subscriptions:
    def __init__(self) -> None:
        self.lobby = False
        self._codes: dict[str, str] = {}  # of the rooms that are watched; most need none

    def note(self, command: Command) -> None:
        match command:
            case Watch():
                self._codes[command.room] = command.code
            case Leave():
                self._codes.pop(command.room, None)
            case Lobby():
                self.lobby = command.on

    def code(self, room: str) -> str:
        return self._codes.get(room, "")

    def missed(self, tables: RoomCache, told: Collection[str]) -> Iterator[tuple[str, int]]:
        """Rooms where something may have happened meanwhile, and the last seq we know of; `told` come by themselves."""
        seated = [table.room for table in tables.unfinished() if table.seat is not None]
        for room in dict.fromkeys([*self._codes, *seated]):
            table = tables.get(room)
            if room not in told and (table is None or table.status != "ended"):
                yield room, tables.missing.get(room, 0 if table is None else table.seq)
