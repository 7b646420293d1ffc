from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from protocol.codec import MSGPACK
from protocol.commands import Create, Join, Leave, Move, OfferDraw, Rematch, Resign, Say
from protocol.events import AnyEvent, Ended, Moved, Said
from protocol.replies import Error, Ok
from server.app import App
from server.config import Settings
from server.domain.decision import Decision, Refusal
from server.domain.downtime import credit_turn
from server.domain.room import Room
from server.domain.seating import redirect, set_presence
from server.metrics import Metrics
from server.rooms import processor
from server.rooms.client import Client
from server.rooms.live_room import LiveRoom
from server.rooms.processor import NO_REQUEST, Commit, RoomObserver
from server.rooms.status import FLAG_GRACE_OFFLINE_MS, FLAG_GRACE_ONLINE_MS, RETRY_AFTER_S
from server.storage.interface import Append, Unavailable, append_and_wait
from tests.server.domain.helpers import ANN, BEN, do, move, running
from tests.server.fakes import Harness, ManualBus, ManualClock, RecordingClient, SteppedStore
from tests.server.rooms.helpers import BLITZ, advance, live_game, start_game

DISK_FULL = Unavailable("the disk is full")


# -- what is written


def commit(room: Room, decision: Decision, stored_deadline: int | None) -> Commit:
    live = LiveRoom(room, [])
    live.stored_deadline = stored_deadline
    return Commit(live, NO_REQUEST, decision)


@pytest.mark.parametrize(("later", "written"), [(-1, False), (0, False), (1, True), (None, True)])
def test_indexed_deadline_is_never_later_than_the_rooms_own(later: int | None, written: bool) -> None:
    room = running(clock=BLITZ)
    for decision in (move(room, ANN, "a4b4"), do(room, ANN, OfferDraw)):
        due = decision.room.deadline
        assert due is not None
        there = commit(room, decision, None if later is None else due + later)
        assert there.event_only is not written
        assert (None if there.row is None else there.row.deadline) == (due if written else None)


def test_end_of_a_game_also_writes_the_index() -> None:
    room = running()
    assert commit(room, do(room, ANN, OfferDraw), None).event_only
    resigned = commit(room, do(room, ANN, Resign), None)
    assert not resigned.event_only
    assert resigned.row is not None


def test_conflict_of_a_server_action_leaves_nothing_to_decide_again() -> None:
    client, command, action, _ = NO_REQUEST
    room = running()
    assert (client, command) == (None, None)
    assert action is not None
    assert action(room, 0) == ((), room)


# -- the queue, with a store that answers step by step


class SteppedRooms:
    """A server on a stepped store, with rooms that have one client of each player."""

    def __init__(self, clock: ManualClock) -> None:
        self.store, self.bus = SteppedStore(), ManualBus()
        self.app = App(Settings(watch_tick=0.0), self.store, self.bus, Metrics(), clock)
        self.app.now = clock

    def add(self, live: LiveRoom) -> tuple[LiveRoom, RecordingClient, RecordingClient]:
        self.app.registry.rooms[live.room.id] = live
        self.store.log |= {(live.room.id, seq): payload for seq, payload in enumerate(live.log, 1)}
        ann, ben = RecordingClient(ANN), RecordingClient(BEN)
        for client in (ann, ben):
            live.attach(client)
        return live, ann, ben

    async def finish_append(self) -> None:
        self.store.write(0)
        self.store.answer(0)
        await asyncio.sleep(0)


