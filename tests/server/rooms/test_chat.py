from __future__ import annotations

import pytest

from protocol.codec import decode_event
from protocol.commands import Move, Say, Watch
from protocol.events import Said
from protocol.types import Player
from server.domain.room import replay
from server.rooms.live_room import LiveRoom
from tests.server.conftest import Build
from tests.server.domain.helpers import EVE
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import start_game


async def watch(server: Harness, live: LiveRoom, player: Player = EVE) -> RecordingClient:
    client = server.connect(player)
    await server.ask(client, Watch, room=live.room.id)
    return client


async def say(server: Harness, client: RecordingClient, live: LiveRoom, times: int = 1) -> list[str]:
    """Send some chat lines. Return the codes of the refusals."""
    replies = [await server.ask(client, Say, room=live.room.id, text="hi") for _ in range(times)]
    return [reply.code for reply in replies if hasattr(reply, "text") and hasattr(reply, "retry_after")]


async def test_watcher_may_say_a_quarter_of_what_a_player_may(build: Build) -> None:
    server = await build(chat_rate=2.0, chat_burst=8)
    live, ann, _ = await start_game(server)
    eve = await watch(server, live)
    assert await say(server, ann, live, 9) == ["rate_limited"]
    assert await say(server, eve, live, 3) == ["rate_limited"]
    (refusal,) = [message for message in eve.messages if getattr(message, "code", "") == "rate_limited"]
    assert refusal.retry_after == 2.0
    server.clock.advance(2000)
    assert await say(server, eve, live, 1) == []


async def test_all_watchers_together_may_say_as_much_as_a_player(build: Build) -> None:
    server = await build(chat_rate=2.0, chat_burst=8)
    live, ann, ben = await start_game(server)
    crowd = [await watch(server, live, Player(id=f"p{number}", name=f"guest{number}")) for number in range(6)]
    refused = [code for client in crowd for code in await say(server, client, live, 2)]
    assert refused == ["rate_limited"] * 4
    assert await say(server, ann, live, 8) == await say(server, ben, live, 8) == []


async def test_players_keep_their_lines_when_watchers_have_used_theirs(build: Build) -> None:
    server = await build(chat_lines=3, chat_burst=100)
    live, ann, _ = await start_game(server)
    eve = await watch(server, live)
    assert await say(server, eve, live, 4) == ["bad_request"]
    assert "at most 3 lines of watchers" in eve.messages[-1].text
    assert await say(server, ann, live, 4) == ["bad_request"]
    assert live.room.chat_counts == (3, 3)
    assert len(ann.of(Said)) == 6
    again = replay(map(decode_event, live.log))
    assert again.chat_counts == (3, 3)


async def test_watchers_are_silent_while_a_player_reads_slowly(build: Build) -> None:
    server = await build(send_buffer=4000)
    live, ann, ben = await start_game(server)
    eve = await watch(server, live)
    ben.unread_bytes = 1001
    assert await say(server, eve, live) == ["rate_limited"]
    assert await say(server, ann, live) == []
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    assert ben.closed is None
    ben.unread_bytes = 0
    assert await say(server, eve, live) == []


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "x" * 501])
async def test_unreadable_lines_cost_nothing(server: Harness, text: str) -> None:
    live, ann, _ = await start_game(server)
    for _ in range(50):
        assert (await server.ask(ann, Say, room=live.room.id, text=text)).code in ("bad_request", "too_long")
    assert await say(server, ann, live) == []
