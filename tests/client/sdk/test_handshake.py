from __future__ import annotations

from itertools import count
from typing import cast

import pytest

from client.sdk.errors import Refused
from client.sdk.handshake import Handshake
from client.sdk.transport import ConnectionFailed, Transport
from protocol.commands import Hello
from protocol.replies import Ok, ServerMessage, Welcome
from tests.client.sdk.fake_transport import FakeTransport, refusal, welcome


async def perform(handshake: Handshake, resume: str, *replies: ServerMessage) -> tuple[list[Hello], Welcome]:
    transport = FakeTransport(*replies)
    reply = await handshake.perform(cast(Transport, transport), resume, count(1).__next__)
    return [hello for hello in transport.sent if isinstance(hello, Hello)], reply


async def test_guest_says_its_name() -> None:
    hellos, reply = await perform(Handshake("alice", client="test", plays=("conga",)), "", welcome())
    assert reply.you.id == "p"
    assert hellos == [Hello(id=1, name="alice", client="test", plays=("conga",))]


async def test_session_is_resumed_first() -> None:
    hellos, _ = await perform(Handshake("alice"), "old", welcome())
    assert [(hello.resume, hello.name) for hello in hellos] == [("old", "")]


async def test_forgotten_session_falls_back_to_the_name() -> None:
    hellos, _ = await perform(Handshake("alice"), "old", refusal("bad_session"), welcome())
    assert [(hello.resume, hello.name) for hello in hellos] == [("old", ""), ("", "alice")]


async def test_taken_name_is_replaced_by_the_fallback() -> None:
    hellos, _ = await perform(Handshake("alice", "alice-guest"), "", refusal("name_taken"), welcome())
    assert [hello.name for hello in hellos] == ["alice", "alice-guest"]


async def test_token_is_used_instead_of_names() -> None:
    hellos, _ = await perform(Handshake("alice", "alice-guest", token="t"), "", welcome())
    assert [(hello.token, hello.name) for hello in hellos] == [("t", "")]


async def test_last_refusal_is_raised() -> None:
    with pytest.raises(Refused) as caught:
        await perform(Handshake("alice", "bob"), "", refusal("name_taken"), refusal("name_taken"))
    assert caught.value.code == "name_taken"


async def test_other_refusals_are_raised_at_once() -> None:
    with pytest.raises(Refused) as caught:
        await perform(Handshake("alice", "bob"), "", refusal("guests_refused"), welcome())
    assert caught.value.code == "guests_refused"


async def test_other_reply_is_a_failed_connection() -> None:
    with pytest.raises(ConnectionFailed, match="did not reply to hello"):
        await perform(Handshake("alice"), "", Ok(id=1))
