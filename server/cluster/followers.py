"""Which other processes have a room loaded, and therefore get its events."""

from __future__ import annotations

from typing import Generic, TypeVar

P = TypeVar("P")  # how the bus names another process


class Followers(Generic[P]):
    """The processes that follow each room which is loaded here."""

    def __init__(self) -> None:
        self._rooms: dict[str, list[P]] = {}
        self.of = self._rooms.get  # called for every move

    def add(self, room: str, process: P) -> bool:
        """Send the events of a room to a process from now on. Return whether it got none before."""
        followers = self._rooms.setdefault(room, [])
        if process in followers:
            return False
        followers.append(process)
        return True

    def copy(self, old: str, new: str) -> list[P] | None:
        """Let the followers of one room follow another. Return them."""
        followers = self._rooms.get(old)
        if followers:
            self._rooms[new] = list(followers)
        return followers

    def remove(self, room: str, process: P) -> None:
        """Send a process no more events of a room."""
        followers = self._rooms.get(room, [])
        if process in followers:
            followers.remove(process)
        if not followers:
            self._rooms.pop(room, None)

    def take(self, room: str) -> list[P]:
        """Forget a room. Return the processes that followed it."""
        return self._rooms.pop(room, [])

    def forget(self, process: P) -> None:
        """Forget a process that has ended."""
        for room in [room for room, followers in self._rooms.items() if process in followers]:
            self.remove(room, process)
