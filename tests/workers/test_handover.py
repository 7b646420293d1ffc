"""Connections that move to the worker at which their game is at home."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from protocol.codec import decode_event
from server.app import Running
from server.ids import home_worker
from server.rooms.timers import now
from server.transport.connection import Connection, ConnectionState
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest, Message
from tests.e2e.play import move, room_of
from tests.nodes.conftest import Start
from tests.waiting import TIMEOUT_S, settle, until

OFTEN = {"workers": 2, "sweep": 0.05}
BY_HAND = {"workers": 2, "sweep": 3600.0}  # connections move when a test calls `sweep`


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let connections move as soon as a game runs, and allow a busy machine to take them late."""
    monkeypatch.setattr("server.handover.FIRST_STAY_S", 0.0)
    monkeypatch.setattr("server.handover.ANSWER_TIMEOUT_S", 3600.0)
    monkeypatch.setattr("server.handover.OFFER_VALID_S", 3600.0)


def players_at(worker: Running, room: str) -> int:
    """Return the number of players of a room who are connected to a worker."""
    live = worker.app.registry.rooms.get(room)
    return 0 if live is None else sum(map(len, live.players))


async def moved_to(worker: Running, room: str) -> None:
    await until("both players are at one worker", lambda: players_at(worker, room) == 2)


def sweep(worker: Running) -> None:
    """Let connections move now."""
    assert worker.app.server.handover is not None
    worker.app.server.handover.sweep(worker.app.server.connections)


def hold_offers(worker: Running) -> tuple[Any, list[Any]]:
    """Let a worker take no connection, as if it hung. Return what takes one, and the offers."""
    assert worker.app.server.handover is not None
    link = worker.app.server.handover._link
    take, offers = link.on_offer, list[Any]()
    link.on_offer = lambda *offer: offers.append(offer)
    return take, offers


async def play_on(first: Guest, second: Guest, room: str, plies: range) -> None:
    """Play Max-Connect4 from one ply to another. Both players receive each move once, in order."""
    for ply in plies:
        player, other = (first, second) if ply % 2 == 0 else (second, first)
        await move(player, room, ply, str(ply % 7 + 1))
        seen = await other.find(type="moved", room=room)
        assert seen["ply"] == ply + 1


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_player_moves_to_the_home_of_the_game(start: Start, connect_guest: ConnectGuest, codec: str) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben", codec)
    room = await room_of(ann, ben, "maxconnect4")
    assert home_worker(room, 2) == 0
    await moved_to(left, room)
    await play_on(ann, ben, room, range(8))
    assert left.app.metrics.arrivals == 1
    await until("the old connection is closed", lambda: not right.app.server.connections)
    assert right.app.presence.named("ben") == []
    assert left.app.ip_limits.counts() == {"127.0.0.1": 2.0}
    assert right.app.ip_limits.counts() == {}
    kinds = [type(decode_event(payload)).__name__ for payload in left.app.registry.rooms[room].log]
    assert "Presence" not in kinds
    assert (await ben.refused("join", room="nowhere"))["code"] == "no_room"


async def test_commands_on_the_way_are_answered_once_and_in_order(start: Start, connect_guest: ConnectGuest) -> None:
    free = {**OFTEN, "rate": 1e6, "burst": 1_000_000}
    left, right = await start(**free), await start(**free)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    sent: list[int] = []
    answers: list[Message] = []
    while players_at(left, room) < 2 or len(answers) < len(sent):
        if players_at(left, room) < 2 and len(sent) - len(answers) < 100:
            sent += [await ben.send("move", room=room, ply=99, move="1") for _ in range(10)]
        answers.append(await ben.receive())
    assert [answer["id"] for answer in answers] == sent
    assert {answer["code"] for answer in answers} == {"stale"}
    await play_on(ann, ben, room, range(4))


