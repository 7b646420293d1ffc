"""Cuts, black holes, restarts: a session goes on as if nothing had been, and says so."""

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
from protocol.commands import Create, List, Move, Watch
from protocol.events import Event, Presence
from protocol.types import TimeControl
from runtime.backoff import Backoff
from tests.e2e.faults import FaultProxy
from tests.e2e.parlours import parlour, seat_two, session, until


async def play_randomly(player: Session, room: str, rng: random.Random) -> None:
    """Move whenever it is our turn, knowing nothing of connections."""
    while player.rooms[room].status == "running":
        table = player.rooms[room]
        if table.my_move:
            assert table.game is not None
            move = table.game.format(table.state, rng.choice(table.game.moves(table.state)))
            ok = await player.ask(Move(id=player.id(), room=room, ply=table.ply, move=move))
            await until("our move comes back", partial(reached, player, room, ok.seq))
        else:
            await asyncio.sleep(0.001)


def reached(player: Session, room: str, seq: int) -> bool:
    return player.rooms[room].seq >= seq


def came(proxy: FaultProxy, connections: int) -> bool:
    return proxy.connections >= connections and proxy.live > 0


def ended(player: Session, room: str) -> bool:
    return player.rooms[room].status == "ended"


def moves(table: RoomView) -> list[str]:
    return [played.move for played in table.moves]


async def test_fifty_cuts_in_one_game(tmp_path: Path) -> None:
    """144 moves; a connection lasts for one or two of them. Half of the cuts lose a command, half an answer."""
    async with parlour(tmp_path) as house:
        proxies = [FaultProxy(house.url, seed) for seed in (1, 2)]
        async with (
            proxies[0].open(),
            proxies[1].open(),
            session(proxies[0].url, "left") as left,
            session(proxies[1].url, "right", codec=JSON) as right,
            session(house.url, "watcher") as watcher,
        ):
            room = await seat_two(left, right, "cohcoh", options={"n": 12, "k": 12})
            await watcher.ask(Watch(id=watcher.id(), room=room))
            for proxy, most in zip(proxies, (560, 800), strict=True):  # JSON needs more bytes for the same
                proxy.cut_between = (250, most)
                proxy.cut()
            rng = random.Random(7)
            await asyncio.wait_for(asyncio.gather(play_randomly(left, room, rng), play_randomly(right, room, rng)), 60)
            await until("the watcher sees the end", partial(ended, watcher, room))
            assert sum(proxy.cuts for proxy in proxies) >= 50
            tables = [player.rooms[room] for player in (left, right, watcher)]
            assert len({tuple(moves(table)) for table in tables}) == 1
            assert {table.reason for table in tables} == {"no_moves"}  # a full board
            assert [player.rooms.desyncs for player in (left, right, watcher)] == [0, 0, 0]


