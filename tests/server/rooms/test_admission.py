from __future__ import annotations

import pytest

from protocol.commands import Abort, Create, Join, Pair, Rematch, Resign
from protocol.events import Seated
from protocol.types import Player, TimeControl
from server.config import ARBITER_ALLOWANCE
from server.domain.decision import Refusal
from server.rooms.admission import MAX_ROOMS_AT_ONCE
from server.storage.interface import Unavailable
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, BEN, EVE, NOW
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import ANN_ACCOUNT, BLITZ, create, start_game


async def test_first_event_has_the_terms_of_the_command(build: Build) -> None:
    server = await build(expiry=60.0)
    ann = RecordingClient(ANN)
    command = Create(id=1, game="cohcoh", options={"n": 5}, clock=TimeControl(kind="move", per_move=5000), delay=2)
    created = await server.app.admission.created_event(ann, command)
    assert (created.seq, created.at, created.by, created.expiry) == (1, NOW, ANN.id, 60_000)
    assert (created.options["n"], created.clock, created.delay) == (5, command.clock, 2)
    assert (created.private, created.code, created.paired, created.arbiter) == (False, "", False, "")


async def test_private_room_gets_a_code(server: Harness) -> None:
    ann = RecordingClient(ANN)
    codes = {
        (await server.app.admission.created_event(ann, Create(id=1, game="conga", private=True))).code for _ in range(3)
    }
    assert len(codes) == 3
    assert "" not in codes


async def test_paired_room_remembers_the_last_opponent(server: Harness) -> None:
    created = await server.app.admission.created_event(RecordingClient(ANN), Pair(id=1, game="conga"), BEN.id)
    assert (created.paired, created.met) == (True, BEN.id)


async def test_arbiter_of_a_room_for_two_others_is_named(server: Harness) -> None:
    command = Create(
        id=1, game="conga", players=("ann", "ben"), rated=True, clock=BLITZ
    )  # the arbiter needs no account
    created = await server.app.admission.created_event(RecordingClient(EVE), command)
    assert (created.arbiter, created.players) == ("eve", ("ann", "ben"))


async def test_first_event_has_the_players_of_the_invited_names(server: Harness) -> None:
    eve = server.connect(EVE)
    server.connect(BEN)
    await server.app.presence.report()
    for terms, ids in (({"invite": "Ben"}, (BEN.id,)), ({"players": ("ann", "BEN")}, ("", BEN.id)), ({}, ())):
        command = Create(id=1, game="conga", **terms)
        assert (await server.app.admission.created_event(eve, command)).invited_ids == ids


async def test_guest_cannot_create_a_rated_room(server: Harness) -> None:
    command = Create(id=1, game="conga", rated=True, clock=BLITZ)
    with pytest.raises(Refusal) as refused:
        await server.app.admission.created_event(RecordingClient(ANN), command)
    assert refused.value.code == "account_needed"
    assert (await server.app.admission.created_event(RecordingClient(ANN_ACCOUNT), command)).rated


async def test_player_has_a_limited_number_of_open_rooms(build: Build) -> None:
    server = await build(rooms_per_player=2)
    ann, ben = server.connect(ANN), server.connect(BEN)
    rooms = [await create(server, ann) for _ in range(2)]
    error = await server.ask(ann, Create, game="cohcoh")
    assert error.code == "too_many_rooms"
    assert "2 open rooms" in error.text
    other = await create(server, ben)
    assert (await server.ask(ann, Join, room=other.room.id)).code == "too_many_rooms"
    assert (await server.ask(ben, Join, room=rooms[0].room.id)).seat == 1
    await server.ask(ann, Resign, room=rooms[0].room.id)
    assert (await server.ask(ann, Join, room=other.room.id)).seat == 1


async def test_arbiter_has_a_limited_number_of_open_rooms(build: Build) -> None:
    server = await build(rooms_per_player=1)
    eve = server.connect(EVE)
    await create(server, eve, players=("ann", "ben"), seat=None)
    error = await server.ask(eve, Create, game="conga", players=("ann", "ben"))
    assert error.code == "too_many_rooms"
    assert "arbiter" in error.text


async def test_open_rooms_of_an_arbiter_are_counted(server: Harness) -> None:
    eve, registry = server.connect(EVE), server.app.registry
    first, _ = [await server.ask(eve, Create, game="cohcoh", players=("ann", "ben")) for _ in range(2)]
    await create(server, eve)
    assert (registry.count_arbitrated(EVE.id), registry.count_arbitrated(ANN.id)) == (2, 0)
    await server.ask(eve, Abort, room=first.room)
    assert registry.count_arbitrated(EVE.id) == 1


