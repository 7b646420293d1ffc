"""The reviewer on a real server: it takes games, survives lost connections, and reports what it cannot review."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from client.bots import reviewer as module
from client.bots.reviewer import Reviewer
from client.presentation.server_reviews import ReviewFailed, fetch_review, review_of
from client.sdk.errors import Refused
from client.sdk.session import Session
from engine.errors import InvalidRecord
from engine.record import parse
from engine.review import Budget, review
from protocol.codec import JSON
from protocol.replies import ReviewUpdate
from runtime.backoff import Backoff
from server.app import Running
from tests.e2e.accounts import account
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.conftest import connect_guest as connect_guest
from tests.e2e.conftest import start as start
from tests.e2e.guest import Guest
from tests.e2e.play import play, room_of
from tests.waiting import TIMEOUT_S, until

BUDGET = Budget(nodes=50)  # without a compiled search, a game takes a fraction of a second
MOVES = ("a1", "b1", "c1", "e1")


@asynccontextmanager
async def reviewing(server: Running, token: str = "", name: str = "reviewer") -> AsyncIterator[asyncio.Task[None]]:
    """Run a reviewer until the block ends. The block begins when it waits for a game."""
    token = token or await account(server, name)
    session = Session(server.url, token=token, backoff=Backoff(first_s=0.01, max_s=0.05))
    task = asyncio.create_task(Reviewer(session, BUDGET, 4, False).run())
    try:
        await until("the reviewer waits for a game", lambda: task.done() or server.app.reviews.has_idle_reviewer)
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def finished_game(server: Running, connect_guest: ConnectGuest) -> tuple[str, Guest]:
    ann, ben = await connect_guest(server.url, "", "json"), await connect_guest(server.url)
    room = await room_of(ann, ben, options={"n": 5, "k": 4})
    await play(ann, ben, room, *MOVES)
    await ben.ask("resign", room=room)
    return room, ann


async def ask(guest: Guest, room: str) -> dict[str, Any]:
    """Ask for a review, and return it."""
    await guest.ask("review", room=room)
    while (update := await guest.find(type="review_update"))["state"] not in ("done", "failed"):
        pass
    return update


async def test_review_of_the_server_is_the_review_of_the_engine(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    room, ann = await finished_game(server, connect_guest)
    async with reviewing(server):
        update = await ask(ann, room)
        record = parse((await ann.ask("export", room=room))["text"])
        expected = review(record, BUDGET, table_mb=4, compiled=False)
        received = review_of(record, JSON.decode_server_message(json.dumps(update).encode()))  # type: ignore[arg-type]
        assert [received.accuracy(side) for side in (0, 1)] == update["summary"]["accuracy"]
        assert update["summary"]["accuracy"] == [expected.accuracy(0), expected.accuracy(1)]
        for move, known in zip(update["moves"], expected.to_json()["moves"], strict=True):
            assert {name: move.get(name) for name in ("ply", "move", "best", "judgement")} == {
                name: known[name] for name in ("ply", "move", "best", "judgement")
            }
            assert move["value"] == pytest.approx(known["value"], abs=0.001)
        assert await ask(await connect_guest(server.url), room) == update


async def test_client_follows_its_review_until_it_is_done(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    room, _ = await finished_game(server, connect_guest)
    seen: list[ReviewUpdate] = []
    async with reviewing(server):
        session = Session(server.url, name="cy")
        try:
            await session.open(TIMEOUT_S)
            update = await fetch_review(session, room, seen.append)
        finally:
            await session.close()
    assert update.state == "done"
    assert [move.ply for move in update.moves] == [1, 2, 3, 4]
    assert {early.state for early in seen} <= {"queued", "running"}


async def test_reviewer_goes_on_after_a_lost_connection(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    room, ann = await finished_game(server, connect_guest)
    async with reviewing(server) as task:
        for other in (room, (await finished_game(server, connect_guest))[0]):
            ann = await connect_guest(server.url)
            assert (await ask(ann, other))["state"] == "done"
            await until("the reviewer waits for a game", lambda: server.app.reviews.has_idle_reviewer)
            for client in server.app.presence.named("reviewer"):
                client.transport.abort()  # type: ignore[attr-defined]
            await until("the server has noticed it", lambda: not server.app.reviews.has_idle_reviewer)
            await until("the reviewer is back", lambda: server.app.reviews.has_idle_reviewer)
        assert not task.done()


async def test_game_that_cannot_be_reviewed_is_reported(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **options: Any) -> None:
        raise InvalidRecord("ply 1: no such move\n")

    monkeypatch.setattr(module, "review", refuse)
    server = await start()
    room, ann = await finished_game(server, connect_guest)
    async with reviewing(server):
        update = await ask(ann, room)
        session = Session(server.url, name="cy")
        try:
            await session.open(TIMEOUT_S)
            with pytest.raises(ReviewFailed, match=r"the game could not be reviewed: .*no such move"):
                await fetch_review(session, room, lambda early: None)
        finally:
            await session.close()
    assert update["state"] == "failed"
    assert "no such move" in update["why"]


async def test_account_without_the_right_is_refused(start: Start) -> None:
    server = await start()
    async with reviewing(server, name="somebody") as task:
        with pytest.raises(Refused, match="only a reviewer may do this"):
            await task
