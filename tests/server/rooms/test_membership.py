from __future__ import annotations

from typing import Any

import pytest

from protocol.codec import MSGPACK
from protocol.commands import Command, Create, Join, Leave, Move, Rematch, Resign, Watch
from protocol.events import Ended, Presence, RematchOffered, Resumed
from protocol.replies import Ok, Snapshot
from server.rooms.membership import RETURN_GRACE_MS
from server.storage.interface import Append, LostPlayer, Unavailable, append_and_wait
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, BEN, EVE
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import BLITZ, create, disconnect, start_game
from tests.waiting import until

# -- enter and leave


async def test_player_is_offline_when_the_last_client_disconnects(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    second = server.connect(BEN)
    server.app.membership.enter(live, second)
    disconnect(server, ben)
    await server.settle()
    assert ann.of(Presence) == []
    disconnect(server, second)
    await server.settle()
    (offline,) = ann.of(Presence)
    assert (offline.seat, offline.online) == (1, False)
    assert live.room.away[1] == server.clock()


async def test_player_is_online_when_a_client_enters_again(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    disconnect(server, ben)
    await server.settle()
    assert server.app.membership.enter(live, server.connect(BEN)) == 1
    await server.settle()
    assert [event.online for event in ann.of(Presence)] == [False, True]
    assert live.room.away == (None, None)


async def test_client_that_enters_while_offline_is_being_written_is_online_afterwards(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    disconnect(server, ben)
    assert live.busy
    server.app.membership.enter(live, server.connect(BEN))
    await server.settle()
    assert [event.online for event in ann.of(Presence)] == [False, True]


async def test_second_client_of_a_player_changes_nothing(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    server.app.membership.enter(live, server.connect(BEN))
    await server.settle()
    assert ann.messages == []


async def test_draining_server_records_no_absences(server: Harness) -> None:
    live, _, ben = await start_game(server)
    seq = live.room.seq
    server.app.status.draining = True
    disconnect(server, ben)
    await server.settle()
    assert (live.players[1], live.room.seq) == ([], seq)


async def test_watchers_change_the_line_of_an_open_room(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    eve = server.connect(EVE)
    server.bus.shown.clear()
    assert server.app.membership.enter(live, eve) is None
    assert server.bus.shown == [live.room.id]
    disconnect(server, eve)
    assert server.bus.shown == [live.room.id] * 2
    await server.ask(ann, Resign, room=live.room.id)
    server.bus.shown.clear()
    server.app.membership.enter(live, server.connect(EVE))
    assert server.bus.shown == []


async def test_new_watcher_does_not_get_events_before_its_snapshot(build: Build) -> None:
    server = await build(watch_tick=3600.0)
    live, ann, _ = await start_game(server)
    first, second = server.connect(EVE), server.connect(EVE)
    server.app.membership.enter(live, first)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    assert first.messages == []
    server.app.membership.enter(live, second)
    server.app.broadcaster.flush()
    assert (first.kinds(), second.kinds()) == (["Moved"], [])


async def test_player_of_a_dead_node_is_marked_offline(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.app.membership.mark_offline(LostPlayer(BEN.id, 0))
    await server.settle()
    assert ann.of(Presence) == []  # a client is connected here
    live.detach(ben)
    await server.app.membership.mark_offline(LostPlayer(BEN.id, 0))
    await server.settle()
    assert [(event.seat, event.online) for event in ann.of(Presence)] == [(1, False)]


async def test_presence_missed_during_an_outage_is_recorded_on_recovery(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    server.store.write_error = Unavailable("the disk is full")
    disconnect(server, ben)
    await server.settle()
    assert ann.of(Presence) == []
    server.store.write_error = None
    server.app.status.store_works()
    await server.settle()
    assert [(event.seat, event.online) for event in ann.of(Presence)] == [(1, False)]
    assert live.room.away[1] is not None


# -- seats


async def test_player_who_leaves_a_waiting_room_frees_the_seat(server: Harness) -> None:
    ann, eve = server.connect(ANN), server.connect(EVE)
    live = await create(server, ann, invite="")
    await server.ask(eve, Watch, room=live.room.id)
    await server.ask(ann, Leave, room=live.room.id)
    assert live.room.seats == (None, None)
    assert [event.reason for event in eve.of(Ended)] == ["aborted"]


async def test_other_client_of_a_player_who_gave_up_a_seat_watches(server: Harness) -> None:
    ann, second, ben = server.connect(ANN), server.connect(ANN), server.connect(BEN)
    live = await create(server, ben, players=("ann", "carl"), seat=None)
    await server.ask(ann, Join, room=live.room.id)
    server.app.membership.enter(live, second)
    assert live.players[0] == [ann, second]
    await server.ask(ann, Leave, room=live.room.id)
    assert live.players[0] == []
    assert second in live.watchers
    assert ann.rooms == {}


async def test_last_client_decides_whether_a_player_leaves_a_game(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    second = server.connect(BEN)
    server.app.membership.enter(live, second)
    await server.ask(ben, Leave, room=live.room.id)
    assert (live.players[1], ann.of(Presence)) == ([second], [])
    await server.ask(second, Leave, room=live.room.id)
    assert live.players[1] == []
    assert [(event.seat, event.online) for event in ann.of(Presence)] == [(1, False)]


# -- ended games and rematches


async def test_client_hears_of_its_last_ended_room_only(server: Harness) -> None:
    ann, ben = server.connect(ANN), server.connect(BEN)
    rooms = []
    for _ in range(3):
        live = await create(server, ann)
        await server.ask(ben, Join, room=live.room.id)
        await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
        await server.ask(ann, Resign, room=live.room.id)
        rooms.append(live.room.id)
    assert list(ann.rooms) == list(ben.rooms) == list(server.app.registry.rooms) == rooms[-1:]


async def test_game_without_moves_is_forgotten_first(server: Harness) -> None:
    ann, ben = server.connect(ANN), server.connect(BEN)
    played = await create(server, ann)
    await server.ask(ben, Join, room=played.room.id)
    await server.ask(ann, Move, room=played.room.id, ply=0, move="a1")
    await server.ask(ann, Resign, room=played.room.id)
    aborted = await create(server, ann)
    await server.ask(ann, Leave, room=aborted.room.id)
    assert list(ann.rooms) == [played.room.id]


async def test_rematch_moves_both_players_to_the_new_room(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    await server.ask(ann, Rematch, room=live.room.id)
    ben.messages.clear()
    await server.ask(ben, Rematch, room=live.room.id)
    new = server.room(live.room.next)
    assert new.players == ([ben], [ann])  # the seats are swapped
    (snapshot,) = ben.of(Snapshot)
    assert (snapshot.room, snapshot.your_seat, snapshot.status) == (new.room.id, 0, "running")


async def test_opponent_who_left_the_ended_room_gets_a_rematch_offer(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    await server.ask(ben, Leave, room=live.room.id)
    ben.messages.clear()
    await server.ask(ann, Rematch, room=live.room.id)
    assert ben.kinds() == ["Snapshot", "RematchOffered"]
    assert server.bus.invited == []


async def test_opponent_who_has_reconnected_gets_a_snapshot_before_a_rematch_offer(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    disconnect(server, ben)
    back = server.connect(BEN)
    await server.ask(ann, Rematch, room=live.room.id)
    (snapshot,), (offer,) = back.of(Snapshot), back.of(RematchOffered)
    assert back.kinds() == ["Snapshot", "RematchOffered"]
    assert (snapshot.your_seat, snapshot.seq + 1) == (1, offer.seq)


async def test_opponent_elsewhere_is_invited_to_a_rematch(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    disconnect(server, ben)
    await server.ask(ann, Rematch, room=live.room.id)
    await until("the opponent is called", lambda: server.bus.invited)
    assert server.bus.invited == [(live.room.id, "ben")]


async def test_opponent_elsewhere_who_has_answered_is_not_called(server: Harness) -> None:
    """All nodes pay for a call, and the opponent usually is still in the room, at a node that gets its events."""
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    live.detach(ben)
    await server.ask(ann, Rematch, room=live.room.id)
    assert server.bus.invited == []
    live.attach(ben)
    await server.ask(ben, Rematch, room=live.room.id)
    server.app.membership.call_unless_answered(live, "ben")
    assert live.room.next
    assert server.bus.invited == []


async def test_player_connected_here_is_shown_a_rematch_offered_at_another_node(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    await server.ask(ben, Leave, room=live.room.id)
    ben.messages.clear()
    server.app.membership.invite_to_rematch(live)
    await server.settle()
    assert ben.kinds() == ["Snapshot"]
    assert ben.rooms == {live.room.id: live}


# -- events of other nodes


async def test_player_who_went_offline_elsewhere_but_is_connected_here_is_online(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    offline = Presence(**live.room.event_fields(server.clock()), seat=1, online=False)
    append = Append(live.room.id, live.room.seq, (MSGPACK.encode(offline),))
    await append_and_wait(server.store, append)
    server.app.registry.announced(live.room.id, offline.seq)
    await server.settle()
    assert [event.online for event in ann.of(Presence)] == [False, True]


# -- eviction


async def test_ended_room_is_evicted_when_its_last_watcher_leaves(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id)
    await server.ask(ann, Resign, room=live.room.id)
    for client in (ann, ben):
        disconnect(server, client)
    assert live.room.id in server.app.registry.rooms
    await server.ask(eve, Leave, room=live.room.id)
    assert server.app.registry.rooms == {}


async def test_game_that_ends_without_clients_is_evicted(server: Harness) -> None:
    live, ann, ben = await start_game(server, clock=BLITZ)
    for client in (ann, ben):
        disconnect(server, client)
    await server.settle()
    assert live.deadline is not None
    server.clock.at = live.deadline
    server.app.processor.check_deadline(live)
    await server.settle()
    assert live.room.status == "ended"
    assert server.app.registry.rooms == {}


async def test_watcher_gets_the_end_of_a_room_before_it_is_forgotten(build: Build) -> None:
    server = await build(watch_tick=3600.0)
    eve = server.connect(EVE)
    rooms = []
    for _ in range(2):
        live, ann, _ = await start_game(server)
        await server.ask(eve, Watch, room=live.room.id)
        await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
        await server.ask(ann, Resign, room=live.room.id)
        rooms.append(live.room.id)
    assert list(eve.rooms) == rooms[1:]
    assert [end.room for end in eve.of(Ended)] == rooms[:1]


# -- two nodes


class TwoNodes:
    """Two nodes on one database: ann is connected to the left one, ben to the right one."""

    def __init__(self, left: Harness, right: Harness) -> None:
        self.left, self.right = left, right
        self.ann, self.ben = left.connect(ANN), right.connect(BEN)

    async def exchange(self) -> None:
        """Deliver announcements and invitations until there are none."""
        while any(node.bus.announced or node.bus.invited for node in (self.left, self.right)):
            for sender, receiver in ((self.left, self.right), (self.right, self.left)):
                announced, sender.bus.announced = sender.bus.announced, []
                invited, sender.bus.invited = sender.bus.invited, []
                for room, seq in announced:
                    receiver.app.node.room_announced(room, seq)
                for room, name in invited:
                    receiver.app.node.invitation_announced(room, name)
                await receiver.settle()

    async def ask(self, client: RecordingClient, kind: type[Command], **fields: Any) -> Any:
        node = self.left if client is self.ann else self.right
        reply = await node.ask(client, kind, **fields)
        await self.exchange()
        return reply


@pytest.fixture
async def two(build: Build) -> TwoNodes:
    return TwoNodes(await build(shared=True), await build(shared=True))


async def test_players_at_two_nodes_play_a_rematch(two: TwoNodes) -> None:
    name = (await two.ask(two.ann, Create, game="cohcoh", seat=0)).room
    await two.ask(two.ben, Join, room=name)
    await two.ask(two.ann, Resign, room=name)
    await two.ask(two.ann, Rematch, room=name)
    assert two.ben.kinds()[-1] == "RematchOffered"
    await two.ask(two.ben, Rematch, room=name)
    new = two.right.room(name).room.next
    left, right = two.left.room(new), two.right.room(new)
    assert (left.players, right.players) == (([], [two.ann]), ([two.ben], []))  # the seats are swapped
    assert (left.room.seq, left.room.status, left.room.away) == (right.room.seq, "running", (None, None))
    assert two.ann.of(Snapshot)[-1].room == two.ben.of(Snapshot)[-1].room == new
    assert isinstance(await two.ask(two.ben, Move, room=new, ply=0, move="a1"), Ok)
    assert left.room.ply == 1


async def test_player_who_left_the_ended_room_follows_to_a_rematch_at_another_node(two: TwoNodes) -> None:
    name = (await two.ask(two.ann, Create, game="cohcoh", seat=0)).room
    await two.ask(two.ben, Join, room=name)
    await two.ask(two.ann, Resign, room=name)
    await two.ask(two.ann, Rematch, room=name)
    two.left.room(name).detach(two.ann)  # this connection has forgotten the room
    await two.ask(two.ben, Rematch, room=name)
    new = two.right.room(name).room.next
    assert two.left.room(new).players[1] == [two.ann]


async def test_player_of_a_dead_node_gets_time_to_return(server: Harness) -> None:
    live, ann, ben = await start_game(server, clock=BLITZ)
    due = live.room.deadline
    assert due is not None
    live.detach(ann)
    server.clock.advance(20_000)
    await server.app.membership.mark_offline(LostPlayer(ANN.id, server.clock() - 6000))
    await server.settle()
    assert live.room.deadline == due + 6000 + RETURN_GRACE_MS
    assert [event.delay for event in ben.of(Resumed)] == [6000 + RETURN_GRACE_MS]
    assert live.room.away == (server.clock(), None)