async def test_rooms_of_one_address_are_limited_per_minute(build: Build) -> None:
    server = await build(rooms_per_minute=3)
    crowd = [server.connect(Player(id=f"p{number}", name=f"guest{number}")) for number in range(4)]
    for client in crowd[:3]:
        await create(server, client)
    refused = await server.ask(crowd[3], Create, game="cohcoh")
    assert (refused.code, refused.retry_after) == ("rate_limited", 20.0)
    assert "at most 3 per minute" in refused.text
    pairing = await server.ask(crowd[3], Pair, game="conga")
    assert pairing.code == "rate_limited"
    elsewhere = server.connect(Player(id="p-far", name="far"))
    elsewhere.address = "192.0.2.99"
    await create(server, elsewhere)
    server.clock.advance(20_000)
    await create(server, crowd[3])


async def test_pairing_with_a_player_who_waits_creates_no_room(build: Build) -> None:
    server = await build(rooms_per_minute=1)
    ann, ben = server.connect(ANN), server.connect(BEN)
    await server.ask(ann, Pair, game="cohcoh")
    reply = await server.ask(ben, Pair, game="cohcoh")
    assert server.room(reply.room).room.status == "running"


async def test_accepted_rematch_counts_as_a_new_room(build: Build) -> None:
    server = await build(rooms_per_minute=1)
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    await server.ask(ann, Rematch, room=live.room.id)
    refused = await server.ask(ben, Rematch, room=live.room.id)
    assert refused.code == "rate_limited"
    server.clock.advance(60_000)
    await server.ask(ben, Rematch, room=live.room.id)
    assert live.room.next


async def test_rooms_at_once_are_fewer_than_those_of_a_minute(server: Harness) -> None:
    ann = RecordingClient(ANN)
    for _ in range(MAX_ROOMS_AT_ONCE):
        server.app.admission.check_room_rate(ann)
    with pytest.raises(Refusal, match="at most 600 per minute"):
        server.app.admission.check_room_rate(ann)
    server.clock.advance(101)
    server.app.admission.check_room_rate(ann)


async def test_refused_room_costs_no_read_of_the_store(build: Build) -> None:
    server = await build(rooms_per_minute=1)
    ann = server.connect(ANN)
    await create(server, ann)
    reads = server.store.reads
    assert (await server.ask(ann, Create, game="cohcoh")).code == "rate_limited"
    assert server.store.reads == reads


async def test_named_arbiter_may_create_more_rooms(build: Build) -> None:
    server = await build(rooms_per_minute=1, rooms_per_player=1)
    arbiter, guest = server.connect(ANN_ACCOUNT), server.connect(BEN)
    arbiter.raise_limits(ARBITER_ALLOWANCE)
    for _ in range(ARBITER_ALLOWANCE):
        await server.ask(arbiter, Create, game="cohcoh", players=("ben", "eve"))
    assert server.app.registry.count_arbitrated(ANN_ACCOUNT.id) == ARBITER_ALLOWANCE
    assert (await server.ask(arbiter, Create, game="cohcoh", players=("ben", "eve"))).code == "rate_limited"
    server.clock.advance(60_000)
    assert (await server.ask(arbiter, Create, game="cohcoh", players=("ben", "eve"))).code == "too_many_rooms"
    await create(server, guest)
    assert (await server.ask(guest, Create, game="cohcoh")).code == "rate_limited"


async def test_accounts_are_counted_by_themselves(build: Build) -> None:
    """An arbiter with an account is not hindered by a class behind the same address."""
    server = await build(rooms_per_minute=1)
    await create(server, server.connect(BEN))
    assert (await server.ask(server.connect(EVE), Create, game="cohcoh")).code == "rate_limited"
    await create(server, server.connect(ANN_ACCOUNT))


async def test_player_is_seated_with_the_current_rating(server: Harness) -> None:
    live, ann, _ = await start_game(server, rated=True)
    await server.ask(ann, Resign, room=live.room.id)
    player = await server.app.admission.rated_player(ann, "cohcoh", live.room.setup.options)
    assert player.rating is not None
    assert player.rating < 1500
    assert player.provisional
    unrated = await server.app.admission.rated_player(ann, "conga", {})
    assert unrated.rating is None
    assert (await server.app.admission.rated_player(server.connect(ANN), "cohcoh", {})) is ANN


async def test_player_who_joins_is_seated_before_the_answer(server: Harness) -> None:
    ann, ben = server.connect(ANN), server.connect(BEN)
    live = await create(server, ann)
    await server.app.admission.join(ben, live, Join(id=9, room=live.room.id))
    assert live.room.seat_of(BEN.id) == 1
    assert ben.kinds() == ["Ok", "Snapshot"]
    assert [event.seat for event in ann.of(Seated)] == [1]


async def test_name_of_a_room_that_is_taken_is_refused(server: Harness) -> None:
    ann = server.connect(ANN)
    server.store.conflicts = 1
    error = await server.ask(ann, Create, game="conga")
    assert (error.code, error.retry_after) == ("unavailable", 0)
    assert server.app.registry.rooms == {}


async def test_room_that_cannot_be_written_is_not_opened(server: Harness) -> None:
    ann = server.connect(ANN)
    server.store.write_error = Unavailable("the disk is full")
    assert (await server.ask(ann, Create, game="conga")).code == "unavailable"
    assert (server.app.registry.rooms, ann.rooms) == ({}, {})
