from __future__ import annotations

from typing import Any

import pytest

from protocol.commands import Pair
from protocol.events import Ended, Rematched
from protocol.replies import Snapshot
from protocol.types import BotInfo, TimeControl
from server.domain.ratings import RatingRow
from server.domain.room import Room
from server.lobby.matchmaker import BOT_ANSWER_MS, can_fill_in, terms
from server.storage.interface import Append, Unavailable, append_and_wait
from tests.server.domain.helpers import ANN, BEN, EVE, NOW, waiting
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import ANN_ACCOUNT, BEN_ACCOUNT, BLITZ, disconnect

GAP_WAIT_MS = 2000  # until players with ratings 300 points apart are paired


async def pair(server: Harness, client: RecordingClient, **fields: Any) -> Room:
    """Ask for an opponent, each time a little later. Return the room."""
    server.clock.advance(1)
    reply = await server.ask(client, Pair, **{"game": "cohcoh", **fields})
    return server.room(reply.room).room


async def sweep(server: Harness) -> None:
    server.app.matchmaker.sweep()
    await server.settle()


async def rate(server: Harness, **ratings: float) -> None:
    """Give accounts established ratings."""
    rows = [RatingRow("cohcoh", f"p-{name}", 1, value, 50.0, 0.06, NOW, "r") for name, value in ratings.items()]
    await append_and_wait(server.store, Append("some game", 0, (b"",), None, None, tuple(rows)))


# -- pair


async def test_two_players_who_want_the_same_game_meet(server: Harness) -> None:
    ann, ben = server.connect(ANN), server.connect(BEN)
    first = await pair(server, ann)
    assert (first.status, first.setup.paired) == ("waiting", True)
    second = await pair(server, ben)
    assert (second.id, second.status) == (first.id, "running")
    assert ben.kinds() == ["Ok", "Snapshot"]
    assert {ben.messages[0].seat, ann.of(Snapshot)[0].your_seat} == {0, 1}


@pytest.mark.parametrize("fields", [{"options": {"n": 5}}, {"clock": BLITZ}, {"game": "conga"}])
async def test_players_who_want_different_terms_do_not_meet(server: Harness, fields: dict[str, Any]) -> None:
    await pair(server, server.connect(ANN))
    assert (await pair(server, server.connect(BEN), **fields)).status == "waiting"


async def test_player_is_not_paired_with_the_same_player(server: Harness) -> None:
    first = await pair(server, server.connect(ANN))
    assert (await pair(server, server.connect(ANN))).id != first.id


async def test_player_who_disconnected_is_not_waited_for(server: Harness) -> None:
    ann = server.connect(ANN)
    await pair(server, ann)
    disconnect(server, ann)
    await server.settle()
    assert (await pair(server, server.connect(BEN))).status == "waiting"


async def test_nearest_rating_is_preferred(server: Harness) -> None:
    await rate(server, ann=1500.0, ben=1540.0)
    far, near = await pair(server, server.connect(ANN)), await pair(server, server.connect(ANN_ACCOUNT))
    assert far.id != near.id
    assert (await pair(server, server.connect(BEN_ACCOUNT))).id == near.id