async def test_a_black_hole_is_noticed(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, FaultProxy(house.url).open() as proxy:  # noqa: SIM117
        async with session(proxy.url, "left", idle_timeout=1.0) as left, session(house.url, "right") as right:
            room = await seat_two(left, right, "maxconnect4")
            proxy.swallow = True
            asking = asyncio.create_task(left.ask(Move(id=left.id(), room=room, ply=0, move="4")))
            happenings = aiter(left)
            lost = await asyncio.wait_for(next_of(happenings, Disconnected), 20)
            assert isinstance(lost, Disconnected)
            proxy.swallow = False
            assert isinstance(await asyncio.wait_for(next_of(happenings, Connected), 20), Connected)
            await asking
            await until("the move is there", lambda: moves(right.rooms[room]) == ["4"])


async def next_of(happenings: object, kind: type) -> object:
    while True:
        happening = await anext(happenings)  # type: ignore[call-overload]
        if isinstance(happening, kind):
            return happening


async def test_a_watcher_misses_nothing(tmp_path: Path) -> None:
    async with (
        parlour(tmp_path) as house,
        FaultProxy(house.url).open() as proxy,
        session(house.url, "left") as left,
        session(house.url, "right") as right,
        session(proxy.url, "watcher") as watcher,
    ):
        room = await seat_two(left, right, "mancala")
        await watcher.ask(Watch(id=watcher.id(), room=room))
        seen: list[int] = []

        async def listen() -> None:
            async for happening in watcher:
                if isinstance(happening, Event):
                    seen.append(happening.seq)

        listening = asyncio.create_task(listen())
        rng = random.Random(3)
        playing = asyncio.gather(play_randomly(left, room, rng), play_randomly(right, room, rng))
        for _ in range(5):
            await until("there is something to cut", partial(came, proxy, proxy.connections))
            wanted = proxy.connections + 1
            proxy.cut()
            await until("the watcher is back", partial(came, proxy, wanted))
        await asyncio.wait_for(playing, 30)
        await until("it sees the end", partial(ended, watcher, room))
        assert moves(watcher.rooms[room]) == moves(left.rooms[room])
        assert seen == sorted(set(seen)), "each event once, in order"
        assert watcher.rooms.desyncs == 0
        listening.cancel()


async def test_a_restart_of_the_server(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:
        port = int(house.url.rsplit(":", 1)[1].removesuffix("/ws"))
        left, right = session(house.url, "left"), session(house.url, "right", wait_for_server=False)
        await left.open()
        await right.open()
        room = await seat_two(left, right, "conga", clock=TimeControl(kind="fischer", base=60_000))
        await left.ask(Move(id=left.id(), room=room, ply=0, move="a4b3"))
    asking = asyncio.create_task(right.ask(Move(id=right.id(), room=room, ply=1, move="d1c1")))
    async with parlour(tmp_path, port=port):
        await asyncio.wait_for(asking, 20)
        await until("both know", lambda: moves(left.rooms[room]) == moves(right.rooms[room]) == ["a4b3", "d1c1"])
        await left.close()
        await right.close()


async def test_what_may_not_be_sent_twice_is_cut(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:  # noqa: SIM117
        async with FaultProxy(house.url).open() as proxy, session(proxy.url, "left") as left:
            proxy.swallow = True
            asking = asyncio.create_task(left.ask(Create(id=left.id(), game="conga")))
            await asyncio.sleep(0.05)
            proxy.swallow = False
            proxy.cut()
            with pytest.raises(ConnectionLost, match="lost before the reply arrived"):
                await asking
            assert (await left.ask(Create(id=left.id(), game="conga"))).room


async def test_whoever_leaves_at_once_leaves_nothing_half_begun(tmp_path: Path) -> None:
    """News of an unknown room make a session ask about it; it may be closed before it comes to that."""
    async with parlour(tmp_path) as house:
        eve = session(house.url, "eve")
        await eve.open()
        eve._receive(Presence(room="nowhere", seq=3, at=0, seat=0, online=True))
        await eve.close()
    gc.collect()  # a coroutine that was never awaited would complain


async def test_nobody_there() -> None:
    lonely = session("ws://127.0.0.1:9")
    with pytest.raises(NoServer, match=r"no connection to ws://127\.0\.0\.1:9/ws"):
        await lonely.open(within=0.2)
    with pytest.raises((Closed, NoServer)):
        await lonely.ask(List(id=lonely.id()))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_who_does_not_wait_is_told_at_once(host: str) -> None:
    lonely = session(f"ws://{host}:9", wait_for_server=False, backoff=Backoff(60.0, 60.0))
    with pytest.raises(NoServer, match="connection refused; is parlour serve running there"):
        await asyncio.wait_for(lonely.open(), 10)


async def test_not_a_parlour(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:
        with pytest.raises(NoServer, match=r"there is no Parlour server at .*/elsewhere \(HTTP status 404\)"):
            await session(house.url.replace("/ws", "/elsewhere")).open()


async def test_a_server_that_says_no(tmp_path: Path) -> None:
    async with parlour(tmp_path, auth="tokens") as house:
        with pytest.raises(Refused, match="accepts accounts only") as caught:
            await session(house.url, "guest").open()
        assert caught.value.code == "guests_refused"
        with pytest.raises(Refused, match="unknown or revoked token"):
            await session(house.url, token="wrong").open()


async def test_a_forgotten_session_becomes_somebody_new(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house, session(house.url, "left", resume="of another time") as left:
        assert left.welcome is not None
        assert left.welcome.you.name == "left"
        assert left.resume == left.welcome.session != "of another time"


async def test_one_whom_the_server_forgets_watches_on_without_the_seats(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:  # noqa: SIM117
        async with FaultProxy(house.url).open() as proxy, session(proxy.url, "left") as left:
            async with session(house.url, "right") as right:
                mine = await seat_two(left, right)
                other = (await right.ask(Create(id=right.id(), game="conga"))).room
                await left.ask(Watch(id=left.id(), room=other))
                await until("it watches", lambda: other in left.rooms)
                assert left.welcome is not None
                before = left.welcome.you.id
                left.resume = "forgotten"
                proxy.cut()
                await until("it is somebody new", lambda: left.welcome is not None and left.welcome.you.id != before)
                await until("and watches", lambda: other in left.rooms)
                assert mine not in left.rooms


async def test_no_answer_in_time(tmp_path: Path) -> None:
    async with parlour(tmp_path) as house:  # noqa: SIM117
        async with FaultProxy(house.url).open() as proxy, session(proxy.url, "left") as left:
            proxy.swallow = True
            with pytest.raises(ReplyTimeout):
                await left.ask(List(id=left.id()), within=0.05)
            proxy.cut()


async def test_the_server_limits_are_kept(tmp_path: Path) -> None:
    """More commands than the server takes at once: the session waits its turn, and nothing is refused.

    Nor if it stands still for a while, after which all of them could have been sent.
    """
    async with parlour(tmp_path, rate=200.0, burst=20) as house, session(house.url, "left") as left:
        asking = asyncio.gather(*(left.ask(List(id=left.id())) for _ in range(60)))
        await asyncio.sleep(0)  # the first are on their way
        time.sleep(0.5)  # noqa: ASYNC251  # that is the fault
        await asking
        assert house.app.metrics.refusals["rate_limited"] == 0
