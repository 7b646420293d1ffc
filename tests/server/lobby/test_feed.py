from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from protocol.replies import LobbyUpdate
from protocol.types import BotInfo
from server.domain import snapshots
from server.lobby.feed import MAX_LOBBY_BACKLOG_BYTES, LobbyFeed, unique_by_name
from server.lobby.watcher_counts import WatcherCounts
from tests.server.domain.helpers import ANN, EVE, play, running
from tests.server.fakes import RecordingClient

TICK_S = 3600.0  # the tests flush by hand
RANDOM, GREEDY = (BotInfo(name=name, plays=("conga",)) for name in ("random", "greedy"))


class Lobby:
    """A lobby feed with one client in it."""

    def __init__(self) -> None:
        self.feed, self.client = LobbyFeed(TICK_S, WatcherCounts({})), RecordingClient(EVE)
        self.feed.enter(self.client)

    def update(self) -> LobbyUpdate:
        """Return what the client gets on the next tick."""
        self.feed.flush()
        update: LobbyUpdate = self.client.messages.pop()
        return update


@pytest.fixture
async def lobby() -> Lobby:
    return Lobby()


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_newest_news_of_a_game_replaces_the_older(lobby: Lobby, elsewhere: bool) -> None:
    room = play(running("cohcoh"), "a1")

    def changed() -> None:
        if elsewhere:
            lobby.feed.remote_changed(snapshots.room_info(room))
        else:
            lobby.feed.listing_changed(room)

    changed()
    lobby.feed.advanced({"r1": 2})
    update = lobby.update()
    assert ([info.ply for info in update.rooms], update.plies) == ([1], {"r1": 2})
    lobby.feed.advanced({"r1": 0, "r2": 5})
    changed()
    update = lobby.update()
    assert ([info.ply for info in update.rooms], update.plies) == ([1], {"r2": 5})


async def test_client_in_json_gets_text_frames(lobby: Lobby) -> None:
    other = RecordingClient(ANN, text=True)
    lobby.feed.enter(other)
    lobby.feed.advanced({"r1": 2})
    lobby.feed.flush()
    assert other.lobby == lobby.client.lobby == [LobbyUpdate(rooms=(), plies={"r1": 2})]


@pytest.mark.parametrize(
    "change",
    [
        lambda feed: feed.advanced({"r1": 2}),
        lambda feed: feed.listing_changed(running()),
        lambda feed: feed.remote_changed(snapshots.room_info(running())),
        lambda feed: feed.add_bot(RecordingClient(ANN), RANDOM),
        lambda feed: feed.set_remote_bots("n2", (RANDOM,)),
    ],
)
async def test_every_change_is_sent_on_the_next_tick(change: Callable[[LobbyFeed], None]) -> None:
    feed, client = LobbyFeed(0.0, WatcherCounts({})), RecordingClient(EVE)
    feed.enter(client)
    change(feed)
    assert client.lobby == []
    await next_tick()
    assert len(client.lobby) == 1


async def test_changes_within_a_tick_are_sent_together() -> None:
    feed, client = LobbyFeed(0.0, WatcherCounts({})), RecordingClient(EVE)
    feed.advanced({"r1": 1})  # without clients there is no tick
    feed.enter(client)
    for updates in (1, 2):
        feed.advanced({"r1": updates})
        feed.listing_changed(running())
        await next_tick()
        assert len(client.lobby) == updates


async def next_tick() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_client_that_has_left_gets_no_updates(lobby: Lobby) -> None:
    lobby.feed.leave(lobby.client)
    assert not lobby.feed.watched
    lobby.feed.advanced({"r1": 2})
    lobby.feed.listing_changed(running())
    lobby.feed.enter(lobby.client)
    assert lobby.update() == LobbyUpdate(rooms=())  # nothing was gathered without clients


async def test_client_that_does_not_read_is_disconnected(lobby: Lobby) -> None:
    slow, limit = RecordingClient(ANN), RecordingClient(ANN)
    slow.unread_bytes, limit.unread_bytes = MAX_LOBBY_BACKLOG_BYTES + 1, MAX_LOBBY_BACKLOG_BYTES
    lobby.feed.enter(slow)
    lobby.feed.enter(limit)
    lobby.feed.advanced({"r1": 2})
    lobby.feed.flush()
    assert slow.closed == (1008, "too slow for the lobby")
    assert (slow.lobby, len(limit.lobby), limit.closed) == ([], 1, None)
    assert not lobby.feed.is_listening(slow)


async def test_bots_are_sent_only_when_they_change(lobby: Lobby) -> None:
    lobby.feed.add_bot(RecordingClient(ANN), RANDOM)
    assert lobby.update().bots == (RANDOM,)
    lobby.feed.advanced({"r1": 2})
    assert lobby.update().bots is None


async def test_bot_is_listed_until_its_client_disconnects(lobby: Lobby) -> None:
    announced: list[tuple[BotInfo, ...]] = []
    lobby.feed.on_bots = announced.append
    bot = RecordingClient(ANN)
    lobby.feed.add_bot(bot, RANDOM)
    assert lobby.feed.is_listening(bot)
    lobby.feed.disconnect(bot)
    lobby.feed.disconnect(RecordingClient(EVE))  # not a bot
    assert not lobby.feed.is_listening(bot)
    assert announced == [(RANDOM,), ()]
    assert lobby.update().bots == ()


async def test_bots_of_other_nodes_are_listed_with_ours(lobby: Lobby) -> None:
    lobby.feed.add_bot(RecordingClient(ANN), RANDOM)
    lobby.feed.set_remote_bots("n2", (GREEDY, RANDOM))
    assert lobby.update().bots == (GREEDY, RANDOM)
    lobby.feed.set_remote_bots("n2", (GREEDY, RANDOM))
    lobby.feed.advanced({"r1": 2})
    assert lobby.update().bots is None
    lobby.feed.set_remote_bots("n2", ())
    assert lobby.update().bots == (RANDOM,)


def test_bot_with_two_connections_is_listed_once() -> None:
    assert unique_by_name([RANDOM, GREEDY, RANDOM]) == (GREEDY, RANDOM)


async def test_disconnected_client_gets_no_updates(lobby: Lobby) -> None:
    lobby.feed.disconnect(lobby.client)
    assert not lobby.feed.watched
