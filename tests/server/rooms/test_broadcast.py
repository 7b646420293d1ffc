from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from protocol.commands import Join, Move, Say
from protocol.replies import Error, Ok, Snapshot
from server.config import Settings
from server.domain.decision import Refusal
from server.rooms import broadcast
from server.rooms.broadcast import Broadcaster
from server.rooms.live_room import LiveRoom
from tests.server.domain.helpers import ANN, BEN, EVE, NOW, do
from tests.server.fakes import ManualClock, RecordingClient
from tests.server.rooms.helpers import advance, live_game, live_waiting, play
from tests.waiting import settle, until

SEND_BUFFER_BYTES = 1000
STALL_TIMEOUT_MS = 10_000


def broadcaster(clock: ManualClock, watch_tick: float = 0.0) -> Broadcaster:
    settings = Settings(watch_tick=watch_tick, send_buffer=SEND_BUFFER_BYTES, stall_timeout=STALL_TIMEOUT_MS / 1000)
    return Broadcaster(settings, clock)


def attach(live: LiveRoom, *clients: RecordingClient) -> Any:
    for client in clients:
        live.attach(client)
    return clients[0] if len(clients) == 1 else clients


def test_asker_gets_ok_before_the_events(clock: ManualClock) -> None:
    live = live_game()
    ann, ben = attach(live, RecordingClient(ANN), RecordingClient(BEN, text=True))
    packets = play(live, "a1")
    broadcaster(clock).publish(live, packets, ann, Move(id=7, room="r1", ply=0, move="a1"))
    assert ann.kinds() == ["Ok", "Moved"]
    assert ann.messages[0] == Ok(id=7, room="r1", seq=live.room.seq)
    assert ann.writes == 1
    assert ben.messages == [packets[0].message]


def test_every_client_of_a_player_gets_the_events_but_only_the_asker_gets_ok(clock: ManualClock) -> None:
    live = live_game()
    first, second = attach(live, RecordingClient(ANN), RecordingClient(ANN))
    broadcaster(clock).publish(live, play(live, "a1"), second, Move(id=1, room="r1", ply=0, move="a1"))
    assert (first.kinds(), second.kinds()) == (["Moved"], ["Ok", "Moved"])


def test_events_of_the_server_have_no_ok(clock: ManualClock) -> None:
    live = live_game()
    ann = attach(live, RecordingClient(ANN))
    broadcaster(clock).publish(live, play(live, "a1"))
    assert ann.kinds() == ["Moved"]


def test_player_who_joins_gets_the_seat_and_a_snapshot_instead_of_events(clock: ManualClock) -> None:
    live = live_waiting()
    ann, ben = attach(live, RecordingClient(ANN)), RecordingClient(BEN)
    packets = advance(live, do(live.room, BEN, Join))
    broadcaster(clock).publish(live, packets, ben, Join(id=3, room="r1"))
    assert ann.kinds() == ["Seated", "Started"]
    assert ben.kinds() == ["Ok", "Snapshot"]
    assert (ben.messages[0].id, ben.messages[0].seat) == (3, 1)
    assert ben.rooms == {"r1": live}


def test_reply_to_a_watcher_has_no_seq_beyond_the_horizon(clock: ManualClock) -> None:
    live = live_game("a1", "b1", delay=2)
    eve = attach(live, RecordingClient(EVE))
    packets = advance(live, do(live.room, EVE, Say, text="hi"))
    assert live.room.horizon < live.room.seq
    broadcaster(clock).publish(live, packets, eve, Say(id=4, room="r1", text="hi"))
    assert eve.messages[0] == Ok(id=4, room="r1", seq=live.room.horizon)


async def test_watchers_get_all_events_of_a_tick_in_one_write(clock: ManualClock) -> None:
    live = live_game()
    eve, other = attach(live, RecordingClient(EVE), RecordingClient(EVE, text=True))
    sender = broadcaster(clock, watch_tick=3600.0)
    sender.publish(live, play(live, "a1"))
    sender.publish(live, play(live, "b1"))
    assert eve.messages == []
    sender.flush()
    for watcher in (eve, other):
        assert [event.ply for event in watcher.messages] == [1, 2]
        assert watcher.writes == 1
    sender.flush()
    assert eve.writes == 1


