"""A session over fake transports. tests/e2e/test_session_faults.py has real servers and networks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from client.sdk.errors import Closed, NoServer, Refused, ReplyTimeout, SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.sdk.session import Session
from client.sdk.transport import ConnectionFailed, ConnectionRefused
from protocol.commands import Leave, List, Lobby, Move, Resign, Watch
from protocol.replies import Closing, Ok
from runtime.backoff import Backoff
from tests.client.sdk.fake_transport import FakeTransport, refusal, welcome
from tests.client.sdk.room_log import RoomLog, busy_log
from tests.waiting import TIMEOUT_S, settle

URL = "ws://example.org/ws"


class Network:
    """The connections that a session gets, in order. An exception is raised instead of connecting."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *connections: FakeTransport | Exception) -> None:
        self._connections = list(connections)
        self.urls: list[object] = []
        monkeypatch.setattr("client.sdk.session.open_transport", self._open)

    @asynccontextmanager
    async def _open(self, *settings: object) -> AsyncIterator[FakeTransport]:
        self.urls.append(settings[0])
        if not self._connections:
            await asyncio.sleep(60)
        connection = self._connections.pop(0)
        if isinstance(connection, Exception):
            raise connection
        yield connection


def new_session(**settings: object) -> Session:
    return Session(URL, name="alice", **{"backoff": Backoff(0.001, 0.002), **settings})  # type: ignore[arg-type]


async def next_event(session: Session, kind: type[SessionEvent]) -> object:
    async with asyncio.timeout(TIMEOUT_S):
        async for event in session:
            if isinstance(event, kind):
                return event
    raise AssertionError("the session has ended")


async def test_open_returns_the_welcome(monkeypatch: pytest.MonkeyPatch) -> None:
    Network(monkeypatch, FakeTransport(welcome("alice", session="s1")))
    async with new_session() as session:
        assert session.welcome is not None
        assert session.welcome.you.name == "alice"
        assert session.resume == "s1"


async def test_session_reconnects_with_the_resume_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = FakeTransport(welcome(session="s1")), FakeTransport(welcome(session="s2"))
    Network(monkeypatch, first, second)
    async with new_session() as session:
        first.cut()
        lost = await next_event(session, Disconnected)
        assert lost == Disconnected("the server closed the connection", lost.retry_in)  # type: ignore[attr-defined]
        back = await next_event(session, Connected)
        assert isinstance(back, Connected)
        assert back.again
        assert second.sent[0].resume == "s1"  # type: ignore[attr-defined]
        assert session.resume == "s2"


async def test_connection_names_the_room_that_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = FakeTransport(welcome()), FakeTransport(welcome())
    network = Network(monkeypatch, first, second)
    async with new_session(room="a b&c") as session:
        first.push(busy_log(2).snapshot(5))
        await settle()
        first.cut()
        await next_event(session, Disconnected)
        await next_event(session, Connected)
    assert network.urls == [f"{URL}?room=a%20b%26c", f"{URL}?room=r"]


async def test_unanswered_command_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = FakeTransport(welcome()), FakeTransport(welcome())
    first.silent = True
    Network(monkeypatch, first, second)
    async with new_session() as session:
        move = Move(id=session.id(), room="r", ply=0, move="a4b3")
        asking = asyncio.create_task(session.ask(move))
        await settle()
        first.cut()
        assert await asyncio.wait_for(asking, TIMEOUT_S) == Ok(id=move.id)
        assert first.commands == second.commands == [move]


