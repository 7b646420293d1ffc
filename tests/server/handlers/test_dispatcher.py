from __future__ import annotations

import asyncio
from typing import Any

import pytest

from protocol.commands import (
    Abort,
    Boards,
    Create,
    Export,
    Hello,
    History,
    Join,
    Leave,
    List,
    Move,
    Rematch,
    Resign,
    Review,
    Say,
    Watch,
)
from protocol.events import Moved, RematchOffered, Said
from protocol.replies import Error, Invited, Ok, Snapshot
from protocol.weights import ROOM_LOAD_WEIGHT, STALE_MOVE_WEIGHT, WEIGHTS
from server.handlers import dispatcher
from server.rooms import broadcast, registry
from server.rooms.chat import MAX_QUEUED_FOR_CHAT
from server.storage.interface import ReadTimeout, Unavailable
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, BEN, EVE
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import create, disconnect, start_game
from tests.waiting import until


async def refused(server: Harness, client: RecordingClient, kind: Any, **fields: Any) -> Error:
    error = await server.ask(client, kind, **fields)
    assert isinstance(error, Error), error
    return error


HOUR_S = 3600.0


def start(server: Harness, client: RecordingClient, kind: Any, **fields: Any) -> None:
    """Send a command whose answer waits for the pace of the client's address."""
    work = server.app.dispatcher.receive(client, kind(id=1, **fields))
    assert work is not None
    server.app.tasks.start(work)


# -- routing


async def test_hello_comes_first(server: Harness) -> None:
    assert (await refused(server, RecordingClient(), List)).code == "hello_first"
    assert (await refused(server, RecordingClient(), Move, room="r1", ply=0, move="a1")).code == "hello_first"


