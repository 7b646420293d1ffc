"""Fair queue of a house bot: which rooms the bot is invited to now, and which wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from server.rooms.live_room import LiveRoom
from server.rooms.timers import Now

RESERVED_PART = 4  # one place in this many is for newcomers
ACCEPT_TIMEOUT_MS = 10_000  # an invitation that the bot has not accepted by then gives its place back


class HouseQueue:
    """The places of one house bot, as many as it plays games at a time.

    The last quarter of them is reserved for players and addresses that have no game with the bot. One address, such as
    that of a classroom, may use all others while no other address waits. The next place is for the address with the
    fewest games, and within an address for the player with the fewest.
    """

    def __init__(self, places: int, rooms: Mapping[str, LiveRoom], now: Now) -> None:
        """`rooms`: the rooms that are loaded at this node, by id."""
        self._places, self._rooms, self._now = places, rooms, now
        self._reserved = max(1, places // RESERVED_PART)
        self.waiting: dict[str, LiveRoom] = {}  # oldest first
        self._offered: dict[str, tuple[LiveRoom, int]] = {}  # the bot was invited, and until when it may accept
        self._rematches: dict[str, LiveRoom] = {}  # ended rooms: the rematch counts while it is being written

    def add(self, live: LiveRoom) -> None:
        """Let a room wait for the bot, unless the bot was just invited to it."""
        if live.room.id not in self._offered:
            self.waiting[live.room.id] = live

    def next(self, playing: Mapping[str, LiveRoom]) -> LiveRoom | None:
        """Return the room that the bot is invited to next, or None if all must wait. `playing`: the bot's games.

        It is the room whose address has the fewest games with the bot, then the one whose player has the fewest; the
        oldest one of several.
        """
        taken = self._taken(playing)
        free, games = self._places - len(taken), count_games(taken)
        if free <= 0:
            return None
        current = {id: self._rooms.get(id, live) for id, live in self.waiting.items()}  # it may have been evicted
        self.waiting = {id: live for id, live in current.items() if live.room.status == "waiting"}
        live = min(
            self.waiting.values(), key=lambda live: (share(live, games), games[live.room.setup.by]), default=None
        )
        if live is None or not self._is_free(live, games, free):
            return None
        del self.waiting[live.room.id]
        self._offered[live.room.id] = live, self._now() + ACCEPT_TIMEOUT_MS
        return live

    def has_place(self, live: LiveRoom, playing: Mapping[str, LiveRoom]) -> bool:
        """Return whether the bot has a place for another game of a room's player."""
        taken = self._taken(playing)
        return self._is_free(live, count_games(taken), self._places - len(taken))

    def _is_free(self, live: LiveRoom, games: Counter[str], free: int) -> bool:
        """Return whether one of the free places is for a room's player."""
        return free > (self._reserved if share(live, games) else 0)

    def accept_rematch(self, live: LiveRoom) -> None:
        """Count a rematch, until the bot plays it or the room has refused it."""
        self._rematches[live.room.id] = live

    def _taken(self, playing: Mapping[str, LiveRoom]) -> list[LiveRoom]:
        """Return the rooms that have a place."""
        now = self._now()
        self._offered = {
            id: (live, until)
            for id, (live, until) in self._offered.items()
            if id not in playing and live.room.status == "waiting" and now < until
        }
        self._rematches = {id: live for id, live in self._rematches.items() if live.busy or live.queue}
        return [*playing.values(), *(live for live, _ in self._offered.values()), *self._rematches.values()]


def owners(live: LiveRoom) -> tuple[str, str]:
    """Return what a room counts for: the player who created it, and the address. Unknown addresses count as one."""
    return live.room.setup.by, live.origin


def count_games(rooms: Iterable[LiveRoom]) -> Counter[str]:
    """Return the number of rooms of each player and of each address."""
    return Counter(owner for live in rooms for owner in owners(live))


def share(live: LiveRoom, games: Counter[str]) -> int:
    """Return the number of games that a room's player has with the bot, or the player's address if it has more."""
    return max(games[owner] for owner in owners(live))
