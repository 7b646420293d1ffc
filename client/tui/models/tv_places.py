"""The places of the TV: which games are shown, and which game comes when another has ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

GRID_SHAPES = ((1, 1), (2, 1), (2, 2), (3, 2), (3, 3))
RESULT_S = 5.0  # how long a result stays before the next game comes


class TvPlaces:
    """The rooms on the TV in their places. The caller passes the time."""

    def __init__(self) -> None:
        self.rooms: list[str] = []
        self.held = False  # keep all games in their places
        self._ended_at: dict[str, float] = {}
        self._waiting: list[str] = []  # live games without a place, in the order in which they come

    def end(self, room: str, now: float) -> None:
        """Note that a game has ended."""
        self._ended_at.setdefault(room, now)

    def arrange(self, live: Sequence[str], size: int, now: float) -> None:
        """Fill free places, and places whose result was shown long enough. A game without a successor stays."""
        del self.rooms[size:]
        self._waiting = [room for room in live if room not in self.rooms and room not in self._ended_at]
        while self._waiting and len(self.rooms) < size:
            self.rooms.append(self._waiting.pop(0))
        for place, room in enumerate(self.rooms):
            if self._waiting and not self.held and self.seconds_left(room, now) == 0:
                self.rooms[place] = self._waiting.pop(0)
        self._forget(live)

    def turn_page(self, rooms: Sequence[str], size: int, step: int) -> None:
        """Show the next games of all `rooms`, or the previous ones with `step` -1.

        The order of `rooms` must not depend on which of them are watched: otherwise some would never be shown.
        """
        if len(rooms) <= size:
            return
        shown = self.rooms[0] if self.rooms else ""
        first = (rooms.index(shown) if shown in rooms else 0) + step * size
        self.rooms = [rooms[(first + n) % len(rooms)] for n in range(size)]
        self._waiting = [room for room in rooms if room not in self.rooms]

    def remove(self, room: str) -> None:
        """Remove a room that cannot be watched."""
        if room in self.rooms:
            self.rooms.remove(room)

    def keep(self, rooms: Iterable[str]) -> None:
        """Remove all other rooms."""
        kept = set(rooms)
        self.rooms = [room for room in self.rooms if room in kept]

    def seconds_left(self, room: str, now: float) -> float | None:
        """Return how long a result stays; None while the game runs."""
        ended = self._ended_at.get(room)
        return None if ended is None else max(0.0, ended + RESULT_S - now)

    @property
    def has_next(self) -> bool:
        """Whether a game waits for a place."""
        return bool(self._waiting)

    def _forget(self, live: Sequence[str]) -> None:
        """Drop the end times that are no longer needed."""
        for room in self._ended_at.keys() - set(self.rooms) - set(live):
            del self._ended_at[room]


def grid_shape(games: int) -> tuple[int, int]:
    """Return the columns and rows of the TV for up to nine games."""
    return next(shape for shape in GRID_SHAPES if games <= shape[0] * shape[1])