async def test_draining_server_refuses_commands(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    server.app.status.draining = True
    for kind, fields in ((Move, {"ply": 0, "move": "a1"}), (Say, {"text": "hm"}), (Resign, {})):
        error = await refused(server, ann, kind, room=live.room.id, **fields)
        assert (error.code, error.retry_after) == ("draining", 1.0)
    assert live.room.ply == 0


async def test_move_goes_to_its_room_at_once(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    server.send(ann, Move, room=live.room.id, ply=0, move="a1")
    await server.settle()
    assert [event.move for event in ben.of(Moved)] == ["a1"]


async def test_command_to_a_room_in_the_store_loads_it(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    for client in (ann, ben):
        live.detach(client)
    del server.app.registry.rooms[live.room.id]
    assert isinstance(await server.ask(ann, Move, room=live.room.id, ply=0, move="a1"), Ok)
    assert server.room(live.room.id).room.ply == 1
    assert list(ann.rooms) == [live.room.id]


async def test_unknown_room_is_refused(server: Harness) -> None:
    for kind, fields in ((Say, {"text": "hm"}), (Watch, {}), (Join, {})):
        assert (await refused(server, server.connect(ANN), kind, room="nowhere", **fields)).code == "no_room"


async def test_store_failure_is_noted_and_answered(server: Harness) -> None:
    server.store.read_error = Unavailable("no connection")
    error = await refused(server, server.connect(ANN), List)
    assert (error.code, error.retry_after) == ("unavailable", 1.0)
    assert server.app.status.store_error == "no connection"


async def test_search_that_takes_too_long_is_not_a_failure_of_the_store(server: Harness) -> None:
    server.store.read_error = ReadTimeout()
    error = await refused(server, server.connect(ANN), List)
    assert (error.code, error.retry_after) == ("unavailable", 1.0)
    assert "took too long" in error.text
    assert not server.app.status.store_error


async def test_disconnected_client_is_forgotten(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    server.app.feed.enter(ann)
    disconnect(server, ann)
    disconnect(server, RecordingClient())  # one that never said hello
    await server.settle()
    assert not server.app.presence.is_here("ann")
    assert not server.app.feed.watched
    assert live.players == ([], [ben])


# -- rooms


async def test_seated_player_who_sends_a_command_gets_events_again(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    second = server.connect(ANN)
    assert isinstance(await server.ask(second, Move, room=live.room.id, ply=0, move="a1"), Ok)
    assert live.players[0] == [ann, second]
    assert second.kinds() == ["Ok", "Moved"]


@pytest.mark.parametrize(("note", "code"), [("x" * 11, "too_long"), ("two\nlines", "bad_request"), ("depth 7", None)])
async def test_note_of_a_move_is_checked(build: Build, note: str, code: str | None) -> None:
    server = await build(note_length=10)
    live, ann, _ = await start_game(server)
    reply = await server.ask(ann, Move, room=live.room.id, ply=0, move="a1", note=note)
    assert getattr(reply, "code", None) == (code or "")
    assert [move.note for move in live.room.moves] == ([] if code else [note])


@pytest.mark.parametrize(("text", "code"), [("x" * 11, "too_long"), ("  ", "bad_request"), ("a\x07", "bad_request")])
async def test_chat_line_is_checked(build: Build, text: str, code: str) -> None:
    server = await build(text_length=10)
    live, ann, ben = await start_game(server)
    assert (await refused(server, ann, Say, room=live.room.id, text=text)).code == code
    assert ben.of(Said) == []
    assert isinstance(await server.ask(ann, Say, room=live.room.id, text="x" * 10), Ok)


async def test_only_clients_in_a_room_may_chat(server: Harness) -> None:
    live, _, _ = await start_game(server)
    eve = server.connect(EVE)
    assert (await refused(server, eve, Say, room=live.room.id, text="hm")).code == "not_seated"
    await server.ask(eve, Watch, room=live.room.id)
    assert isinstance(await server.ask(eve, Say, room=live.room.id, text="hm"), Ok)


async def test_chat_is_refused_while_a_room_is_busy_but_moves_are_not(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    server.send(ben, Say, room=live.room.id, text="first")  # is being written
    for _ in range(MAX_QUEUED_FOR_CHAT):
        server.send(ben, Say, room=live.room.id, text="next")
    late = server.send(ben, Say, room=live.room.id, text="one too many")
    server.send(ann, Move, room=live.room.id, ply=0, move="a1")
    assert ben.answer(late).code == "rate_limited"
    await server.settle()
    assert (len(ann.of(Said)), live.room.ply) == (MAX_QUEUED_FOR_CHAT + 1, 1)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_every_weight_is_more_than_that_of_a_move(kind: type[Any]) -> None:
    assert WEIGHTS[kind] > 1
    assert kind is not Move


async def test_commands_are_charged_by_their_weight(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    ann.charged = 0.0
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    await server.ask(ann, Say, room=live.room.id, text="hi")
    assert ann.charged == 0.0
    await server.ask(ann, List)
    assert ann.charged == WEIGHTS[List] - 1
    await server.ask(ann, Watch, room=live.room.id)
    assert ann.charged == WEIGHTS[List] - 1 + WEIGHTS[Watch] - 1


async def test_command_that_the_client_cannot_pay_for_is_refused(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    ann.wait = 2.5
    refused = await server.ask(ann, List)
    assert (refused.code, refused.retry_after) == ("rate_limited", 2.5)
    assert refused.text == f"too many messages: list counts as {WEIGHTS[List]} of them; wait 2.5 seconds"
    assert (await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")).seq == 5  # moves go on
    newcomer = RecordingClient()
    newcomer.wait = 1.0
    assert (await server.ask(newcomer, Hello, name="new")).code == "rate_limited"
    assert newcomer.player is None


async def test_command_to_a_room_that_must_be_loaded_is_charged(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each move to a game that ended long ago reads and replays it for the price of a move."""
    monkeypatch.setattr(registry, "LOADED_EVENTS_PER_MESSAGE", 2)
    room, events = await evicted_game(server)
    eve, reads = server.connect(EVE), server.store.reads
    eve.wait = 2.5
    refused = await server.ask(eve, Leave, room=room)
    assert (refused.code, refused.retry_after, server.store.reads) == ("rate_limited", 2.5, reads)
    eve.wait, eve.charged = 0.0, 0.0
    await server.ask(eve, Move, room=room, ply=0, move="a1")
    assert eve.charged == ROOM_LOAD_WEIGHT - 1 + events // 2


async def evicted_game(server: Harness) -> tuple[str, int]:
    """Play a game that is no longer in memory. Return its room, and the length of its log."""
    live, ann, ben = await start_game(server)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    await server.ask(ann, Resign, room=live.room.id)
    events = len(live.log)
    for client in (ann, ben):
        await server.ask(client, Leave, room=live.room.id)
    assert live.room.id not in server.app.registry.rooms
    return live.room.id, events


@pytest.mark.parametrize("kind", [Watch, Join, Boards, Export, Review])
async def test_every_command_pays_for_the_log_that_it_loads(
    server: Harness, monkeypatch: pytest.MonkeyPatch, kind: type[Any]
) -> None:
    """Otherwise a client that enters and leaves a room with a long log over and over keeps the server busy."""
    monkeypatch.setattr(registry, "LOADED_EVENTS_PER_MESSAGE", 2)
    room, events = await evicted_game(server)
    ann, eve = server.connect(ANN), server.connect(EVE)
    await server.ask(eve, kind, room=room)
    assert room not in server.app.registry.rooms or kind is Watch
    assert eve.charged == WEIGHTS[kind] - 1 + events // 2
    await server.ask(ann, Watch, room=room)
    eve.charged = 0.0
    await server.ask(eve, kind, room=room)  # it is in memory now
    assert eve.charged == WEIGHTS[kind] - 1


async def test_weighty_command_waits_for_the_pace_of_its_address_and_moves_do_not(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    ben.delay = HOUR_S
    reads, ben.paced = server.store.reads, []
    start(server, ben, History)
    for _ in range(4):
        await asyncio.sleep(0)
    assert (server.store.reads, ben.paced) == (reads, [WEIGHTS[History]])
    server.send(ann, Move, room=live.room.id, ply=0, move="a1")
    await until("ann has moved", lambda: ann.of(Moved) != [])
    moved = server.send(ben, Move, room=live.room.id, ply=1, move="b2")
    await until("ben has moved", lambda: len(ann.of(Moved)) == 2)
    assert (ben.paced, ben.answers) == ([WEIGHTS[History]], [moved])


async def test_command_that_loads_a_room_waits_for_the_pace_of_its_address(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    for client in (ann, ben):
        live.detach(client)
    del server.app.registry.rooms[live.room.id]
    ben.paced = []
    await server.ask(ben, Leave, room=live.room.id)
    assert ben.paced == [ROOM_LOAD_WEIGHT]


async def test_snapshot_of_a_long_game_is_charged(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "SNAPSHOT_PLIES_PER_MESSAGE", 1)
    monkeypatch.setattr(broadcast, "SNAPSHOT_PLIES_PER_MESSAGE", 1)
    live, ann, _ = await start_game(server)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id)
    assert eve.charged == WEIGHTS[Watch] - 1 + 1
    ann.charged = 0.0
    await refused(server, ann, Move, room=live.room.id, ply=0, move="a1")
    assert ann.charged == STALE_MOVE_WEIGHT - 1 + 1


async def test_snapshot_of_a_stale_move_is_charged(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    ann.charged = 0.0
    assert (await server.ask(ann, Move, room=live.room.id, ply=7, move="a1")).code == "stale"
    assert ann.charged == STALE_MOVE_WEIGHT - 1


async def test_watcher_gets_a_snapshot_or_the_events_after_a_seq(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    eve, other = server.connect(EVE), server.connect(EVE, text=True)
    ok = await server.ask(eve, Watch, room=live.room.id)
    assert (ok.seq, ok.seat) == (5, None)
    assert eve.kinds() == ["Ok", "Snapshot"]
    await server.ask(other, Watch, room=live.room.id, after=3)
    assert other.kinds() == ["Ok", "Started", "Moved"]
    late = server.connect(EVE)
    await server.ask(late, Watch, room=live.room.id, after=99)  # a seq that does not exist
    assert late.kinds() == ["Ok", "Snapshot"]


@pytest.mark.parametrize("text", [False, True])
async def test_client_that_missed_many_events_gets_a_snapshot(
    server: Harness, monkeypatch: pytest.MonkeyPatch, text: bool
) -> None:
    monkeypatch.setattr(dispatcher, "MAX_EVENTS_RESENT", 3)
    live, ann, _ = await start_game(server)
    await server.ask(ann, Say, room=live.room.id, text="hi")
    few, many = server.connect(EVE, text), server.connect(EVE, text)
    await server.ask(few, Watch, room=live.room.id, after=2)
    assert few.kinds() == ["Ok", "Seated", "Started", "Said"]
    assert few.writes == 1
    await server.ask(many, Watch, room=live.room.id, after=1)
    assert many.kinds() == ["Ok", "Snapshot"]


async def test_stored_events_are_sent_without_being_decoded(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, _ = await start_game(server)
    await server.ask(ann, Say, room=live.room.id, text="hi")

    def fail(payload: bytes) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr("protocol.frames.decode_event", fail)
    monkeypatch.setattr("server.rooms.live_room.decode_event", fail)
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id, after=1)
    assert eve.kinds() == ["Ok", "Seated", "Seated", "Started", "Said"]


async def test_watcher_of_a_delayed_game_gets_no_events_beyond_the_horizon(server: Harness) -> None:
    live, ann, _ = await start_game(server, delay=2)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    eve = server.connect(EVE)
    assert (await server.ask(eve, Watch, room=live.room.id, after=1)).seq == live.room.horizon == 4
    assert eve.kinds() == ["Ok", "Seated", "Seated", "Started"]


async def test_private_room_is_watched_with_its_code(server: Harness) -> None:
    live, _, _ = await start_game(server, private=True)
    eve = server.connect(EVE)
    assert (await refused(server, eve, Watch, room=live.room.id, code="wrong")).code == "bad_code"
    assert eve not in live.watchers
    assert isinstance(await server.ask(eve, Watch, room=live.room.id, code=live.room.setup.code), Ok)


async def test_private_room_is_open_to_its_players_its_creator_and_invited_players(server: Harness) -> None:
    eve, ann = server.connect(EVE), server.connect(ANN)
    await server.app.presence.report()
    invited = await create(server, eve, private=True, invite="ann")
    assert isinstance(await server.ask(ann, Watch, room=invited.room.id), Ok)
    later = await create(server, eve, private=True, invite="ben")
    assert (await refused(server, server.connect(BEN), Watch, room=later.room.id)).code == "bad_code"
    arbitrated = await create(server, eve, private=True, players=("ann", "ben"), seat=None)
    assert isinstance(await server.ask(eve, Watch, room=arbitrated.room.id), Ok)
    live, ann, _ = await start_game(server, private=True)
    assert isinstance(await server.ask(ann, Watch, room=live.room.id), Ok)


async def test_watcher_leaves(server: Harness) -> None:
    live, _, _ = await start_game(server)
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id)
    assert isinstance(await server.ask(eve, Leave, room=live.room.id), Ok)
    assert (list(live.watchers), eve.rooms) == ([], {})


async def test_command_of_a_watcher_that_only_players_may_send_is_refused(server: Harness) -> None:
    live, _, _ = await start_game(server)
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id)
    assert (await refused(server, eve, Resign, room=live.room.id)).code == "not_seated"
    assert eve in live.watchers


async def test_rematch_is_offered_to_an_opponent_who_left(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    await server.ask(ben, Leave, room=live.room.id)
    assert isinstance(await server.ask(ann, Rematch, room=live.room.id), Ok)
    assert [event.seat for event in ben.of(RematchOffered)] == [0]


async def test_invited_player_may_not_watch_a_private_room_that_has_ended(server: Harness) -> None:
    eve, ann = server.connect(EVE), server.connect(ANN)
    live = await create(server, eve, private=True, players=("ann", "ben"), seat=None)
    await server.ask(eve, Abort, room=live.room.id)
    await server.ask(eve, Leave, room=live.room.id)
    assert (await refused(server, ann, Watch, room=live.room.id)).code == "bad_code"
    assert server.app.registry.rooms == {}  # it does not stay in memory


async def test_ended_room_is_evicted_after_a_refused_join(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    for client in (ann, ben):
        disconnect(server, client)
    assert (await refused(server, server.connect(EVE), Join, room=live.room.id)).code == "seat_taken"
    assert server.app.registry.rooms == {}


# -- new rooms


async def test_creator_gets_a_seat_and_a_snapshot(server: Harness) -> None:
    ann = server.connect(ANN)
    ok = await server.ask(ann, Create, game="cohcoh", seat=1, private=True)
    assert ok.seat == 1
    assert ok.code == server.room(ok.room).room.setup.code != ""
    assert [snapshot.your_seat for snapshot in ann.of(Snapshot)] == [1]


async def test_invited_player_is_told(server: Harness) -> None:
    ann, ben = server.connect(ANN), server.connect(BEN)
    live = await create(server, ann, invite="Ben")
    assert [(invited.by, invited.room.room) for invited in ben.of(Invited)] == [("ann", live.room.id)]
    assert server.bus.invited == [(live.room.id, "Ben")]


async def test_arbiter_watches_a_room_for_two_others(server: Harness) -> None:
    eve, ann = server.connect(EVE), server.connect(ANN)
    ok = await server.ask(eve, Create, game="conga", players=("ann", "ben"))
    assert ok.seat is None
    assert eve in server.room(ok.room).watchers
    assert [invited.by for invited in ann.of(Invited)] == ["eve"]


@pytest.mark.parametrize(
    "fields",
    [
        {"invite": "ANN"},
        {"players": ("ben", "Ben")},
        {"players": ("ann", "ben")},
        {"players": ("ben", "eve"), "seat": 0},
        {"players": ("ben", "eve"), "invite": "ben"},
    ],
)
async def test_room_with_impossible_players_is_refused(server: Harness, fields: dict[str, Any]) -> None:
    assert (await refused(server, server.connect(ANN), Create, game="conga", **fields)).code == "bad_request"
    assert server.app.registry.rooms == {}


async def test_names_of_invited_players_are_checked(server: Harness) -> None:
    ann = server.connect(ANN)
    assert (await refused(server, ann, Create, game="conga", invite="a\nb")).code == "bad_name"
    assert (await refused(server, ann, Create, game="conga", players=("ben", "x" * 99))).code == "bad_name"
    suffixed = "x" * server.settings.name_length + "~12"  # such names exist
    assert isinstance(await server.ask(ann, Create, game="conga", invite=suffixed), Ok)


async def test_hello_is_answered_before_other_commands(server: Harness) -> None:
    client = RecordingClient()
    assert (await server.ask(client, Hello, name="ann")).you.name == "ann"
    assert isinstance(await server.ask(client, List), Ok)
