"""A session survives lost connections, silent networks and restarts of the server."""

from __future__ import annotations

import asyncio
import gc
import random
import time
from functools import partial
from pathlib import Path

import pytest

from client.sdk.errors import Closed, ConnectionLost, NoServer, Refused, ReplyTimeout
from client.sdk.events import Connected, Disconnected
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from protocol.codec import JSON
from protocol.commands import Create, List, Move, Say, Watch
from protocol.events import Event, Presence
from protocol.types import TimeControl
from runtime.backoff import Backoff
from tests.e2e.faults import FaultProxy
from tests.e2e.local_server import running_server, seat_two, session, until
from tests.waiting import TIMEOUT_S


async def play_randomly(player: Session, room: str, rng: random.Random) -> None:
    """Make random moves until the game ends, without regard to connections."""
    while player.rooms[room].status == "running":
        view = player.rooms[room]
        if view.my_move:
            assert view.game is not None
            move = view.game.format(view.state, rng.choice(view.game.moves(view.state)))
            ok = await player.ask(Move(id=player.id(), room=room, ply=view.ply, move=move))
            await until("our move arrives as an event", partial(reached, player, room, ok.seq))
        else:
            await asyncio.sleep(0.001)


def reached(player: Session, room: str, seq: int) -> bool:
    return player.rooms[room].seq >= seq


def reconnected(proxy: FaultProxy, connections: int) -> bool:
    return proxy.connections >= connections and proxy.live > 0


def ended(player: Session, room: str) -> bool:
    return player.rooms[room].status == "ended"


def moves(view: RoomView) -> list[str]:
    return [played.move for played in view.moves]


def has_moves(player: Session, room: str, expected: list[str]) -> bool:
    return moves(player.rooms[room]) == expected


async def test_game_survives_fifty_lost_connections(tmp_path: Path) -> None:
    """A connection lasts for one or two of 144 moves. Half of the cuts lose a command, half a reply."""
    async with running_server(tmp_path) as server:
        proxies = [FaultProxy(server.url, seed) for seed in (1, 2)]
        async with (
            proxies[0].open(),
            proxies[1].open(),
            session(proxies[0].url, "left") as left,
            session(proxies[1].url, "right", codec=JSON) as right,
            session(server.url, "watcher") as watcher,
        ):
            room = await seat_two(left, right, "cohcoh", options={"n": 12, "k": 12})
            await watcher.ask(Watch(id=watcher.id(), room=room))
            for proxy, most in zip(proxies, (560, 800), strict=True):  # JSON is longer
                proxy.cut_between = (250, most)
                proxy.cut()
            rng = random.Random(7)
            await asyncio.wait_for(
                asyncio.gather(play_randomly(left, room, rng), play_randomly(right, room, rng)), TIMEOUT_S
            )
            await until("the watcher sees the end", partial(ended, watcher, room))
            assert sum(proxy.cuts for proxy in proxies) >= 50
            views = [player.rooms[room] for player in (left, right, watcher)]
            assert len({tuple(moves(view)) for view in views}) == 1
            assert {view.reason for view in views} == {"no_moves"}  # the board is full
            assert [player.rooms.desyncs for player in (left, right, watcher)] == [0, 0, 0]


