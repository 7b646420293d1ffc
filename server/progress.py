"""How far games are: the lobby hears of it from time to time, and not with every move, which has no time for that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server.hall import Hall

PAUSE = 0.9  # seconds between looks at least
MOST = 500  # rooms a second of which is told; where more go on, they are told less often


class Progress:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._seen: dict[str, int] = {}  # the plies of games, when we last looked
        self._next = 0.0

    def look(self) -> None:
        """Tell who looks at the lobby, here or at other nodes, which games have gone on."""
        hall, now = self._hall, asyncio.get_running_loop().time()
        if now < self._next or not (hall.lobby.watched or hall.store.shared):
            return
        before, self._seen = self._seen, self._plies()
        moved = {name: ply for name, ply in self._seen.items() if ply != before.get(name, 0)}
        self._next = now + max(PAUSE, len(moved) / MOST)
        if moved:
            hall.lobby.advanced(moved)
            hall.bus.advance(moved)

    def _plies(self) -> dict[str, int]:
        """Of public games that run."""
        return {
            name: live.room.ply
            for name, live in self._hall.rooms.items()
            if live.room.status == "running" and not live.room.setup.private and self._hall.is_fresh(live)
        }
