"""A database with games that were really played: rated, private, running, waiting and aborted ones, with chat."""

from __future__ import annotations

from server.app import running
from server.config import Settings
from server.storage.account_keys import AccountKey
from tests.e2e.accounts import account
from tests.e2e.guest import Guest
from tests.e2e.play import RATED_CLOCK, play, room_of


async def play_games(db: str) -> None:
    """Start a server on a database, play, and stop the server."""
    async with running(Settings(db=db, port=0, house="none")) as server:
        ann, ben, guest = [await Guest.open(server.url) for _ in range(3)]
        await ann.hello(token=await account(server, "ann"))
        await ben.hello(token=await account(server, "ben"))
        await guest.hello("José")
        assert await server.app.store.add_account_key(AccountKey("ann", "SHA256:a", "ann@home", 7))
        for loser in (ann, ben, ben):
            room = await room_of(ann, ben, rated=True)
            await ann.ask("say", room=room, text="good luck")
            await loser.ask("resign", room=room)
        await play(ann, guest, await room_of(ann, guest), "a1", "d4", "a2", "d3", "a3")
        await server.app.store.request_review(room, ann.you["id"], 1, 1)
        await play(guest, ben, await room_of(guest, ben, private=True, clock=RATED_CLOCK), "a1", "b1")
        await ann.ask("abort", room=await room_of(ann, guest))
        await guest.ask("create", game="conga", invite="ben")
        for player in (ann, ben, guest):
            await player.close()