async def test_failed_store_seats_no_player(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    room = await pair(server, server.connect(ANN))
    ben = server.connect(BEN)
    server.store.write_error = Unavailable("the disk is full")
    error = await server.ask(ben, Pair, game="cohcoh")
    assert error.code == "unavailable"
    assert server.room(room.id).room.status == "waiting"
    assert ben.rooms == {}


# -- sweep


async def test_players_meet_when_the_accepted_gap_has_grown(server: Harness) -> None:
    await rate(server, ann=1500.0, ben=1800.0)
    ann, ben = server.connect(ANN_ACCOUNT), server.connect(BEN_ACCOUNT)
    host = await pair(server, ann)
    guest = await pair(server, ben)
    server.clock.advance(GAP_WAIT_MS - 100)
    await sweep(server)
    assert server.room(guest.id).room.status == "waiting"
    server.clock.advance(100)
    await sweep(server)
    assert server.room(host.id).room.status == "running"
    assert [event.next for event in ben.of(Rematched)] == [host.id]
    assert [event.reason for event in ben.of(Ended)] == ["aborted"]
    assert ben.of(Snapshot)[-1].room == host.id
    assert {client for clients in server.room(host.id).players for client in clients} == {ann, ben}


async def test_failed_store_only_prolongs_the_wait(server: Harness) -> None:
    await rate(server, ann=1500.0, ben=1800.0)
    host = await pair(server, server.connect(ANN_ACCOUNT))
    await pair(server, server.connect(BEN_ACCOUNT))
    server.clock.advance(GAP_WAIT_MS)
    server.store.read_error = Unavailable("no connection")
    await sweep(server)
    assert server.room(host.id).room.status == "waiting"
    server.store.read_error = None
    await sweep(server)
    assert server.room(host.id).room.status == "running"


async def test_busy_room_is_paired_in_a_later_sweep(server: Harness) -> None:
    await rate(server, ann=1500.0, ben=1800.0)
    host = await pair(server, server.connect(ANN_ACCOUNT))
    await pair(server, server.connect(BEN_ACCOUNT))
    server.clock.advance(GAP_WAIT_MS)
    live = server.room(host.id)
    live.busy = True
    server.app.matchmaker.sweep()
    for task in server.app.tasks:
        await task
    live.busy = False
    assert server.room(host.id).room.status == "waiting"
    await sweep(server)
    assert live.room.status == "running"


# -- house bots


def house_bot(name: str, **changes: Any) -> BotInfo:
    return BotInfo(**{"name": name, "plays": ("cohcoh",), "account": True, "house": True, **changes})


async def test_house_bots_are_asked_one_after_the_other(server: Harness) -> None:
    for name in ("greedy", "random"):
        server.app.feed.add_bot(server.connect(EVE), house_bot(name))
    room = await pair(server, server.connect(ANN), bot_after=5000)
    server.clock.advance(4999)
    await sweep(server)
    assert server.bus.invited == []
    server.clock.advance(1)
    for invited in (1, 1, 2, 2, 2, 3):  # both, and after a sweep without a fresh bot both again
        await sweep(server)
        assert len(server.bus.invited) == invited
        if len(server.bus.invited) == 2:
            assert {name for _, name in server.bus.invited} == {"greedy", "random"}
        server.clock.advance(BOT_ANSWER_MS // 2)
    assert {name for name, _ in server.bus.invited} == {room.id}


async def test_house_bot_with_the_nearest_rating_is_asked_first(server: Harness) -> None:
    for name in ("weak", "strong"):
        await server.store.add_account(name, f"p-{name}", f"token-{name}", NOW)
        server.app.feed.add_bot(server.connect(EVE), house_bot(name))
    await rate(server, weak=1000.0, strong=1900.0, ann=1800.0)
    await pair(server, server.connect(ANN_ACCOUNT), bot_after=0)
    await sweep(server)
    assert [name for _, name in server.bus.invited] == ["strong"]


async def test_player_who_wants_no_bot_gets_none(server: Harness) -> None:
    server.app.feed.add_bot(server.connect(EVE), house_bot("random"))
    await pair(server, server.connect(ANN))
    server.clock.advance(3_600_000)
    await sweep(server)
    assert server.bus.invited == []


def test_only_suitable_house_bots_fill_in() -> None:
    casual, rated = waiting("cohcoh").room, waiting("cohcoh", rated=True).room
    assert can_fill_in(house_bot("random"), rated)
    assert can_fill_in(house_bot("random", account=False), casual)
    assert not can_fill_in(house_bot("random", account=False), rated)
    assert not can_fill_in(house_bot("random", plays=("conga",)), casual)
    assert not can_fill_in(house_bot("random", house=False), casual)


def test_terms_are_equal_whatever_the_order_of_options() -> None:
    clock = TimeControl()
    assert terms({"n": 4, "k": 3}, clock, False) == terms({"k": 3, "n": 4}, clock, False)
    assert terms({"n": 4}, clock, False) != terms({"n": 4}, clock, True)
    assert terms({"n": 4}, clock, False) != terms({"n": 4}, BLITZ, False)
