"""Abort pauses: which players have aborted rated games lately. Kept in memory: a restart of the node forgets them."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.events import AnyEvent, Ended
from server.domain.pauses import check_pause, recent_aborts
from server.rooms.live_room import LiveRoom
from server.rooms.processor import RoomObserver, Share
from server.rooms.timers import Now

ABORTS = "aborts"  # what is shared with other workers


class AbortPauses(RoomObserver):
    """Remembers aborts of rated games, of this node and of rooms that it shares with another node."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self.share: Share = lambda what, key, number: None  # tells the other workers of this machine about an abort
        self._aborts: dict[str, dict[str, int]] = {}  # player: room: time

    def check(self, player: str) -> None:
        """Raise Refusal if a player may not start a rated game yet."""
        check_pause(tuple(self._aborts.get(player, {}).values()), self._now())

    def ended(self, live: LiveRoom) -> None:
        """Note who aborted a rated game that had started."""
        room, end = live.room, live.room.ended
        if end is None or end.seat is None or not room.setup.rated or room.started_at is None:
            return
        seat = room.seats[end.seat]
        if seat is not None:
            self._note(seat.player, room.id, end.at)
            self.share(ABORTS, f"{seat.player} {room.id}", end.at)

    def note_elsewhere(self, aborts: Mapping[str, float]) -> None:
        """Note aborts at another worker: player and room, with the time."""
        for key, at in aborts.items():
            player, _, room = key.partition(" ")
            self._note(player, room, int(at))

    def _note(self, player: str, room: str, at: int) -> None:
        now = self._now()
        for name, rooms in list(self._aborts.items()):
            self._aborts[name] = {old: time for old, time in rooms.items() if recent_aborts((time,), now)}
            if not self._aborts[name]:
                del self._aborts[name]
        self._aborts.setdefault(player, {})[room] = at  # a room that two workers have loaded counts once

    def caught_up(self, live: LiveRoom, events: list[AnyEvent]) -> None:
        """Note an abort that another node wrote."""
        if any(type(event) is Ended for event in events):
            self.ended(live)