async def test_every_tick_flushes_all_rooms_with_events(clock: ManualClock) -> None:
    rooms, sender = [live_game(), live_game(), live_game()], broadcaster(clock, watch_tick=1e-9)
    watchers = [attach(live, RecordingClient(EVE)) for live in rooms]
    for tick in (1, 2):
        for live in rooms[:2]:
            sender.publish(live, play(live, ("a1", "b1")[tick - 1]))
        for _ in range(3):
            await asyncio.sleep(0)
        assert [watcher.writes for watcher in watchers] == [tick, tick, 0]


async def tick_of(rooms: list[LiveRoom], sender: Broadcaster, move: str, done: Callable[[], bool]) -> None:
    """Play a move in rooms, and wait for a tick."""
    for live in rooms:
        sender.publish(live, play(live, move))
    await until("the tick", done)


async def test_commands_are_read_between_the_watchers_of_two_rooms(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "WRITES_AT_ONCE", 2)
    rooms, sender = [live_game(), live_game(), live_game(), live_game()], broadcaster(clock, watch_tick=1e-9)
    order: list[str] = []

    class Watcher(RecordingClient):
        def write(self, frames: bytes) -> int:
            order.append("watcher")
            asyncio.get_running_loop().call_soon(order.append, "command")  # it would be read in the next iteration
            return super().write(frames)

    watchers = [attach(live, Watcher(EVE)) for live in rooms]
    await tick_of(rooms, sender, "a1", lambda: len(order) == 8)
    assert order == ["watcher", "watcher", "command", "command"] * 2
    await tick_of(rooms, sender, "b1", lambda: len(order) == 16)
    assert [[event.ply for event in watcher.messages] for watcher in watchers] == [[1, 2]] * 4


async def test_events_during_a_tick_are_written_once_and_in_order(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "WRITES_AT_ONCE", 1)
    rooms, sender = [live_game(), live_game()], broadcaster(clock, watch_tick=1e-9)

    class Watcher(RecordingClient):
        def write(self, frames: bytes) -> int:
            if not self.messages:  # both rooms go on: the first is written already, the second is not
                for live in rooms:
                    sender.publish(live, play(live, "b1"))
            return super().write(frames)

    watchers = [attach(rooms[0], Watcher(EVE)), attach(rooms[1], RecordingClient(EVE))]
    await tick_of(rooms, sender, "a1", lambda: all(len(watcher.messages) == 2 for watcher in watchers))
    assert [[event.ply for event in watcher.messages] for watcher in watchers] == [[1, 2]] * 2
    assert [watcher.writes for watcher in watchers] == [2, 1]


async def test_room_that_cannot_be_written_does_not_stop_the_tick(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "WRITES_AT_ONCE", 1)
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    rooms, sender = [live_game(), live_game()], broadcaster(clock, watch_tick=1e-9)

    class Broken(RecordingClient):
        def write(self, frames: bytes) -> int:
            raise ValueError

    attach(rooms[0], Broken(EVE))
    watcher = attach(rooms[1], RecordingClient(EVE))
    await tick_of(rooms, sender, "a1", lambda: watcher.writes == 1)
    await tick_of(rooms, sender, "b1", lambda: watcher.writes == 2)


async def test_stopping_server_writes_to_all_watchers_at_once(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "WRITES_AT_ONCE", 1)
    rooms, sender = [live_game(), live_game(), live_game()], broadcaster(clock, watch_tick=1e-9)
    written: list[int] = []

    def stop() -> None:
        sender.flush()
        written.extend(watcher.writes for watcher in watchers)

    class First(RecordingClient):
        def write(self, frames: bytes) -> int:
            asyncio.get_running_loop().call_soon(stop)
            return super().write(frames)

    watchers = [attach(rooms[0], First(EVE)), *[attach(live, RecordingClient(EVE)) for live in rooms[1:]]]
    await tick_of(rooms, sender, "a1", lambda: bool(written))
    await settle()
    assert written == [watcher.writes for watcher in watchers] == [1, 1, 1]


