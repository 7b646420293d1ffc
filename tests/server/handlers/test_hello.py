from __future__ import annotations

from typing import Any

import pytest

from protocol.commands import Create, Hello, Join
from protocol.events import Presence
from protocol.replies import Invited, Snapshot, Welcome
from protocol.types import BotInfo
from protocol.weights import RESUMED_ROOMS_PER_MESSAGE, WEIGHTS
from server.config import ARBITER_ALLOWANCE
from server.handlers import hello as handler
from server.handlers.hello import SESSION_RENEWAL_MS
from server.rooms import registry
from server.storage.interface import PlayerRooms, ReturningPlayer, Session, Unavailable
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, BEN, NOW
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import BLITZ, create, disconnect


async def hello(server: Harness, **fields: Any) -> RecordingClient:
    """Connect a client and say hello."""
    client = RecordingClient()
    await server.ask(client, Hello, **fields)
    return client


def welcome(client: RecordingClient) -> Welcome:
    reply: Welcome = client.messages[0]
    assert isinstance(reply, Welcome)
    return reply


async def test_welcome_says_who_the_client_is_and_what_the_server_offers(server: Harness) -> None:
    client = await hello(server, name="ann")
    reply = welcome(client)
    assert client.player == reply.you
    assert (reply.you.name, reply.server, reply.rooms) == ("ann", "parlour", ())
    assert reply.limits == server.settings.limits()
    assert {game.name for game in reply.games} == {"conga", "mancala", "maxconnect4", "cohcoh"}
    assert server.app.presence.named("ann") == [client]
    returning = await server.store.load_session(reply.session)
    assert returning is not None
    assert returning.session.player == reply.you.id


async def test_named_arbiter_gets_higher_limits(build: Build) -> None:
    server = await build(arbiters="Referee")
    await server.store.add_account("referee", "p-referee", "token", NOW)
    arbiter, guest = await hello(server, token="token"), await hello(server, name="ann")
    assert (arbiter.allowance, guest.allowance) == (ARBITER_ALLOWANCE, 1)
    assert welcome(arbiter).limits == server.settings.limits(ARBITER_ALLOWANCE)
    assert welcome(arbiter).limits.messages_per_second == ARBITER_ALLOWANCE * welcome(guest).limits.messages_per_second


async def test_second_hello_is_refused(server: Harness) -> None:
    client = await hello(server, name="ann")
    assert (await server.ask(client, Hello, name="ben")).code == "already_welcome"


async def test_draining_server_welcomes_no_client(server: Harness) -> None:
    server.app.status.draining = True
    client = await hello(server, name="ann")
    (error,) = client.messages
    assert (error.code, error.retry_after) == ("draining", 1.0)
    assert client.player is None


async def test_returning_player_gets_the_open_rooms(server: Harness) -> None:
    first = await hello(server, name="ann")
    opponent = server.connect(BEN)
    live = await create(server, first)
    await server.ask(opponent, Join, room=live.room.id)
    disconnect(server, first)
    await server.settle()
    opponent.messages.clear()
    back = await hello(server, resume=welcome(first).session)
    assert welcome(back).rooms == (live.room.id,)
    assert [(snapshot.room, snapshot.your_seat) for snapshot in back.of(Snapshot)] == [(live.room.id, 0)]
    assert live.players[0] == [back]
    assert [event.online for event in opponent.of(Presence)] == [True]


