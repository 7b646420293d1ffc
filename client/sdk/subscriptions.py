"""Subscriptions of a session: what to request again after a reconnect."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from client.sdk.room_cache import RoomCache
from protocol.commands import Command, Leave, Lobby, Watch, WatchTournament


class Subscriptions:
    """The lobby, a tournament, and the watched rooms with their access codes."""

    def __init__(self) -> None:
        self.lobby = False
        self.tournament = ""
        self._codes: dict[str, str] = {}  # room -> access code, "" for most rooms

    def record(self, command: Command) -> None:
        """Update the subscriptions from a command the client sends."""
        match command:
            case Watch():
                self._codes[command.room] = command.code
            case Leave():
                self._codes.pop(command.room, None)
            case Lobby():
                self.lobby = command.on
            case WatchTournament():
                self.tournament = command.name

    def code(self, room: str) -> str:
        """Return the access code of a watched room, or ""."""
        return self._codes.get(room, "")

    def missed(self, rooms: RoomCache, pushed: Collection[str]) -> Iterator[tuple[str, int]]:
        """Yield the rooms that may have missed events, with the last known seq.

        `pushed` are the rooms whose snapshots the server sends by itself.
        """
        seated = [view.room for view in rooms.unfinished() if view.seat is not None]
        for room in dict.fromkeys([*self._codes, *seated]):
            view = rooms.get(room)
            if room not in pushed and (view is None or view.status != "ended"):
                yield room, rooms.missing.get(room, 0 if view is None else view.seq)