async def test_silent_network_is_detected(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, FaultProxy(server.url).open() as proxy:  # noqa: SIM117
        async with session(proxy.url, "left", idle_timeout=1.0) as left, session(server.url, "right") as right:
            room = await seat_two(left, right, "maxconnect4")
            proxy.swallow = True
            asking = asyncio.create_task(left.ask(Move(id=left.id(), room=room, ply=0, move="4")))
            events = aiter(left)
            lost = await asyncio.wait_for(next_of(events, Disconnected), TIMEOUT_S)
            assert isinstance(lost, Disconnected)
            proxy.swallow = False
            assert isinstance(await asyncio.wait_for(next_of(events, Connected), TIMEOUT_S), Connected)
            await asking
            await until("the move has arrived", lambda: moves(right.rooms[room]) == ["4"])


async def next_of(events: object, kind: type) -> object:
    while True:
        event = await anext(events)  # type: ignore[call-overload]
        if isinstance(event, kind):
            return event


async def test_watcher_misses_no_event(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        FaultProxy(server.url).open() as proxy,
        session(server.url, "left") as left,
        session(server.url, "right") as right,
        session(proxy.url, "watcher") as watcher,
    ):
        room = await seat_two(left, right, "mancala")
        await watcher.ask(Watch(id=watcher.id(), room=room))
        seen: list[int] = []

        async def listen() -> None:
            async for event in watcher:
                if isinstance(event, Event):
                    seen.append(event.seq)

        listening = asyncio.create_task(listen())
        rng = random.Random(3)
        playing = asyncio.gather(play_randomly(left, room, rng), play_randomly(right, room, rng))
        for _ in range(5):
            await until("the watcher is connected", partial(reconnected, proxy, proxy.connections))
            wanted = proxy.connections + 1
            proxy.cut()
            await until("the watcher is back", partial(reconnected, proxy, wanted))
        await asyncio.wait_for(playing, TIMEOUT_S)
        await until("the watcher sees the end", partial(ended, watcher, room))
        assert moves(watcher.rooms[room]) == moves(left.rooms[room])
        assert seen == sorted(set(seen)), "each event once, in order"
        assert watcher.rooms.desyncs == 0
        listening.cancel()


async def test_session_that_missed_many_events_continues_from_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.handlers.dispatcher.MAX_EVENTS_RESENT", 2)
    async with (
        running_server(tmp_path) as server,
        FaultProxy(server.url).open() as proxy,
        session(server.url, "left") as left,
        session(server.url, "right") as right,
        session(proxy.url, "watcher") as watcher,
    ):
        room = await seat_two(left, right, "mancala")
        await watcher.ask(Watch(id=watcher.id(), room=room))
        wanted = proxy.connections + 1
        proxy.refuse = True
        proxy.cut()
        for number in range(5):
            await left.ask(Say(id=left.id(), room=room, text=str(number)))
        proxy.refuse = False
        await until("the watcher is back", partial(reconnected, proxy, wanted))
        await until(
            "the watcher has caught up", lambda: [line.text for line in watcher.rooms[room].chat] == list("01234")
        )
        await left.ask(Say(id=left.id(), room=room, text="5"))
        await until("events continue", lambda: watcher.rooms[room].chat[-1].text == "5")
        assert watcher.rooms.desyncs == 0


async def test_session_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        port = int(server.url.rsplit(":", 1)[1].removesuffix("/ws"))
        left, right = session(server.url, "left"), session(server.url, "right", wait_for_server=False)
        await left.open()
        await right.open()
        room = await seat_two(left, right, "conga", clock=TimeControl(kind="fischer", base=60_000))
        await left.ask(Move(id=left.id(), room=room, ply=0, move="a4b3"))
    asking = asyncio.create_task(right.ask(Move(id=right.id(), room=room, ply=1, move="d1c1")))
    async with running_server(tmp_path, port=port):
        await asyncio.wait_for(asking, TIMEOUT_S)
        await until(
            "both see both moves", lambda: moves(left.rooms[room]) == moves(right.rooms[room]) == ["a4b3", "d1c1"]
        )
        await left.close()
        await right.close()


async def test_command_that_must_not_be_sent_twice_fails(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:  # noqa: SIM117
        async with FaultProxy(server.url).open() as proxy, session(proxy.url, "left") as left:
            proxy.swallow = True
            asking = asyncio.create_task(left.ask(Create(id=left.id(), game="conga")))
            await asyncio.sleep(0.05)
            proxy.swallow = False
            proxy.cut()
            with pytest.raises(ConnectionLost, match="lost before the reply arrived"):
                await asking
            assert (await left.ask(Create(id=left.id(), game="conga"))).room


async def test_session_closed_at_once_leaves_no_coroutine_unawaited(tmp_path: Path) -> None:
    """An event of an unknown room starts a request. The session may be closed before the request is sent."""
    async with running_server(tmp_path) as server:
        eve = session(server.url, "eve")
        await eve.open()
        eve._receive(Presence(room="nowhere", seq=3, at=0, seat=0, online=True))
        await eve.close()
    gc.collect()  # an unawaited coroutine would warn


async def test_unreachable_server_is_an_error() -> None:
    client = session("ws://127.0.0.1:9")
    with pytest.raises(NoServer, match=r"no connection to ws://127\.0\.0\.1:9/ws"):
        await client.open(within=0.2)
    with pytest.raises((Closed, NoServer)):
        await client.ask(List(id=client.id()))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_session_that_does_not_wait_fails_at_once(host: str) -> None:
    client = session(f"ws://{host}:9", wait_for_server=False, backoff=Backoff(60.0, 60.0))
    with pytest.raises(NoServer, match="connection refused; start a server there with 'parlour serve'"):
        await asyncio.wait_for(client.open(), TIMEOUT_S)


async def test_other_path_is_not_a_server(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        with pytest.raises(NoServer, match=r"there is no Parlour server at .*/elsewhere \(HTTP status 404\)"):
            await session(server.url.replace("/ws", "/elsewhere")).open()


async def test_refused_hello_is_raised(tmp_path: Path) -> None:
    async with running_server(tmp_path, auth="tokens") as server:
        with pytest.raises(Refused, match="accepts accounts only") as caught:
            await session(server.url, "guest").open()
        assert caught.value.code == "guests_refused"
        with pytest.raises(Refused, match="unknown or revoked token"):
            await session(server.url, token="wrong").open()


async def test_unknown_session_gets_a_new_identity(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "left", resume="unknown") as left:
        assert left.welcome is not None
        assert left.welcome.you.name == "left"
        assert left.resume == left.welcome.session != "unknown"


async def test_new_identity_keeps_watching_without_the_seats(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:  # noqa: SIM117
        async with FaultProxy(server.url).open() as proxy, session(proxy.url, "left") as left:
            async with session(server.url, "right") as right:
                mine = await seat_two(left, right)
                other = (await right.ask(Create(id=right.id(), game="conga"))).room
                await left.ask(Watch(id=left.id(), room=other))
                await until("it watches the room", lambda: other in left.rooms)
                assert left.welcome is not None
                before = left.welcome.you.id
                left.resume = "forgotten"
                proxy.cut()
                await until("it has a new identity", lambda: left.welcome is not None and left.welcome.you.id != before)
                await until("it watches the room again", lambda: other in left.rooms)
                assert mine not in left.rooms


async def test_missing_reply_times_out(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:  # noqa: SIM117
        async with FaultProxy(server.url).open() as proxy, session(proxy.url, "left") as left:
            proxy.swallow = True
            with pytest.raises(ReplyTimeout):
                await left.ask(List(id=left.id()), within=0.05)
            proxy.cut()


async def test_rate_limit_of_the_server_is_kept(tmp_path: Path) -> None:
    """More commands than the burst allows are delayed, also after the event loop was blocked."""
    async with running_server(tmp_path, rate=200.0, burst=20) as server, session(server.url, "left") as left:
        asking = asyncio.gather(*(left.ask(List(id=left.id())) for _ in range(20)))
        await asyncio.sleep(0)  # the first are sent
        time.sleep(0.5)  # noqa: ASYNC251  # block the event loop
        await asking
        assert server.app.metrics.refusals["rate_limited"] == 0