async def test_bot_stays_listed_and_invited(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann = await connect_guest(left.url, "ann")
    bot = await connect_guest(right.url, "robot", bot=True, plays=["maxconnect4"], concurrent=2, engine="steel")
    room = await room_of(ann, bot, "maxconnect4")
    await moved_to(left, room)
    await until("the old connection is closed", lambda: not right.app.server.connections)
    for worker in (left, right):
        await until("the bot is listed", lambda worker=worker: [b.name for b in worker.app.feed.bots()] == ["robot"])  # type: ignore[misc]
    assert left.app.feed.bots()[0].engine == "steel"
    eve = await connect_guest(right.url, "eve")
    second = (await eve.ask("create", game="maxconnect4", invite="robot"))["room"]
    assert (await bot.find(type="invited"))["room"]["room"] == second


async def test_invitation_on_the_way_is_not_lost(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    eve = await connect_guest(right.url, "eve")
    take, offers = hold_offers(left)
    room = await room_of(ann, ben, "maxconnect4")
    await until("the connection is on its way", lambda: offers)
    created = await eve.ask("create", game="maxconnect4", invite="ben")
    take(*offers[0])
    assert (await ben.find(type="invited"))["room"]["room"] == created["room"]
    await moved_to(left, room)


async def test_move_on_the_way_arrives_once(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    take, offers = hold_offers(left)
    room = await room_of(ann, ben, "maxconnect4")
    await until("the connection is on its way", lambda: offers)
    await move(ann, room, 0, "1")
    take(*offers[0])
    assert (await ben.find(type="moved", room=room))["ply"] == 1
    await move(ben, room, 1, "2")
    assert (await ann.find(type="moved", room=room))["ply"] == 2


async def test_worker_that_missed_events_reads_them_first(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = await start(**BY_HAND), await start(**BY_HAND)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await move(ann, room, 0, "1")
    await ben.find(type="moved", room=room, ply=1)
    with monkeypatch.context() as deaf:
        deaf.setattr(left.app.registry, "received", lambda *event: None)
        await move(ben, room, 1, "2")
        await settle()
        sweep(right)
        await moved_to(left, room)
    assert (await ann.find(type="moved", room=room))["ply"] == 2
    await move(ann, room, 2, "3")
    assert (await ben.find(type="moved", room=room))["ply"] == 3


async def test_chat_of_the_last_game_goes_on(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    eve = await connect_guest(left.url, "eve")
    first = await room_of(ben, eve, "maxconnect4")
    await ben.ask("resign", room=first)
    await eve.find(type="ended", room=first)
    second = await room_of(ann, ben, "maxconnect4")
    await moved_to(left, second)
    await eve.ask("say", room=first, text="well played")
    assert (await ben.find(type="said"))["text"] == "well played"


async def test_player_of_a_game_that_no_worker_takes_connects_again(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.handover.ANSWER_TIMEOUT_S", 0.05)
    left, right = await start(**OFTEN), await start(**OFTEN)
    hold_offers(left)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await until("the connection is given up", lambda: not right.app.server.connections)
    assert await ben.closed() == 1006, "although the other worker has the socket, too"
    assert right.app.server.handover is not None
    assert right.app.server.handover._link._open == {}
    await ann.find(type="presence", room=room, seat=1, online=False)
    again = await connect_guest(left.url, resume=ben.session)
    await ann.find(type="presence", room=room, seat=1, online=True)
    await again.find(type="snapshot", room=room)
    await play_on(ann, again, room, range(4))


async def test_worker_that_drains_takes_no_connection(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**BY_HAND), await start(**BY_HAND)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    left.app.status.draining = True
    sweep(right)
    assert await ben.closed() == 1006
    await until("nothing is left", lambda: not right.app.server.connections)
    await until("ben is offline", lambda: right.app.registry.rooms[room].room.away[1] is not None)


async def test_client_that_disconnects_on_the_way_is_offline(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    take, offers = hold_offers(left)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await until("the connection is on its way", lambda: offers)
    ben.socket.transport.abort()
    take(*offers[0])
    await ann.find(type="presence", room=room, seat=1, online=False)


async def test_credit_is_written_before_a_connection_moves(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**BY_HAND), await start(**BY_HAND)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    live = right.app.registry.rooms[room]
    live.uncharged_ms = 5000
    sweep(right)
    assert players_at(right, room) == 1
    live.uncharged_ms = 0
    sweep(right)
    await moved_to(left, room)


async def test_game_goes_on_here_if_its_home_cannot_be_reached(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**BY_HAND), await start(**BY_HAND)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    assert left.app.server.handover is not None
    left.app.server.handover._link.close()
    sweep(right)
    await play_on(ann, ben, room, range(4))
    assert (players_at(left, room), players_at(right, room)) == (1, 1)


async def test_connection_stays_longer_after_each_move(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.handover.FIRST_STAY_S", 3600.0)
    left, right = await start(**BY_HAND), await start(**BY_HAND)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    (connection,) = right.app.server.connections
    connection.moves = 3
    connection.opened_at -= 7 * 3600.0
    sweep(right)
    assert players_at(right, room) == 1
    connection.opened_at -= 3600.0
    sweep(right)
    await moved_to(left, room)
    assert [client.moves for client in left.app.server.connections if client.moves] == [4]


@pytest.mark.parametrize(
    "reason", ["two games", "a watcher", "in the lobby", "a house bot", "no games", "a rematch offer"]
)
async def test_connection_stays(start: Start, connect_guest: ConnectGuest, reason: str) -> None:
    slow = {"workers": 2, "sweep": 3600.0, "house": "ben" if reason == "a house bot" else "none"}
    left, right = await start(**slow), await start(**slow)
    ann, eve = await connect_guest(left.url, "ann"), await connect_guest(left.url, "eve")
    ben: Guest
    if reason == "a house bot":
        token = "t" * 20
        assert await left.app.store.add_account("ben", "p-ben", token, 1)
        ben = await connect_guest(right.url, token=token, plays=["maxconnect4"])
    else:
        ben = await connect_guest(right.url, "ben")
    if reason == "a watcher":
        room = await room_of(ann, eve, "maxconnect4")
        await ben.ask("watch", room=room)
    elif reason != "no games":
        if reason == "a rematch offer":
            last = await room_of(ben, eve, "maxconnect4")
            await ben.ask("resign", room=last)
            await eve.ask("rematch", room=last)
            await ben.find(type="rematch_offered")
        room = await room_of(ann, ben, "maxconnect4")
    if reason == "two games":
        await room_of(eve, ben, "maxconnect4")
    if reason == "in the lobby":
        await ben.ask("lobby", on=True)
    sweep(right)
    (connection,) = right.app.server.connections
    assert not connection.muted


async def test_account_that_is_revoked_after_the_move_is_disconnected(
    start: Start, connect_guest: ConnectGuest
) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    token = "t" * 20
    assert await left.app.store.add_account("ben", "p-ben", token, 1)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, token=token)
    room = await room_of(ann, ben, "maxconnect4")
    await moved_to(left, room)
    assert await left.app.store.revoke_account("ben", 2)
    await ben.closed()


async def test_rooms_of_an_arbiter_have_homes_at_all_workers(start: Start, connect_guest: ConnectGuest) -> None:
    left, _ = await start(**OFTEN), await start(**OFTEN)
    arbiter = await connect_guest(left.url, "arbiter")
    homes = set[int]()
    while len(homes) < 2:  # each try fails with a chance of one half
        created = await arbiter.ask("create", game="maxconnect4", players=["ann", "ben"])
        homes.add(home_worker(created["room"], 2))
        await arbiter.ask("abort", room=created["room"])


async def test_ping_on_the_way_is_answered(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    take, offers = hold_offers(left)
    room = await room_of(ann, ben, "maxconnect4")
    await until("the connection is on its way", lambda: offers)
    answered = await ben.socket.ping()
    take(*offers[0])
    await asyncio.wait_for(answered, TIMEOUT_S)
    await play_on(ann, ben, room, range(2))


async def test_closing_handshake_on_the_way_is_finished(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    take, offers = hold_offers(left)
    await room_of(ann, ben, "maxconnect4")
    await until("the connection is on its way", lambda: offers)
    closing = asyncio.ensure_future(ben.socket.close(4000))
    await settle()
    take(*offers[0])
    await closing
    assert ben.socket.close_code == 4000


async def test_worker_that_was_stopped_reads_the_answer_first(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.handover.ANSWER_TIMEOUT_S", 2.0)
    left, right = await start(**BY_HAND), await start(**BY_HAND)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    assert right.app.server.handover is not None
    link = right.app.server.handover._link
    assert link._socket is not None
    asyncio.get_running_loop().remove_reader(link._socket.fileno())  # no answer is read before the timeout
    sweep(right)
    await moved_to(left, room)
    await until("the old connection is closed", lambda: not right.app.server.connections)
    await play_on(ann, ben, room, range(4))
    kinds = [type(decode_event(payload)).__name__ for payload in left.app.registry.rooms[room].log]
    assert "Presence" not in kinds


async def test_offer_that_is_too_old_is_not_taken(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.handover.OFFER_VALID_S", -1.0)
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    assert await ben.closed() == 1006
    await ann.find(type="presence", room=room, seat=1, online=False)
    assert left.app.metrics.arrivals == 0


async def test_worker_that_has_taken_no_connection_is_offered_no_other_for_a_while(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.handover.ANSWER_TIMEOUT_S", 0.05)
    left, right = await start(**OFTEN), await start(**OFTEN)
    _, offers = hold_offers(left)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    eve = await connect_guest(right.url, "eve")
    await room_of(ann, ben, "maxconnect4")
    await ben.closed()
    room = await room_of(ann, eve, "maxconnect4")
    sweep(right)
    await play_on(ann, eve, room, range(4))
    assert len(offers) == 1


async def test_invitations_are_not_repeated_after_a_move(start: Start, connect_guest: ConnectGuest) -> None:
    skew = [0]
    times = {"workers": 2, "sweep": 3600.0, "clock": lambda: now() + skew[0]}
    left, right = await start(**times), await start(**times)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    eve = await connect_guest(right.url, "eve")
    await eve.ask("create", game="maxconnect4", invite="ben")
    await ben.find(type="invited")
    skew[0] = 20_000
    room = await room_of(ann, ben, "maxconnect4")
    sweep(right)
    await moved_to(left, room)
    await play_on(ann, ben, room, range(2))
    assert not [message for message in ben.seen if message["type"] == "invited"]


@pytest.mark.parametrize("mover", ["has the turn", "gets the turn"])
async def test_time_of_the_move_is_not_charged(start: Start, connect_guest: ConnectGuest, mover: str) -> None:
    skew = [0]
    began = now()
    times = {"workers": 2, "sweep": 3600.0, "clock": lambda: began + skew[0]}
    left, right = await start(**times), await start(**times)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    take, offers = hold_offers(left)
    room = await room_of(ann, ben, "maxconnect4", clock={"kind": "fischer", "base": 60_000})
    if mover == "has the turn":
        await move(ann, room, 0, "1")
        await ben.find(type="moved", room=room)
        right.app.registry.rooms[room].uncharged_ms = 100
        skew[0] = 200  # the player thinks
        sweep(right)
    else:
        sweep(right)
        await move(ann, room, 0, "1")
    await until("the connection is on its way", lambda: offers)
    skew[0] += 500
    take(*offers[0])
    await moved_to(left, room)
    credit = 600 if mover == "has the turn" else 500
    await until("the credit is known", lambda: left.app.registry.rooms[room].uncharged_ms == credit)


async def test_events_of_the_next_tick_are_sent_before_a_watcher_moves(
    start: Start, connect_guest: ConnectGuest
) -> None:
    slow = {"workers": 2, "sweep": 3600.0, "watch_tick": 3600.0}
    left, right = await start(**slow), await start(**slow)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    eve, dan = await connect_guest(right.url, "eve"), await connect_guest(right.url, "dan")
    watched = await room_of(eve, dan, "maxconnect4")
    await ben.ask("watch", room=watched)
    await eve.ask("resign", room=watched)
    room = await room_of(ann, ben, "maxconnect4")
    assert right.app.registry.rooms[watched].pending
    sweep(right)
    assert players_at(right, room) == 1
    right.app.broadcaster.flush()
    assert (await ben.find(type="ended", room=watched))["reason"] == "resigned"
    sweep(right)
    await moved_to(left, room)


async def test_connection_with_an_error_stays(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**BY_HAND), await start(**BY_HAND)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    await room_of(ann, ben, "maxconnect4")
    (connection,) = right.app.server.connections
    connection.transport.abort()
    sweep(right)
    assert not connection.muted


async def test_connection_that_cannot_be_resumed_is_released(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Connection, state: ConnectionState) -> None:
        raise RuntimeError("the transport is closing")

    monkeypatch.setattr(Connection, "resume", fail)
    left, right = await start(**OFTEN), await start(**OFTEN)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await ben.closed()
    await ann.find(type="presence", room=room, seat=1, online=False)
    assert len(left.app.server.connections) == 1


async def test_error_of_a_handover_does_not_end_the_sweep(start: Start) -> None:
    calls = []

    def fail(connections: object) -> None:
        calls.append(connections)
        raise RuntimeError

    worker = await start(**OFTEN)
    handover: Any = worker.app.server.handover
    handover.sweep = fail
    await until("there are more sweeps", lambda: len(calls) > 2)
    beats = list[str]()
    keep: Any = worker.app.node
    sweep_node = keep.sweep

    async def beat() -> None:
        beats.append("heartbeat")
        await sweep_node()

    keep.sweep = beat
    await until("there are heartbeats", lambda: len(beats) > 2)
