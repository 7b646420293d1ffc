"""What the lobby tells of a room within one tick: the last word counts, a line or how far the game is."""

from __future__ import annotations

import pytest

from protocol.replies import LobbyUpdate
from server.domain import snapshots
from server.lobby.feed import LobbyFeed
from server.lobby.watcher_counts import WatcherCounts
from tests.server.domain.helpers import EVE, play, running
from tests.server.stage import Visitor

NEVER = 3600.0  # a tick that does not come by itself


class Opened:
    """A lobby that somebody looks at."""

    def __init__(self) -> None:
        self.lobby, self.visitor = LobbyFeed(NEVER, WatcherCounts({})), Visitor(EVE)
        self.lobby.enter(self.visitor)

    def told(self) -> LobbyUpdate:
        self.lobby.flush()
        return self.visitor.lobby.pop()


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_the_last_word_of_a_game_counts(elsewhere: bool) -> None:
    opened = Opened()
    room = play(running("cohcoh"), "a1")

    def changed() -> None:
        if elsewhere:
            opened.lobby.remote_changed(snapshots.room_info(room))
        else:
            opened.lobby.listing_changed(room)

    changed()
    opened.lobby.advanced({"r1": 2})
    update = opened.told()
    assert ([info.ply for info in update.rooms], update.plies) == ([1], {"r1": 2})
    opened.lobby.advanced({"r1": 0, "r2": 5})
    changed()
    update = opened.told()
    assert ([info.ply for info in update.rooms], update.plies) == ([1], {"r2": 5})
