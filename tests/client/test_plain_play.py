"""A game line by line, without a server: what is told, and what words ask for."""

from __future__ import annotations

import asyncio

from client.presentation.plain_play import Heard, PlainPlay, choose_opening
from client.sdk.session import Session
from protocol.commands import Claim, Create
from protocol.events import Presence, TakebackOffered
from tests.tui.offline_app import AT, snapshot_of


def test_offers_and_who_is_gone_are_told() -> None:
    told: list[str] = []
    play = PlainPlay(Session("ws://127.0.0.1:1/ws"), "room", told.append)
    play.happened(snapshot_of("conga", ("a4b4", "d1c2")))
    play.happened(TakebackOffered(room="room", seq=7, at=AT, seat=0, ply=0))
    assert told[-1] == "you have asked to take a move back, search has not answered yet"
    play.happened(TakebackOffered(room="room", seq=8, at=AT, seat=1, ply=1))
    assert told[-1] == "search would like to take a move back: yes or no?"
    play.happened(Presence(room="room", seq=9, at=AT, seat=1, online=False, claim_at=AT + 60_000))
    assert told[-1] == "search is gone: claim wins the game, from 60 s on"
    assert isinstance(play.command("claim"), Claim)


def heard(*news: Heard) -> asyncio.Queue[Heard]:
    queue: asyncio.Queue[Heard] = asyncio.Queue()
    for each in news:
        queue.put_nowait(each)
    return queue


async def test_what_was_typed_before_the_table_came_is_not_lost() -> None:
    told: list[str] = []
    play = PlainPlay(Session("ws://127.0.0.1:1/ws"), "room", told.append)
    await play.run(heard("moves", "a9", None, snapshot_of("conga")))
    assert told[-2] == "a4a3 a4b3 a4b4"
    assert told[-1].startswith("'a9' is not a move of conga")


async def test_no_room_is_made_for_nobody() -> None:
    session = Session("ws://127.0.0.1:1/ws")
    opening = Create(id=1, game="conga")
    assert await choose_opening(session, opening, heard(None), print, False) is None
    assert await choose_opening(session, opening, heard("moves", None), print, False) is opening
    assert await choose_opening(session, opening, heard(), print, False) is opening
