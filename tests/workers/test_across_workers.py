"""Players and watchers of a room on different workers. tests/nodes has what works across nodes in the same way."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from engine.registry import GAMES, create
from server.app import Running
from server.cluster.unix import bus as bus_of_workers
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest
from tests.e2e.pages import get
from tests.e2e.play import move, play, room_of
from tests.e2e.test_watching import FLOOD, LONG, connect_stalled_watcher
from tests.nodes.conftest import Start
from tests.waiting import TIMEOUT_S, until

NO_SWEEP = {"workers": 2, "sweep": 3600.0}  # the sweep compares rooms with the store


async def play_whole_game(guests: list[Guest], room: str, game: str, rng: random.Random) -> None:
    """Play random moves until the game is over. Both players receive every event."""
    rules = create(game, {})
    state, ply = rules.start(), 0
    while rules.moves(state):
        seat = rules.turn(state)
        choice = rng.choice(rules.moves(state))
        await move(guests[seat], room, ply, rules.format(state, choice))
        ply += 1
        await guests[1 - seat].find(type="moved", room=room, ply=ply)
        state = rules.play(state, choice)
        if ply == 120:
            await guests[0].ask("resign", room=room)
            break
    for guest in guests:
        await guest.find(type="ended", room=room)


@pytest.mark.parametrize("game", GAMES)
async def test_whole_game_is_played_without_reading_the_store(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    left, right = await start(**NO_SWEEP, **FLOOD), await start(**NO_SWEEP, **FLOOD)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben", "json")
    eve = await connect_guest(right.url, "eve")
    room = await room_of(ann, ben, game, clock={"kind": "fischer", "base": 600_000})
    await eve.ask("watch", room=room)
    reads: list[str] = []
    for worker in (left, right):
        monkeypatch.setattr(worker.app.store, "events", lambda room, after=0: reads.append(room))
    await play_whole_game([ann, ben], room, game, random.Random(7))
    await eve.find(type="ended", room=room)
    assert reads == []
    logs = [worker.app.registry.rooms[room].log for worker in (left, right)]
    assert logs[0] == logs[1]


async def test_worker_of_the_player_to_move_flags(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(**NO_SWEEP), await start(**NO_SWEEP)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 2000})
    left.app.timers.on_deadline = lambda live: None
    moved = await move(ann, room, 0, "a1")
    end = await ann.find(type="ended", room=room)
    assert (end["reason"], end["winner"]) == ("time", 0)
    assert end["at"] >= moved["at"] + 2000


async def test_takeback_chat_and_codes_work_across_workers(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    created = await ann.ask("create", game="maxconnect4", seat=0, private=True)
    room = created["room"]
    assert (await ben.refused("join", room=room))["code"] == "bad_code"
    await ben.ask("join", room=room, code=created["code"])
    await ann.find(type="started")
    await play(ann, ben, room, "1", "2", "3")
    await ann.ask("takeback", room=room)
    await ben.find(type="takeback_offered")
    await ben.ask("takeback", room=room)
    taken = await ann.find(type="taken_back")
    assert taken["ply"] == 2
    await move(ann, room, 2, "7")
    assert (await ben.find(type="moved", ply=3, move="7"))["side"] == 0
    await ben.ask("say", room=room, text="hi")
    assert (await ann.find(type="said"))["text"] == "hi"


async def test_command_that_a_copy_would_refuse_is_decided_with_the_newest_events(
    start: Start, connect_guest: ConnectGuest
) -> None:
    """Ben hears of Ann's move outside of the server, and answers before his worker does."""
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    near: Any = left.app.bus
    near._followers._rooms.clear()  # the message to the other worker is still under way
    await move(ann, room, 0, "1")
    await move(ben, room, 1, "2")
    assert (await ben.find(type="moved", ply=1))["move"] == "1"
    assert (await ben.refused("move", room=room, ply=2, move="1"))["code"] == "not_your_turn"


