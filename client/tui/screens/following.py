"""A screen that watches the rooms it shows, and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from client.tui.screens.base import BaseScreen


class FollowingScreen(BaseScreen):
    """Watches a room as long as it is on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.followed: list[str] = []

    def shows(self, room: str) -> bool:
        return room in self.followed

    def follow_only(self, rooms: Sequence[str], refused: Callable[[str, str], None] | None = None) -> None:
        """Watch exactly these rooms. Call `refused` with a room that cannot be watched, and the reason."""
        before, self.followed = self.followed, list(rooms)
        for room in before:
            if room not in self.followed:
                self.client.unfollow(room)
        for room in self.followed:
            if room not in before:
                self.client.follow(room, refused)