async def test_returning_player_pays_for_many_rooms_and_long_logs(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a player with many long games keeps the server busy by coming back over and over."""
    first = await hello(server, name="ann")
    rooms = [await create(server, first) for _ in range(5)]
    session = welcome(first).session
    disconnect(server, first)
    usual = await hello(server, resume=session)
    assert usual.charged == WEIGHTS[Hello] - 1 + 5 // RESUMED_ROOMS_PER_MESSAGE
    disconnect(server, usual)
    await server.settle()
    for live in rooms[:2]:
        server.app.timers.cancel(live)
        del server.app.registry.rooms[live.room.id]
    monkeypatch.setattr(handler, "USUAL_LOG_EVENTS", 1)
    monkeypatch.setattr(registry, "LOADED_EVENTS_PER_MESSAGE", 1)
    long = await hello(server, resume=session)
    assert len(welcome(long).rooms) == 5
    assert long.charged == usual.charged + sum(len(live.log) - 1 for live in rooms[:2])


async def resume_and_leave(server: Harness, session: str) -> RecordingClient:
    """Resume a session with a client that disconnects when it has to wait after the welcome."""
    client = RecordingClient()

    def pace(weight: float) -> float:
        if client.player is not None:
            disconnect(server, client)
        return 0.0

    client.pace = pace  # type: ignore[method-assign]
    await server.ask(client, Hello, resume=session)
    return client


async def test_many_invitations_are_sent_in_steps_while_the_client_is_connected(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler, "INVITATIONS_AT_ONCE", 2)
    ann = server.connect(ANN)
    for _ in range(6):
        await create(server, ann, invite="eve")
    eve = await hello(server, name="eve")
    assert len(eve.of(Invited)) == 6
    assert eve.paced[1:] == [1, 1, 1]
    session = welcome(eve).session
    disconnect(server, eve)
    gone = await resume_and_leave(server, session)
    assert len(gone.of(Invited)) == 1


async def test_client_that_disconnects_enters_no_more_rooms(server: Harness) -> None:
    first = await hello(server, name="ann")
    rooms = [await create(server, first) for _ in range(3)]
    session = welcome(first).session
    disconnect(server, first)
    gone = await resume_and_leave(server, session)
    assert len(gone.of(Snapshot)) == 1
    assert [live.clients() for live in rooms] == [[], [], []]


async def test_new_guest_is_in_no_room(server: Harness) -> None:
    await create(server, server.connect(ANN))
    client = await hello(server, name="eve")
    assert (client.kinds(), client.rooms) == (["Welcome"], {})


async def test_invitations_wait_for_the_player(server: Harness) -> None:
    await server.ask(server.connect(BEN), Create, game="conga", invite="ann")
    client = await hello(server, name="Ann")
    (invited,) = client.of(Invited)
    assert (invited.by, invited.room.game) == ("ben", "conga")


async def test_invitation_that_is_sent_while_a_player_returns_arrives_once(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, ben = await hello(server, name="ann"), server.connect(BEN)
    disconnect(server, first)
    await server.settle()
    load_session, rooms_for, reads = server.store.load_session, server.store.rooms_for, list[str]()

    async def invite_after_the_read(secret: str) -> ReturningPlayer | None:
        returning = await load_session(secret)
        await server.ask(ben, Create, game="conga", invite="ann")
        return returning

    async def count_reads(player: str, name: str) -> PlayerRooms:
        reads.append(name)
        return await rooms_for(player, name)

    monkeypatch.setattr(server.store, "rooms_for", count_reads)
    monkeypatch.setattr(server.store, "load_session", invite_after_the_read)
    back = await hello(server, resume=welcome(first).session)
    assert [invited.by for invited in back.of(Invited)] == ["ben"]
    disconnect(server, back)
    await server.settle()
    monkeypatch.setattr(server.store, "load_session", load_session)
    again = await hello(server, resume=welcome(first).session)
    assert [invited.by for invited in again.of(Invited)] == ["ben"]
    assert reads == ["ann"], "without new invitations, the session is all that is read"


async def test_name_is_free_again_if_the_session_cannot_be_saved(server: Harness) -> None:
    server.store.write_error = Unavailable("the disk is full")
    client = await hello(server, name="ann")
    assert [error.code for error in client.messages] == ["unavailable"]
    assert client.player is None
    server.store.write_error = None
    assert welcome(await hello(server, name="ann")).you.name == "ann"


async def test_old_session_is_renewed(server: Harness) -> None:
    first = await hello(server, name="ann")
    disconnect(server, first)
    for wait_ms, saved_at in ((SESSION_RENEWAL_MS, NOW), (1, NOW + SESSION_RENEWAL_MS + 1)):
        server.clock.advance(wait_ms)
        disconnect(server, await hello(server, resume=welcome(first).session))
        returning = await server.store.load_session(welcome(first).session)
        assert returning is not None
        assert returning.saved_at == saved_at


async def test_session_is_resumed_while_the_store_cannot_write(server: Harness) -> None:
    first = await hello(server, name="ann")
    disconnect(server, first)
    server.store.write_error = Unavailable("the disk is full")
    back = await hello(server, resume=welcome(first).session)
    assert back.kinds() == ["Welcome"]
    assert welcome(back).you == welcome(first).you


async def test_renamed_session_keeps_its_new_name(server: Harness) -> None:
    first = await hello(server, name="ann")
    disconnect(server, first)
    await server.settle()
    await hello(server, name="ann")
    back = await hello(server, resume=welcome(first).session)
    assert welcome(back).you.name == "ann~2"
    returning = await server.store.load_session(welcome(first).session)
    assert returning is not None
    assert returning.session.name == "ann~2"


async def test_name_is_kept_if_the_old_connection_is_lost_during_hello(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await hello(server, name="ann")
    session = welcome(first).session
    server.clock.advance(SESSION_RENEWAL_MS + 1)  # the session has to be saved again
    save_session, claims = server.store.save_session, list[bool]()

    async def lose_connection(secret: str, session: Session, now: int, account_change: int) -> bool:
        disconnect(server, first)
        await server.settle_tasks()
        claims.append(await server.store.claim_name("n2", "p-other", "ann"))
        return await save_session(secret, session, now, account_change)

    monkeypatch.setattr(server.store, "save_session", lose_connection)
    assert welcome(await hello(server, resume=session)).you.name == "ann"
    assert claims == [False]


@pytest.mark.parametrize(("resumes", "code"), [(False, "bad_token"), (True, "bad_session")])
async def test_hello_is_refused_if_the_token_is_replaced_meanwhile(
    server: Harness, monkeypatch: pytest.MonkeyPatch, resumes: bool, code: str
) -> None:
    await server.store.add_account("ann", "p-ann", "old", NOW)
    fields = {"resume": welcome(await hello(server, token="old")).session} if resumes else {"token": "old"}
    server.clock.advance(SESSION_RENEWAL_MS + 1)  # a session has to be saved again
    save_session = server.store.save_session

    async def rotate(secret: str, session: Session, now: int, account_change: int) -> bool:
        await server.store.rotate_account("ann", "new")
        return await save_session(secret, session, now, account_change)

    monkeypatch.setattr(server.store, "save_session", rotate)
    client = RecordingClient()
    assert (await server.ask(client, Hello, **fields)).code == code
    assert client.player is None


async def test_bot_is_listed_with_the_games_that_the_server_has(server: Harness) -> None:
    bot = await hello(server, name="robot", plays=("conga", "chess"), concurrent=5, ladder=True)
    assert server.app.feed.bots() == (BotInfo(name="robot", plays=("conga",), concurrent=5, ladder=True),)
    assert server.app.feed.is_listening(bot)
    await hello(server, name="human", plays=("chess",))
    assert len(server.app.feed.bots()) == 1


async def test_house_bot_is_one_with_the_account_of_a_configured_name(build: Build) -> None:
    server = await build(house="random, greedy")
    for name in ("greedy", "other"):
        await server.store.add_account(name, f"p-{name}", f"token-{name}", NOW)
        await hello(server, token=f"token-{name}", plays=("conga",))
    await hello(server, name="random", plays=("conga",))  # a guest
    assert {bot.name: bot.house for bot in server.app.feed.bots()} == {"greedy": True, "other": False, "random": False}


@pytest.mark.parametrize(("silent_ms", "credited"), [(10_000, True), (500, False)])
async def test_player_who_left_a_node_that_hangs_is_not_charged_for_it(
    build: Build, silent_ms: int, credited: bool
) -> None:
    server = await build(shared=True)
    ann = await hello(server, name="ann")
    live = await create(server, ann, clock=BLITZ)
    await server.ask(server.connect(BEN), Join, room=live.room.id)
    disconnect(server, ann)
    await server.settle()

    async def seen_at(player: str, node: str) -> int | None:
        return server.clock() - silent_ms

    server.clock.advance(20_000)
    server.store.seen_at = seen_at  # type: ignore[method-assign]
    back = await hello(server, resume=welcome(ann).session)
    (snapshot,) = back.of(Snapshot)
    assert snapshot.elapsed == 20_000 - (silent_ms if credited else 0)