async def test_subscriptions_are_renewed_after_a_reconnect(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = FakeTransport(welcome()), FakeTransport(welcome())
    Network(monkeypatch, first, second)
    async with new_session() as session:
        await session.ask(Lobby(id=session.id(), on=True))
        await session.ask(Watch(id=session.id(), room="w", code="key"))
        first.cut()
        await next_event(session, Disconnected)
        await next_event(session, Connected)
        await settle()
        lobby, watch = second.commands
        assert isinstance(lobby, Lobby)
        assert isinstance(watch, Watch)
        assert (watch.room, watch.code, watch.after) == ("w", "key", 0)


async def test_missing_events_are_requested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    log, transport = busy_log(2), FakeTransport(welcome())
    Network(monkeypatch, transport)
    async with new_session():
        transport.push(log.snapshot(5))
        for event in log.events[7:10]:  # one is missing
            transport.push(event)  # type: ignore[arg-type]
        await settle()
        assert [(watch.room, watch.after) for watch in transport.commands] == [("r", log.snapshot(5).seq)]  # type: ignore[attr-defined]


async def test_new_identity_forgets_the_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = FakeTransport(welcome("p"), busy_log(1).snapshot(5)), FakeTransport(welcome("q"))
    Network(monkeypatch, first, second)
    async with new_session() as session:
        await settle()
        assert "r" in session.rooms
        first.cut()
        await next_event(session, Disconnected)
        back = await next_event(session, Connected)
        assert isinstance(back, Connected)
        assert not back.again
        assert "r" not in session.rooms


async def test_closing_server_decides_when_to_reconnect(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = FakeTransport(welcome())
    Network(monkeypatch, transport)
    async with new_session() as session:
        transport.push(Closing(text="restart", retry_after=7.0))
        transport.cut()
        lost = await next_event(session, Disconnected)
        assert isinstance(lost, Disconnected)
        assert lost.retry_in >= 7.0


async def test_missing_reply_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = FakeTransport(welcome())
    transport.silent = True
    Network(monkeypatch, transport)
    async with new_session() as session:
        with pytest.raises(ReplyTimeout, match=f"no answer from {URL}"):
            await session.ask(List(id=session.id()), within=0.01)


async def test_open_gives_up_after_the_given_time(monkeypatch: pytest.MonkeyPatch) -> None:
    Network(monkeypatch, ConnectionFailed("no connection"))
    with pytest.raises(NoServer, match="no connection"):
        await new_session().open(within=0.05)


async def test_refused_connection_is_an_error_unless_the_session_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ConnectionRefused("no connection")
    Network(monkeypatch, refused, refused, FakeTransport(welcome()))
    with pytest.raises(NoServer, match="no connection; start a server there with 'parlour serve'"):
        await new_session(wait_for_server=False).open(within=5)
    async with new_session(wait_for_server=True) as session:
        assert session.welcome is not None


async def test_permanent_refusal_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    Network(monkeypatch, FakeTransport(refusal("unavailable")), FakeTransport(refusal("guests_refused")))
    session = new_session()
    with pytest.raises(Refused) as caught:
        await session.open(within=5)
    assert caught.value.code == "guests_refused"
    with pytest.raises(Refused):
        await session.ask(List(id=session.id()))


async def test_bug_in_a_message_handler_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = FakeTransport(welcome())
    Network(monkeypatch, transport)
    session = new_session()
    await session.open()
    monkeypatch.setattr(session, "_receive", None)
    transport.push(Ok(id=1))
    with pytest.raises(SessionError, match="TypeError"):
        await next_event(session, Disconnected)
    await session.close()


async def test_close_fails_pending_requests_and_ends_the_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = FakeTransport(welcome())
    transport.silent = True
    Network(monkeypatch, transport)
    session = new_session()
    await session.open()
    asking = asyncio.create_task(session.ask(List(id=session.id())))
    await settle()
    await session.close()
    with pytest.raises(Closed):
        await asking
    assert [type(event) async for event in session] == [Connected]


async def test_abandon_leaves_waiting_rooms_and_resigns_running_games(monkeypatch: pytest.MonkeyPatch) -> None:
    log = RoomLog()
    transport = FakeTransport(welcome(rooms=("r",)), log.snapshot(-1))
    Network(monkeypatch, transport)
    async with new_session() as session:
        await settle()
        view = session.rooms["r"]
        await session.abandon([view])
        view.status = "waiting"
        await session.abandon([view])
        assert [type(command) for command in transport.commands] == [Resign, Leave]


def test_token_excludes_the_resume_secret() -> None:
    assert Session(URL, resume="s").resume == "s"
    assert Session(URL, token="t", resume="s").resume == ""


def test_invalid_address_is_rejected() -> None:
    with pytest.raises(NoServer):
        Session("not an address")
