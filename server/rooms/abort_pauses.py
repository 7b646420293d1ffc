"""Abort pauses: which players have aborted rated games lately. Kept in memory: a restart of the node forgets them."""

from __future__ import annotations

from protocol.events import AnyEvent, Ended
from server.domain.pauses import check_pause, recent_aborts
from server.rooms.live_room import LiveRoom
from server.rooms.processor import RoomObserver
from server.rooms.timers import Now


class AbortPauses(RoomObserver):
    """Remembers aborts of rated games, of this node and of rooms that it shares with another node."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._aborts: dict[str, tuple[int, ...]] = {}  # times by player

    def check(self, player: str) -> None:
        """Raise Refusal if a player may not start a rated game yet."""
        check_pause(self._aborts.get(player, ()), self._now())

    def ended(self, live: LiveRoom) -> None:
        """Note who aborted a rated game that had started."""
        room, end = live.room, live.room.ended
        if end is None or end.seat is None or not room.setup.rated or room.started_at is None:
            return
        seat = room.seats[end.seat]
        if seat is not None:
            now = self._now()
            self._aborts = {player: kept for player, at in self._aborts.items() if (kept := recent_aborts(at, now))}
            self._aborts[seat.player] = (*self._aborts.get(seat.player, ()), end.at)

    def caught_up(self, live: LiveRoom, events: list[AnyEvent]) -> None:
        """Note an abort that another node wrote."""
        if any(type(event) is Ended for event in events):
            self.ended(live)
