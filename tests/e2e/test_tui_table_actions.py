"""Actions at a table against a real server: premoves, chat, offers and answers, resigning, aborting, claiming."""

from __future__ import annotations

from pathlib import Path

from client.presentation.launch_plan import GameRequest
from protocol.commands import AnswerDraw, Move, OfferDraw, Rematch, Takeback
from tests.e2e.clock import Clock
from tests.e2e.local_server import running_server, until
from tests.e2e.tui import at_table, client, opponent, settled
from tests.tui.offline_app import picture_of


async def test_keys_premove_chat_resign_and_offer_a_rematch(tmp_path: Path) -> None:
    request = GameRequest("cohcoh", seat=1, vs="bob")
    async with (
        running_server(tmp_path) as server,
        opponent(server.url, moves=False) as bob,
        client(server.url, tmp_path, "play", request) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        await pilot.press(*"d4", "enter")
        assert "d4 is played on your turn" in picture_of(app)
        await bob.session.ask(Move(id=bob.session.id(), room=screen.room, ply=0, move="a1"))
        await settled(pilot, "the premove is played", lambda: table.ply == 2)
        assert table.moves[1].move == "d4"
        await pilot.press("t", *"hi bob", "enter")
        await settled(pilot, "the message is shown", lambda: "alice  hi bob" in picture_of(app))
        await pilot.press("R", "n")
        assert table.status == "running"
        await pilot.press("R", "ctrl+y")
        await settled(pilot, "the game is over", lambda: table.status == "ended")
        assert "You (black) resigned." in picture_of(app)
        first = screen.room
        await pilot.press("m")
        await until("bob has the offer", lambda: bob.session.rooms[first].offers.rematch == 1)
        await bob.session.ask(Rematch(id=bob.session.id(), room=first))
        await settled(pilot, "the rematch is shown", lambda: screen.room != first and screen.table is not None)
        assert screen.table is not None
        assert screen.table.seat == 0


async def test_offers_are_answered_with_a_key(tmp_path: Path) -> None:
    request = GameRequest("maxconnect4", seat=0, vs="bob")
    async with (
        running_server(tmp_path) as server,
        opponent(server.url) as bob,
        client(server.url, tmp_path, "play", request) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        await pilot.press("4", "enter")
        await settled(pilot, "bob has answered", lambda: table.ply == 2)
        await bob.session.ask(OfferDraw(id=bob.session.id(), room=screen.room))
        await settled(pilot, "the offer is seen", lambda: "bob offers a draw." in picture_of(app))
        await pilot.press("n")
        await settled(pilot, "it is declined", lambda: table.offers.draw is None)
        await pilot.press("u", "ctrl+y")
        await until("bob has the offer", lambda: bob.session.rooms[screen.room].offers.takeback == 0)
        await settled(
            pilot,
            "the offer is shown as pending",
            lambda: "to take back a move; waiting for bob" in picture_of(app),
        )
        await bob.session.ask(Takeback(id=bob.session.id(), room=screen.room))
        await settled(pilot, "it is taken back", lambda: table.ply == 0)
        await pilot.press("o", "ctrl+y")
        await until("bob has the offer", lambda: bob.session.rooms[screen.room].offers.draw == 0)
        await settled(pilot, "pending", lambda: "You offered a draw; waiting for bob" in picture_of(app))
        await bob.session.ask(AnswerDraw(id=bob.session.id(), room=screen.room, accept=True))
        await settled(pilot, "it is a draw", lambda: "Both players agreed." in picture_of(app))
        await pilot.press("m")
        await settled(pilot, "pending", lambda: "You offered a rematch; waiting for bob" in picture_of(app))


async def test_game_of_an_absent_opponent_is_claimed(tmp_path: Path) -> None:
    clock = Clock()
    async with (
        running_server(tmp_path, clock) as server,
        opponent(server.url, moves=False) as bob,
        client(server.url, tmp_path, "play", GameRequest("conga", seat=0, vs="bob")) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        await bob.close()
        await settled(pilot, "bob has left", lambda: "bob has left   v: claim the game in" in picture_of(app))
        await pilot.press("v", "ctrl+y")
        await settled(pilot, "the claim is refused", lambda: "your opponent may be away for" in picture_of(app))
        clock.pass_by(60)
        await pilot.press("v", "ctrl+y")
        await settled(pilot, "a player to move cannot claim", lambda: "make your move" in picture_of(app))
        await pilot.press(*"a4b4", "enter", "v", "ctrl+y")
        await settled(pilot, "the game is won", lambda: "bob (red) left the game." in picture_of(app))
        assert screen.table is not None
        assert "has left" not in picture_of(app)


async def test_game_can_be_aborted_only_before_its_second_move(tmp_path: Path) -> None:
    request = GameRequest("mancala", seat=0, vs="bob")
    async with (
        running_server(tmp_path) as server,
        opponent(server.url) as bob,
        client(server.url, tmp_path, "play", request) as (app, pilot),
    ):
        screen = await at_table(app, pilot)
        table = screen.table
        assert table is not None
        await pilot.press("Z", "n")
        assert table.status == "running"
        await pilot.press("Z", "ctrl+y")
        await settled(pilot, "the game is over", lambda: "Not counted" in picture_of(app))
        first = screen.room
        await pilot.press("m")
        await until("bob has the offer", lambda: bob.session.rooms[first].offers.rematch == 0)
        await bob.session.ask(Rematch(id=bob.session.id(), room=first))
        await settled(pilot, "the rematch is shown", lambda: screen.room != first and screen.table is not None)
        table = screen.table
        assert table is not None
        await pilot.press("1", "enter")
        await settled(pilot, "two moves were made", lambda: table.ply >= 2)
        await pilot.press("Z")
        assert "only before its second move" in picture_of(app)