async def test_room_writes_one_command_at_a_time_in_the_order_of_arrival(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, ben = stepped.add(live_game())
    submit = stepped.app.processor.submit
    submit(live, ann, Say(id=1, room="r1", text="one"))
    submit(live, ben, Say(id=2, room="r1", text="two"))
    submit(live, ann, Say(id=3, room="r1", text="three"))
    for waiting in (2, 1, 0):
        assert len(stepped.store.appends) == 1
        assert len(live.queue) == waiting
        await stepped.finish_append()
    assert [event.text for event in ben.of(Said)] == ["one", "two", "three"]
    assert (ann.answers, ben.answers) == ([1, 3], [2])


async def test_clients_hear_nothing_before_the_event_is_durable(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, ben = stepped.add(live_game())
    seq = live.room.seq
    stepped.app.processor.submit(live, ann, Move(id=1, room="r1", ply=0, move="a1"))
    stepped.store.write(0)
    assert (ann.messages, ben.messages, live.room.seq) == ([], [], seq)
    stepped.store.answer(0)
    assert (ann.kinds(), ben.kinds(), live.room.seq) == (["Ok", "Moved"], ["Moved"], seq + 1)
    assert stepped.bus.announced == [("r1", seq + 1)]


async def test_time_in_the_queue_is_not_charged(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, ben = stepped.add(live_game(clock=BLITZ))
    stepped.app.processor.submit(live, ben, Say(id=1, room="r1", text="hm"))
    clock.advance(100)
    stepped.app.processor.submit(live, ann, Move(id=1, room="r1", ply=0, move="a1"))
    clock.advance(5000)
    await stepped.finish_append()
    await stepped.finish_append()
    (moved,) = ben.of(Moved)
    assert moved.charged <= 100


async def test_conflict_is_decided_again_after_catching_up(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, _ = stepped.add(live_game())
    seq = live.room.seq
    other = Said(**live.room.event_fields(clock()), name="ben", seat=1, text="from another node")
    stepped.store.log["r1", seq + 1] = MSGPACK.encode(other)
    stepped.app.processor.submit(live, ann, Move(id=1, room="r1", ply=0, move="a1"))
    await stepped.finish_append()
    assert (ann.messages, live.busy) == ([], True)
    stepped.store.read(0)
    stepped.store.answer(0)
    for _ in range(4):
        await asyncio.sleep(0)
    assert ann.kinds() == ["Said"]
    await stepped.finish_append()
    assert ann.kinds() == ["Said", "Ok", "Moved"]
    assert live.room.seq == seq + 2
    await stepped.store.close()


async def test_announcement_during_an_append_is_caught_up_afterwards(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, _ = stepped.add(live_game())
    stepped.app.processor.submit(live, ann, Say(id=1, room="r1", text="mine"))
    stepped.app.processor.behind(live, live.room.seq + 2)
    assert stepped.store.reads == []
    await stepped.finish_append()
    assert [(room, after) for room, after, _ in stepped.store.reads] == [("r1", live.room.seq)]
    for task in stepped.app.tasks:
        task.cancel()


# -- the queue, with a real store


async def test_store_failure_answers_each_command_once_and_loses_nothing(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    seq, name = live.room.seq, live.room.id
    server.store.write_error = DISK_FULL
    server.send(ann, Move, room=name, ply=0, move="a1")
    server.send(ben, Say, room=name, text="hm")
    await server.settle()
    for client in (ann, ben):
        (error,) = client.messages
        assert (error.code, error.retry_after) == ("unavailable", RETRY_AFTER_S)
        assert str(DISK_FULL) in error.text
    assert (live.room.seq, live.busy, len(live.queue)) == (seq, False, 0)
    assert server.app.status.store_error == str(DISK_FULL)
    server.store.write_error = None
    assert isinstance(await server.ask(ann, Move, room=name, ply=0, move="a1"), Ok)
    assert server.app.status.store_error == ""
    assert len(await server.store.events(name)) == live.room.seq == seq + 1


async def test_failed_catch_up_answers_every_queued_command(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    server.store.conflicts, server.store.read_error = 1, DISK_FULL
    server.send(ann, Say, room=live.room.id, text="one")
    server.send(ben, Say, room=live.room.id, text="two")
    await server.settle()
    assert [error.code for client in (ann, ben) for error in client.messages] == ["unavailable", "unavailable"]
    assert (live.busy, len(live.queue)) == (False, 0)


async def test_event_of_another_node_is_read_before_ours_is_decided_again(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    other = do(live.room, BEN, Say, text="elsewhere").events[0]
    payload = MSGPACK.encode(Said(room=live.room.id, seq=other.seq, at=other.at, name="ben", seat=1, text="elsewhere"))
    await append_and_wait(server.store, Append(live.room.id, live.room.seq, (payload,)))
    assert isinstance(await server.ask(ann, Say, room=live.room.id, text="here"), Ok)
    assert [event.text for event in ben.of(Said)] == ["elsewhere", "here"]


async def test_stale_move_gets_a_snapshot(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    error = await server.ask(ben, Move, room=live.room.id, ply=0, move="b1")
    assert isinstance(error, Error)
    assert error.code == "stale"
    assert error.snapshot is not None
    assert (error.snapshot.ply, error.snapshot.your_seat) == (1, 1)


async def test_counted_illegal_move_is_refused_and_recorded(server: Harness) -> None:
    live, ann, ben = await start_game(server, illegal=2)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    ben.messages.clear()
    error = await server.ask(ben, Move, room=live.room.id, ply=1, move="a1")
    assert error.code == "illegal_move"
    assert ben.kinds() == ["Error", "Fouled"]
    assert live.room.fouls == (0, 1)


async def test_refusals_are_freed_without_the_garbage_collector(server: Harness) -> None:
    """Each would keep its room and its client in memory."""
    live, ann, ben = await start_game(server, illegal=2)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    gc.collect()
    gc.disable()
    try:
        for ply, code in ((0, "stale"), (1, "illegal_move")):  # the second one is recorded
            assert (await server.ask(ben, Move, room=live.room.id, ply=ply, move="a1")).code == code
        server.store.appended.clear()
        assert not [found for found in gc.get_objects() if type(found) is Refusal]
    finally:
        gc.enable()


async def test_bug_in_one_command_does_not_stop_the_room(
    server: Harness, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    live, ann, ben = await start_game(server)

    def broken(*values: Any) -> Decision:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(processor, "decide", broken)
        error = await server.ask(ann, Say, room=live.room.id, text="hm")
    assert (error.code, live.busy) == ("internal", False)
    assert "ZeroDivisionError" in caplog.text
    assert isinstance(await server.ask(ben, Say, room=live.room.id, text="hm"), Ok)


async def test_command_without_events_gets_ok(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    second = server.connect(ANN)
    live.attach(second)
    seq = live.room.seq
    assert (await server.ask(second, Leave, room=live.room.id)).seq == seq
    assert live.room.seq == seq
    assert live.players[0] == [ann]


async def test_turn_waits_for_the_commands_before_it(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, _ = stepped.add(live_game())
    stepped.app.processor.submit(live, ann, Say(id=1, room="r1", text="one"))
    turn = asyncio.create_task(stepped.app.processor.turn(live))
    await asyncio.sleep(0)
    assert not turn.done()
    await stepped.finish_append()
    assert await turn is True
    assert ann.answers == [1]


async def test_turn_reports_a_failed_store(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, _ = await start_game(server)
    monkeypatch.setattr(processor, "RETRY_AFTER_S", 0.001)
    server.store.conflicts, server.store.read_error = 1, DISK_FULL
    server.send(ann, Say, room=live.room.id, text="one")
    assert await server.app.processor.turn(live) is False


async def test_damaged_room_rejects_its_queue(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    live.busy = True
    server.send(ann, Say, room=live.room.id, text="one")
    server.app.processor.reject_queue(live)
    assert [error.code for error in ann.messages] == ["internal"]
    assert (live.busy, len(live.queue)) == (False, 0)


# -- deadlines


async def test_game_is_lost_on_time_when_the_deadline_has_passed(server: Harness) -> None:
    live, ann, _ = await start_game(server, clock=BLITZ)
    due = live.deadline
    assert due is not None
    server.clock.at = due - 1
    server.app.processor.check_deadline(live)
    await server.settle()
    assert live.room.status == "running"
    server.clock.at = due
    server.app.processor.check_deadline(live)
    await server.settle()
    (end,) = ann.of(Ended)
    assert (end.reason, end.winner) == ("time", 1)


async def test_room_gets_a_timer_for_its_deadline(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, _ = stepped.add(live_game(clock=BLITZ))
    stepped.app.processor.submit(live, ann, Move(id=1, room="r1", ply=0, move="a1"))
    await stepped.finish_append()
    assert live.timer is not None
    assert live.timer_at == live.room.deadline


@pytest.mark.parametrize("state", ["draining", "resuming", "store_error"])
async def test_deadline_waits_while_players_could_not_move(server: Harness, state: str) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    assert live.deadline is not None
    server.clock.at = live.deadline + 1
    setattr(server.app.status, state, True)
    timer = live.timer
    server.app.processor.check_deadline(live)
    await server.settle()
    assert live.room.status == "running"
    assert (live.timer is not timer) is (state == "store_error")  # it looks again later


async def test_time_of_an_outage_is_not_charged(server: Harness) -> None:
    live, ann, ben = await start_game(server, clock=BLITZ)
    server.clock.advance(100)
    server.app.status.store_failed(DISK_FULL)
    server.clock.advance(30_000)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    (moved,) = ben.of(Moved)
    assert moved.charged <= 100


async def test_time_in_which_the_process_was_stopped_is_not_charged(server: Harness) -> None:
    live, ann, ben = await start_game(server, clock=BLITZ)
    server.clock.advance(100)
    server.app.status.pulse()
    server.clock.advance(90_000)  # the timer and the move both wait when the process goes on
    server.app.processor.check_deadline(live)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    (moved,) = ben.of(Moved)
    assert moved.charged == 100


async def test_move_that_waits_when_a_stopped_process_goes_on_is_not_too_late(server: Harness) -> None:
    live, ann, ben = await start_game(server, clock=BLITZ)
    server.app.status.pulse()
    server.clock.advance(90_000)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    (moved,) = ben.of(Moved)
    assert moved.charged == 0


async def test_written_credit_is_not_counted_twice(server: Harness) -> None:
    live, ann, ben = await start_game(server, clock=BLITZ)
    server.clock.advance(10_000)
    live.add_outage(4000)
    server.app.processor.act(live, lambda room, at: credit_turn(room, at, *live.credits()))
    await server.settle()
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    (moved,) = ben.of(Moved)
    assert moved.charged == 6000


# -- deadlines of players who may be connected to another node


async def test_flag_that_another_node_forestalled_with_a_move_does_not_fall_for_the_next_player(
    clock: ManualClock,
) -> None:
    stepped = SteppedRooms(clock)
    live, _, ben = stepped.add(live_game(clock=BLITZ))
    assert live.deadline is not None
    (moved,), _ = move(live.room, ANN, "a1", clock())  # at another node, whose store takes a minute to write it
    stepped.store.log[live.room.id, moved.seq] = MSGPACK.encode(moved)
    clock.at = live.deadline
    stepped.app.processor.check_deadline(live)
    await stepped.finish_append()
    await asyncio.sleep(0)
    stepped.store.read(0)
    stepped.store.answer(0)
    for _ in range(3):
        await asyncio.sleep(0)
    assert not live.queue
    assert (ben.kinds(), live.room.status, stepped.store.appends) == (["Moved"], "running", [])
    assert live.uncharged_ms == clock() - moved.at


async def test_node_without_the_mover_waits_for_the_node_that_has_one(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, _ = stepped.add(live_game(clock=BLITZ))
    live.detach(ann)
    assert live.deadline is not None
    for after_ms, flagged in ((0, False), (FLAG_GRACE_ONLINE_MS - 1, False), (FLAG_GRACE_ONLINE_MS, True)):
        clock.at = live.deadline + after_ms
        stepped.app.processor.check_deadline(live)
        assert live.busy is flagged
        assert live.timer is not None  # it looks again later
    await stepped.finish_append()
    assert live.room.ended is not None
    assert live.room.ended.reason == "time"


@pytest.mark.parametrize("offline_ms", [FLAG_GRACE_OFFLINE_MS - 1, FLAG_GRACE_OFFLINE_MS])
async def test_mover_who_is_offline_is_flagged_by_any_node(clock: ManualClock, offline_ms: int) -> None:
    stepped = SteppedRooms(clock)
    live, ann, _ = stepped.add(live_game(clock=BLITZ))
    live.detach(ann)
    assert live.deadline is not None
    advance(live, set_presence(live.room, 0, False, live.deadline - offline_ms))
    clock.at = live.deadline
    stepped.app.processor.check_deadline(live)
    assert live.busy is (offline_ms == FLAG_GRACE_OFFLINE_MS)


async def test_turn_that_another_worker_sends_has_a_timer_at_the_node_of_its_player(clock: ManualClock) -> None:
    stepped = SteppedRooms(clock)
    live, ann, _ = stepped.add(live_game(clock=BLITZ))
    live.detach(ann)
    (moved,), _ = move(live.room, ANN, "a1", clock())
    clock.advance(250)
    stepped.app.processor.receive(live, moved.seq, (MSGPACK.encode(moved),), None)
    assert live.timer is not None
    assert live.timer_at == live.room.deadline
    assert live.uncharged_ms == 250


# -- rated games


async def test_rated_end_is_written_again_if_the_ratings_changed(server: Harness) -> None:
    live, ann, ben = await start_game(server, rated=True)
    server.store.appended.clear()
    server.store.conflicts = 1
    assert isinstance(await server.ask(ann, Resign, room=live.room.id), Ok)
    assert [len(append.ratings) for append in server.store.appended] == [2, 2]
    (end,) = ben.of(Ended)
    assert end.ratings is not None
    assert end.ratings[0].after < end.ratings[1].after
    known = await server.store.ratings("cohcoh", [ANN.id, BEN.id])
    assert {player: round(row.rating) for player, row in known.items()} == {
        ANN.id: end.ratings[0].after, BEN.id: end.ratings[1].after
    }  # fmt: skip


async def test_rated_end_is_decided_again_if_the_room_changed(server: Harness) -> None:
    live, ann, ben = await start_game(server, rated=True)
    payload = MSGPACK.encode(Said(**live.room.event_fields(server.clock()), name="ben", seat=1, text="bye"))
    await append_and_wait(server.store, Append(live.room.id, live.room.seq, (payload,)))
    assert isinstance(await server.ask(ann, Resign, room=live.room.id), Ok)
    assert [type(event) for event in (*ben.of(Said), *ben.of(Ended))] == [Said, Ended]


async def test_rated_end_without_readable_ratings_is_refused(server: Harness) -> None:
    live, ann, _ = await start_game(server, rated=True)
    server.store.read_error = DISK_FULL
    error = await server.ask(ann, Resign, room=live.room.id)
    assert error.code == "unavailable"
    assert (live.room.status, live.busy) == ("running", False)


# -- observers


class RecordingObserver(RoomObserver):
    def __init__(self, name: str, calls: list[str]) -> None:
        self._name, self._calls = name, calls

    def listing_changed(self, room: Room) -> None:
        self._calls.append(f"{self._name} listing_changed {room.status}")

    def ended(self, live: LiveRoom) -> None:
        self._calls.append(f"{self._name} ended")

    def left(self, live: LiveRoom, client: Client) -> None:
        self._calls.append(f"{self._name} left")

    def rematch_created(self, live: LiveRoom, new: Decision, payloads: tuple[bytes, ...]) -> None:
        self._calls.append(f"{self._name} rematch_created {len(payloads)}")

    def caught_up(self, live: LiveRoom, events: list[AnyEvent]) -> None:
        self._calls.append(f"{self._name} caught_up {len(events)}")


def observe(server: Harness) -> list[str]:
    calls: list[str] = []
    for name in ("a", "b"):
        server.app.processor.observe(RecordingObserver(name, calls))
    return calls


async def test_observers_are_called_in_the_order_they_were_added(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    calls = observe(server)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    assert calls == []
    await server.ask(ann, Resign, room=live.room.id)
    assert calls == ["a listing_changed ended", "b listing_changed ended", "a ended", "b ended"]
    calls.clear()
    await server.ask(ann, Rematch, room=live.room.id)
    await server.ask(ben, Rematch, room=live.room.id)
    assert [call for call in calls if "rematch" in call] == ["a rematch_created 4", "b rematch_created 4"]


async def test_other_nodes_hear_of_a_room_that_looks_different(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    server.bus.shown.clear()
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    assert server.bus.shown == []
    await server.ask(ann, Resign, room=live.room.id)
    assert server.bus.shown == [live.room.id]


async def test_observers_hear_of_a_client_that_leaves(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    calls = observe(server)
    await server.ask(ann, Leave, room=live.room.id)
    assert [call for call in calls if "left" in call] == ["a left", "b left"]


async def test_private_rooms_are_not_listed(server: Harness) -> None:
    calls = observe(server)
    ann = server.connect(ANN)
    await server.ask(ann, Create, game="cohcoh", private=True)
    assert (calls, server.bus.shown) == ([], [])


async def test_observers_hear_of_events_that_another_node_wrote(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    calls = observe(server)
    payload = MSGPACK.encode(Said(**live.room.event_fields(server.clock()), name="ben", seat=1, text="hm"))
    await append_and_wait(server.store, Append(live.room.id, live.room.seq, (payload,)))
    server.app.processor.behind(live, live.room.seq + 1)
    await server.settle()
    assert calls == ["a caught_up 1", "b caught_up 1"]
    assert ann.kinds() == ["Said"]


# -- two rooms at once


async def test_player_is_moved_over_in_both_rooms_or_in_neither(server: Harness) -> None:
    ann, ben = server.connect(ANN), server.connect(BEN)
    old = server.room((await server.ask(ann, Create, game="cohcoh", seat=0)).room)
    new = server.room((await server.ask(ben, Create, game="cohcoh", seat=1)).room)

    def move_over() -> None:
        leaving = redirect(old.room, new.room.id, server.clock())
        joining = do(new.room, ANN, Join)
        server.app.processor.move_over(old, leaving, new, joining)

    server.store.write_error = DISK_FULL
    move_over()
    await server.settle()
    assert (old.room.status, new.room.status) == ("waiting", "waiting")
    server.store.write_error = None
    move_over()
    await server.settle()
    assert (old.room.status, new.room.status, old.room.next) == ("ended", "running", new.room.id)
    assert new.players == ([ann], [ben])