async def test_stalled_watcher_at_another_worker_is_disconnected_and_delays_no_client(
    start: Start, connect_guest: ConnectGuest
) -> None:
    settings = {"send_buffer": 100_000, "stall_timeout": 0.3, **FLOOD}
    left, right = await start(**settings), await start(**settings)
    ann, ben, eve = [await connect_guest(left.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    sleeper = await connect_stalled_watcher(right, room)
    await eve.ask("watch", room=room)
    live = right.app.registry.rooms[room]
    async with asyncio.timeout(TIMEOUT_S):
        while live.watchers:  # chat fills buffers quickly
            await ann.ask("say", room=room, text=LONG)
            assert (await eve.find(type="said"))["text"] == LONG
    assert right.app.metrics.turned_away["too slow to watch"] == 1
    sleeper.socket.transport.abort()


async def test_player_resumes_at_another_worker(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await play(ann, ben, room, "1", "2")
    ann.socket.transport.abort()
    assert not (await ben.find(type="presence", seat=0)).get("online", False)
    back = await Guest.open(right.url)
    welcome = await back.hello(resume=ann.session)
    assert welcome["rooms"] == [room]
    assert (await back.find(type="snapshot", room=room))["ply"] == 2
    assert (await ben.find(type="presence", seat=0))["online"]
    await move(back, room, 2, "3")
    await back.close()


async def rematch_offered(start: Start, connect_guest: ConnectGuest) -> tuple[Running, Running, Guest, Guest, str]:
    """Return two workers, a player at each, and their ended game in which the first has offered a rematch."""
    left, right = await start(**NO_SWEEP), await start(**NO_SWEEP)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await ann.ask("resign", room=room)
    await ben.find(type="ended")
    await ann.ask("rematch", room=room)
    await ben.find(type="rematch_offered")
    return left, right, ann, ben, room


async def test_rematch_starts_at_once(start: Start, connect_guest: ConnectGuest) -> None:
    _, _, ann, ben, room = await rematch_offered(start, connect_guest)
    await ben.ask("rematch", room=room)
    new = (await ann.find(type="rematched"))["next"]
    for guest in (ann, ben):
        assert (await guest.find(type="snapshot", room=new))["status"] == "running"
    await play(ben, ann, new, "1", "2", "3")


async def test_rematch_waits_for_a_player_who_left_after_the_offer(start: Start, connect_guest: ConnectGuest) -> None:
    left, right, ann, ben, room = await rematch_offered(start, connect_guest)
    ann.socket.transport.abort()
    live = right.app.registry.rooms[room]
    await until("the worker knows it", lambda: live.rematch_elsewhere is None)
    await ben.ask("rematch", room=room)
    snapshot = await ben.find(type="snapshot")
    assert snapshot["status"] == "waiting"
    back = await Guest.open(left.url)
    await back.hello(resume=ann.session)
    await ben.find(type="started", room=snapshot["room"])
    await back.close()


async def test_player_who_leaves_while_a_rematch_is_accepted_is_offline(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, ann, ben, room = await rematch_offered(start, connect_guest)
    near: Any = left.app.bus
    held: list[str] = []
    monkeypatch.setattr(near, "withdraw_rematch", held.append)  # it is still under way
    ann.socket.transport.abort()
    await until("ann has left", lambda: not left.app.presence.is_here("ann"))
    await ben.ask("rematch", room=room)
    new = (await ben.find(type="snapshot", status="running"))["room"]
    right.app.node.rematch_withdrawn(held[0])
    assert not (await ben.find(type="presence", room=new)).get("online", False)


# -- limits of the whole server


async def test_connections_per_address_are_counted_over_all_workers(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(connections_per_address=2), await start(connections_per_address=2)
    ann = await connect_guest(left.url, "ann")
    await connect_guest(right.url, "ben")
    await until("the workers know it", lambda: total(left) == total(right) == 2)
    for worker in (left, right):
        with pytest.raises(InvalidStatus, match="429"):
            await Guest.open(worker.url)
    await ann.close()
    await until("the workers know it", lambda: total(left) == total(right) == 1)
    await connect_guest(right.url, "fay")


def total(worker: Running) -> int:
    return worker.app.ip_limits._total("127.0.0.1")


async def test_rooms_per_minute_are_counted_over_all_workers(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(rooms_per_minute=2), await start(rooms_per_minute=2)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    await ann.ask("create", game="conga")
    await ben.ask("create", game="conga")
    rates = [worker.app.admission._room_rates for worker in (left, right)]
    await until("the workers know it", lambda: all(rate.of("127.0.0.1", 0).tokens < 1 for rate in rates))
    for guest in (ann, ben):
        assert (await guest.refused("create", game="conga"))["code"] == "rate_limited"


async def test_costly_commands_spend_the_budget_of_an_address_at_all_workers(
    start: Start, connect_guest: ConnectGuest
) -> None:
    left, right = await start(), await start()
    ann = await connect_guest(left.url, "ann")
    here, there = (worker.app.ip_limits._budgets.of("127.0.0.1", 0) for worker in (left, right))
    await until("the welcome was charged", lambda: there.tokens == here.tokens)
    before = there.tokens
    await ann.ask("history")
    await until("the other worker knows it", lambda: there.tokens < before)


async def test_dead_worker_no_longer_counts(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    await connect_guest(right.url, "ben", plays=["conga"])
    await until("the worker knows it", lambda: total(left) == 1 and bool(left.app.feed.bots()))
    seen: list[tuple[int, int]] = []
    node: Any = left.app.node
    forget = node.node_left

    def note(gone: str) -> None:
        forget(gone)
        seen.append((total(left), len(left.app.feed.bots())))

    node.node_left = note
    near: Any = left.app.bus
    for receiver in list(near._receivers.values()):
        receiver.close()
    await until("the worker is forgotten", lambda: seen == [(0, 0)])
    await until("the worker is back", lambda: total(left) == 1 and bool(left.app.feed.bots()))


async def test_metrics_of_any_worker_are_those_of_all(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus_of_workers, "METRICS_TIMEOUT_S", TIMEOUT_S)
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await play(ann, ben, room, "1", "2", "3")
    for worker in (left, right):
        _, text = await get(worker.url, "/metrics")
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        assert values["parlour_moves_total"] == "3"
        assert values["parlour_connections"] == "2"
        assert values["parlour_bus_up"] in "01"


async def test_metrics_of_a_worker_that_does_not_answer_are_the_latest_known(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await play(ann, ben, room, "1", "2", "3")
    monkeypatch.setattr(bus_of_workers, "METRICS_TIMEOUT_S", TIMEOUT_S)
    assert "parlour_moves_total 3\n" in (await get(left.url, "/metrics"))[1]
    handlers: Any = right.app.bus._handlers  # type: ignore[attr-defined]
    with monkeypatch.context() as silent:
        silent.setattr(bus_of_workers, "METRICS_TIMEOUT_S", 0.01)
        silent.setitem(handlers, "ask", lambda *question: None)
        assert "parlour_moves_total 3\n" in (await get(left.url, "/metrics"))[1]
    await move(ben, room, 3, "4")
    assert "parlour_moves_total 4\n" in (await get(left.url, "/metrics"))[1]


# -- what is sent to which worker


async def test_events_are_sent_only_to_workers_with_the_room(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, third = await start(), await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    near: Any = left.app.bus
    sent: dict[int, list[str]] = {1: [], 2: []}
    for index, kinds in sent.items():
        sender = near._senders[index]
        monkeypatch.setattr(sender, "send", lambda message, kinds=kinds: kinds.append(message[0]))
    await ann.ask("move", room=room, ply=0, move="1")
    assert (sent[1], sent[2]) == (["events"], [])
    assert room not in third.app.registry.rooms


async def test_worker_that_was_cut_off_reads_what_it_missed(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    near: Any = left.app.bus
    sender = near._senders[1]
    address, sender._address = sender._address, "nowhere"
    sender._transport.abort()
    await until("the connection is lost", lambda: not sender.up)
    await move(ann, room, 0, "1")
    sender._address = address
    assert (await ben.find(type="moved"))["ply"] == 1
    await move(ben, room, 1, "2")
    assert (await ann.find(type="moved", ply=2))["move"] == "2"
