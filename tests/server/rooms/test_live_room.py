from __future__ import annotations

import pytest

from protocol.codec import decode_event
from protocol.commands import Join, Resign
from protocol.events import AnyEvent, Moved, Seated, Started
from server.domain.downtime import credit_turn
from tests.server.domain.helpers import ANN, BEN, EVE, NOW, do
from tests.server.fakes import RecordingClient
from tests.server.rooms.helpers import BLITZ, advance, live_game, live_waiting, play


def test_attach_returns_the_seat_of_a_player_and_none_for_a_watcher() -> None:
    live = live_game()
    ann, ben, eve = (RecordingClient(player) for player in (ANN, BEN, EVE))
    assert [live.attach(client) for client in (ann, ben, eve)] == [0, 1, None]
    assert live.players == ([ann], [ben])
    assert list(live.watchers) == [eve]
    assert live.clients() == [ann, ben, eve]
    assert all(client.rooms == {"r1": live} for client in (ann, ben, eve))


def test_client_attached_twice_is_listed_once() -> None:
    live, ann = live_game(), RecordingClient(ANN)
    assert (live.attach(ann), live.attach(ann)) == (0, 0)
    assert live.players[0] == [ann]


def test_watcher_who_takes_a_seat_is_no_longer_a_watcher() -> None:
    live, ben = live_waiting(), RecordingClient(BEN)
    live.attach(ben)
    advance(live, do(live.room, BEN, Join))
    assert live.attach(ben) == 1
    assert not live.watchers
    assert live.players[1] == [ben]


def test_detach_returns_the_seat_only_for_the_last_client_of_a_player() -> None:
    live = live_game()
    first, second, watcher = RecordingClient(BEN), RecordingClient(BEN), RecordingClient(EVE)
    for client in (first, second, watcher):
        live.attach(client)
    live.lagging[watcher] = NOW
    assert [live.detach(client) for client in (watcher, first, second)] == [None, None, 1]
    assert not live.lagging
    assert not any(client.rooms for client in (first, second, watcher))


def test_room_is_empty_without_clients_and_idle_without_work() -> None:
    live, eve = live_game(), RecordingClient(EVE)
    assert (live.empty, live.idle) == (True, True)
    live.busy = True
    assert (live.empty, live.idle) == (True, False)
    live.busy = False
    live.queue.append(object())
    assert not live.idle
    live.queue.clear()
    live.attach(eve)
    assert (live.empty, live.idle) == (False, False)


def test_deadline_includes_time_that_is_not_charged() -> None:
    live = live_game(clock=BLITZ)
    due = live.room.deadline
    assert due is not None
    live.uncharged_ms = 700
    assert live.deadline == due + 700
    advance(live, do(live.room, ANN, Resign))
    assert live.deadline is None


def test_stalled_time_counts_from_the_start_of_the_turn() -> None:
    live = live_game("a1")  # the turn began at NOW
    assert live.stalled_ms(NOW - 5000, NOW + 300) == 300
    assert live.stalled_ms(NOW + 100, NOW + 300) == 200
    live.uncharged_ms = 50
    assert live.stalled_ms(NOW - 5000, NOW + 300) == 250
    assert live.stalled_ms(NOW + 400, NOW + 300) == 0
    advance(live, do(live.room, ANN, Resign))
    assert live.stalled_ms(NOW - 5000, NOW + 300) == 0


def test_watchers_of_a_delayed_game_see_it_as_of_the_horizon() -> None:
    live = live_game("a1", "b1", "c1", delay=2)
    shown = {player.name: live.snapshot(RecordingClient(player), seat, NOW) for player, seat in ((ANN, 0), (EVE, None))}
    assert (shown["ann"].ply, shown["ann"].your_seat, shown["ann"].seq) == (3, 0, live.room.seq)
    assert (shown["eve"].ply, shown["eve"].your_seat, shown["eve"].seq) == (1, None, live.room.horizon)


def test_delayed_game_is_not_replayed_for_every_watcher(monkeypatch: pytest.MonkeyPatch) -> None:
    live = live_game("a1", "b1", "c1", delay=2)
    live.snapshot(RecordingClient(EVE), None, NOW)
    decoded: list[bytes] = []

    def decode(payload: bytes) -> AnyEvent:
        decoded.append(payload)
        return decode_event(payload)

    monkeypatch.setattr("server.rooms.live_room.decode_event", decode)
    assert live.snapshot(RecordingClient(EVE), None, NOW).ply == 1
    assert not decoded
    play(live, "d1")
    assert live.snapshot(RecordingClient(EVE), None, NOW).ply == 2
    assert len(decoded) == 1


def test_events_between_leaves_out_the_created_event() -> None:
    live = live_game("a1")
    events = [packet.message for packet in live.events_between(0, live.room.seq)]
    assert [type(event) for event in events] == [Seated, Seated, Started, Moved]
    assert [type(packet.message) for packet in live.events_between(3, 4)] == [Started]


def test_credits_tell_outages_from_the_delay_before_the_turn_was_sent() -> None:
    live = live_game(clock=BLITZ)
    live.uncharged_ms = 300
    live.add_outage(2000)
    live.add_outage(500)
    assert (live.uncharged_ms, live.credits()) == (2800, (2500, 300))
    (event,), room = credit_turn(live.room, NOW + 5000, *live.credits())
    live.room = room
    live.credit_written(event)  # type: ignore[arg-type]
    assert (live.uncharged_ms, live.credits()) == (0, (0, 0))