async def test_tick_after_many_writes_is_longer_but_not_more_than_twice_as_long(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick_s, now = 1.0, 1000.0
    ticks: list[tuple[float, Callable[[], None]]] = []
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(loop, "time", lambda: now)
    monkeypatch.setattr(loop, "call_at", lambda when, tick: ticks.append((when - now, tick)))
    sender = broadcaster(clock, watch_tick=tick_s)
    waits: list[float] = []
    for rest_s in (0.0, 1.5, 1.5, 100.0, 0.0, 0.0):  # after this tick
        monkeypatch.setattr(broadcast, "REST_PER_WRITE_S", rest_s / 1000)
        live = live_game()
        watchers = [attach(live, RecordingClient(EVE)) for _ in range(1000)]
        sender.publish(live, play(live, "a1"))
        ((wait_s, tick),) = ticks
        ticks.clear()
        waits.append(wait_s)
        tick()
        assert [watcher.writes for watcher in watchers] == [1] * 1000
    assert waits == pytest.approx([tick_s, tick_s, 1.5 * tick_s, 1.5 * tick_s, 2 * tick_s, tick_s])


def test_watchers_get_events_at_once_without_a_tick(clock: ManualClock) -> None:
    live = live_game()
    eve = attach(live, RecordingClient(EVE))
    broadcaster(clock).publish(live, play(live, "a1"))
    assert eve.kinds() == ["Moved"]


def test_watchers_of_a_delayed_game_get_events_late(clock: ManualClock) -> None:
    live, sender = live_game(delay=2), broadcaster(clock)
    eve = attach(live, RecordingClient(EVE))
    for text in ("a1", "b1"):
        sender.publish(live, play(live, text))
    assert eve.messages == []
    sender.publish(live, play(live, "c1"))
    assert [event.ply for event in eve.messages] == [1]


def test_events_without_watchers_are_not_kept_for_later_ones(clock: ManualClock) -> None:
    live, sender = live_game(), broadcaster(clock)
    sender.publish(live, play(live, "a1"))
    eve = attach(live, RecordingClient(EVE))
    sender.publish(live, play(live, "b1"))
    assert [event.ply for event in eve.messages] == [2]


def lagging_watcher(live: LiveRoom, sender: Broadcaster) -> RecordingClient:
    """Return a watcher that has not read what it was sent."""
    eve: RecordingClient = attach(live, RecordingClient(EVE))
    eve.unread_bytes = SEND_BUFFER_BYTES
    sender.publish(live, play(live, "a1"))
    assert not live.lagging
    eve.unread_bytes = SEND_BUFFER_BYTES + 1
    sender.publish(live, play(live, "b1"))
    eve.messages.clear()
    return eve


def test_lagging_watcher_misses_events_until_it_has_caught_up(clock: ManualClock) -> None:
    live, sender = live_game(), broadcaster(clock)
    eve = lagging_watcher(live, sender)
    other = attach(live, RecordingClient(EVE))
    assert live.lagging == {eve: NOW}
    sender.publish(live, play(live, "c1"))
    assert (eve.messages, other.kinds()) == ([], ["Moved"])
    eve.unread_bytes = SEND_BUFFER_BYTES // 4 + 1
    sender.check_lagging(live)
    assert eve.messages == []
    eve.unread_bytes = SEND_BUFFER_BYTES // 4
    sender.check_lagging(live)
    assert eve.kinds() == ["Snapshot"]
    assert eve.messages[0].ply == 3
    assert not live.lagging


def test_watcher_that_lags_too_long_is_disconnected(clock: ManualClock) -> None:
    live, sender = live_game(), broadcaster(clock)
    eve = lagging_watcher(live, sender)
    clock.advance(STALL_TIMEOUT_MS)
    sender.check_lagging(live)
    assert (eve.closed, list(live.watchers)) == (None, [eve])
    clock.advance(1)
    sender.check_lagging(live)
    assert eve.closed == (1008, "too slow to watch")
    assert not live.watchers


def test_stale_command_gets_a_snapshot_with_the_error(clock: ManualClock) -> None:
    live, sender = live_game("a1"), broadcaster(clock)
    ann = attach(live, RecordingClient(ANN))
    command = Move(id=5, room="r1", ply=0, move="a1")
    sender.refuse(live, ann, command, Refusal("stale", "the game went on"))
    sender.refuse(live, ann, command, Refusal("not_your_turn", "wait", retry_after=2.0))
    stale, early = ann.of(Error)
    assert isinstance(stale.snapshot, Snapshot)
    assert (stale.id, stale.code, stale.snapshot.ply) == (5, "stale", 1)
    assert early == Error(id=5, code="not_your_turn", text="wait", retry_after=2.0)


def test_refused_action_of_the_server_is_not_sent(clock: ManualClock) -> None:
    live = live_game()
    ann = attach(live, RecordingClient(ANN))
    broadcaster(clock).refuse(live, None, None, Refusal("internal", "a mistake"))
    assert ann.messages == []


def thin(player: Any, text: bool = False, *wishes: str) -> RecordingClient:
    client = RecordingClient(player, text)
    client.wishes = frozenset(wishes or ("board", "legal"))
    return client


class RawClient(RecordingClient):
    """A client that keeps the bytes it is sent."""

    frames = b""

    def write(self, frames: bytes) -> int:
        self.frames += frames
        return super().write(frames)


def test_plain_clients_get_the_stored_bytes_beside_clients_with_wishes(clock: ManualClock) -> None:
    live = live_game()
    ann, ben, eve = attach(live, RawClient(ANN), thin(BEN), RawClient(EVE))
    attach(live, thin(EVE, True))
    packets = play(live, "a1")
    broadcaster(clock).publish(live, packets)
    assert ann.frames == eve.frames == packets[0].binary
    assert live.log[-1] in ann.frames
    assert ben.messages[0].board is not None


def test_only_the_player_to_move_gets_legal_moves(clock: ManualClock) -> None:
    live = live_game()
    ann, ben, eve = attach(live, thin(ANN), thin(BEN, True), thin(EVE))
    sender = broadcaster(clock)
    sender.publish(live, play(live, "a1"))
    assert [client.messages[-1].legal is not None for client in (ann, ben, eve)] == [False, True, False]
    assert [client.messages[-1].changed for client in (ann, ben, eve)] == [("a1",)] * 3
    sender.publish(live, advance(live, do(live.room, BEN, Say, text="hm")))
    assert ben.kinds() == ["Moved", "Said"]


def test_last_move_of_a_game_has_no_legal_moves(clock: ManualClock) -> None:
    live = live_game(game="conga", options={"max_plies": 1})
    ann, ben = attach(live, thin(ANN), thin(BEN))
    broadcaster(clock).publish(live, play(live, "a4b4"))
    assert ben.kinds() == ["Moved", "Ended"]
    assert (ben.messages[0].legal, ann.messages[0].legal) == (None, None)
    assert ben.messages[0].board is not None


def test_frames_are_built_once_per_wishes_and_encoding(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    live = live_game()
    attach(live, *(thin(EVE, text, "board", *more) for text in (False, True) for more in ((), ("legal",)) * 3))
    built = []
    fill_in = LiveRoom.fill_in
    monkeypatch.setattr(LiveRoom, "fill_in", lambda *args: built.append(args) or fill_in(*args))  # type: ignore[func-returns-value]
    broadcaster(clock).publish(live, play(live, "a1"))
    assert len(built) == 2, "watchers get no legal moves, so that their wishes are the same"


def test_no_board_is_drawn_for_plain_clients(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    live = live_game()
    attach(live, RecordingClient(ANN), RecordingClient(BEN, True), RecordingClient(EVE))
    monkeypatch.setattr(type(live.room.game), "draw", None)
    broadcaster(clock).publish(live, play(live, "a1"))


def test_watcher_that_caught_up_gets_a_snapshot_with_its_board(clock: ManualClock) -> None:
    live = live_game("a1")
    eve = attach(live, thin(EVE))
    live.lagging[eve] = clock()
    broadcaster(clock).check_lagging(live)
    (snapshot,) = eve.of(Snapshot)
    assert (snapshot.layout is not None, snapshot.last, snapshot.legal) == (True, ("a1",), None)


def test_stale_move_gets_the_legal_moves_of_the_current_position(clock: ManualClock) -> None:
    live = live_game("a1", "b1")
    ann = attach(live, thin(ANN))
    command = Move(id=4, room="r1", ply=0, move="a1")
    broadcaster(clock).refuse(live, ann, command, Refusal("stale", "too late"))
    assert ann.answer(4).snapshot.legal
