"""Line-by-line play without a server: what is printed, and which commands typed lines become."""

from __future__ import annotations

import asyncio

import pytest

from client.presentation.plain_play import Input, InputEnded, PlainPlay, choose_opening
from client.sdk.session import Session
from protocol.commands import Claim, Create
from protocol.events import Presence, TakebackOffered
from tests.tui.offline_app import AT, snapshot_of


def test_offers_and_claims_are_printed() -> None:
    printed: list[str] = []
    play = PlainPlay(Session("ws://127.0.0.1:1/ws"), "room", printed.append)
    play.handle_event(snapshot_of("conga", ("a4b4", "d1c2")))
    play.handle_event(TakebackOffered(room="room", seq=7, at=AT, seat=0, ply=0))
    assert printed[-1] == "You asked to take back a move; waiting for search"
    play.handle_event(TakebackOffered(room="room", seq=8, at=AT, seat=1, ply=1))
    assert printed[-1] == "search asks to take back a move: yes or no?"
    play.handle_event(Presence(room="room", seq=9, at=AT, seat=1, online=False, claim_at=AT + 60_000))
    assert printed[-1] == "search has left: type claim to claim the game in 60 s"
    assert isinstance(play.command("claim"), Claim)


def queue_of(*items: Input) -> asyncio.Queue[Input]:
    queue: asyncio.Queue[Input] = asyncio.Queue()
    for item in items:
        queue.put_nowait(item)
    return queue


async def test_lines_typed_before_the_snapshot_are_handled_after_it() -> None:
    printed: list[str] = []
    play = PlainPlay(Session("ws://127.0.0.1:1/ws"), "room", printed.append)
    await play.run(queue_of("moves", "a9", None, snapshot_of("conga")))
    assert printed[-2] == "a4a3 a4b3 a4b4"
    assert printed[-1].startswith("'a9' is not a move of conga")


async def test_no_room_is_created_if_the_input_has_ended() -> None:
    session = Session("ws://127.0.0.1:1/ws")
    opening = Create(id=1, game="conga")
    with pytest.raises(InputEnded, match="standard input is empty: play in a terminal, or send your moves"):
        await choose_opening(session, opening, queue_of(None), print, False)
    assert await choose_opening(session, opening, queue_of("moves", None), print, False) is opening
    assert await choose_opening(session, opening, queue_of(), print, False) is opening
