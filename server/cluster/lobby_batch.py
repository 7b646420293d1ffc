"""Changes of lists, collected for the next message to the other nodes. For each room only the latest is sent."""

from __future__ import annotations

from collections.abc import Callable

from protocol.replies import LobbyUpdate
from server.cluster.bus import BusListener
from server.domain.room import Room


class LobbyBatch:
    """Public rooms whose entry has changed, and the plies of games that have advanced."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed  # called after each change
        self._shown: dict[str, Room] = {}
        self._plies: dict[str, int] = {}

    def show(self, room: Room) -> None:
        """Add a room, unless it is private."""
        if room.setup.private:
            return
        self._shown[room.setup.room] = room
        self._plies.pop(room.setup.room, None)  # the room has it
        self._changed()

    def advance(self, plies: dict[str, int]) -> None:
        """Add plies."""
        self._plies |= plies
        self._changed()

    def __bool__(self) -> bool:
        return bool(self._shown or self._plies)

    def take(self, listener: BusListener) -> LobbyUpdate:
        """Return all changes as one message, and start an empty batch."""
        shown, self._shown = self._shown, {}
        plies, self._plies = self._plies, {}
        return LobbyUpdate(rooms=tuple(map(listener.info, shown.values())), plies=plies)
