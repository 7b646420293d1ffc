"""Ways to enter a move: keyboard only, typing, drag, touch, premoves; previews and questions."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from client.sdk.session import Session
from protocol.commands import Create, Join, Move, Takeback
from server.app import Running
from tests.e2e.local_server import session, until
from tests.long import long
from tests.web.conftest import Visit
from tests.web.visitor import Visitor


async def table(
    server: Running, visit: Visit, game: str = "conga", seat: int = 0, **options: int
) -> tuple[Visitor, Session, str]:
    """Seat a visitor at a table against a client of the library."""
    ben = session(server.url, "ben")
    await ben.open()
    room = (await ben.ask(Create(id=ben.id(), game=game, seat=1 - seat, options=dict(options)))).room
    ann = await visit()
    await ann.button("Play against ben").click()
    await ann.page.wait_for_url(f"**/room/{room}")
    await ann.find("parlour-board[live]").wait_for()
    return ann, ben, room


async def reply(ben: Session, room: str, ply: int, move: str) -> None:
    """Play a move at the library's side, once the moves before it have arrived there."""
    await until("the moves before it have arrived", lambda: room in ben.rooms and ben.rooms[room].ply >= ply)
    await ben.ask(Move(id=ben.id(), room=room, ply=ply, move=move))


async def test_keyboard_alone_plays_a_game(server: Running, visit: Visit) -> None:
    ann, ben, room = await table(server, visit, "cohcoh", n=3)
    keyboard = ann.page.keyboard
    await ann.cell("a3").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        await keyboard.press(key)
    await ann.expect_moves(1)
    await ann.expect_text(".moves", "b2")
    await reply(ben, room, 1, "c3")
    assert await ann.my_turn()
    await keyboard.type("a2")
    await keyboard.press("Enter")
    await ann.expect_moves(3)
    await ann.expect_text("#announcer", "You played a2.")
    await ben.close()


async def test_preview_appears_only_after_a_touch_and_marks_what_changes(server: Running, visit: Visit) -> None:
    ann, ben, _ = await table(server, visit)
    await expect(ann.find("parlour-board .ghost")).to_have_count(0)
    await ann.cell("a4").click()
    await expect(ann.find("parlour-board .ghost")).to_have_count(0)
    await ann.cell("b4").hover()
    await expect(ann.find("parlour-board .ghost")).to_have_count(3)
    await ann.expect_text(".seat:has-text('you')", "a4b4 shown")
    await ann.page.keyboard.press("Escape")
    await expect(ann.find("parlour-board .ghost")).to_have_count(0)
    await ann.expect_moves(0)
    await ben.close()


async def test_drag_plays_a_move(server: Running, visit: Visit) -> None:
    ann, ben, _ = await table(server, visit)
    await ann.cell("a4").hover()
    await ann.page.mouse.down()
    await ann.cell("b3").hover()
    await ann.page.mouse.up()
    await ann.expect_text(".moves", "a4b3")
    await ben.close()


async def test_finger_sees_the_preview_and_taps_again(server: Running, visit: Visit) -> None:
    ben = session(server.url, "ben")
    await ben.open()
    room = (await ben.ask(Create(id=ben.id(), game="maxconnect4", seat=1))).room
    ann = await visit("/", 360, 740, has_touch=True, is_mobile=True)
    await ann.button("Play against ben").tap()
    await ann.page.wait_for_url(f"**/room/{room}")
    await ann.find("parlour-board[live] .legal").first.wait_for()
    await ann.cell("c6").tap()  # the whole column stands for its lowest free cell
    await expect(ann.cell("c1").locator(".ghost")).to_have_count(1)
    await ann.expect_moves(0)
    await ann.expect_text(".seat:has-text('you')", "tap again")
    await ann.cell("c6").tap()
    await ann.expect_text(".moves", "3")
    wide = await ann.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360
    box = await ann.button("Resign").bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= 740  # the actions stay at the bottom of the screen
    await ben.close()


@pytest.mark.parametrize("typed", [True, *long(False)])
async def test_premove_is_played_when_the_turn_comes(server: Running, visit: Visit, typed: bool) -> None:
    ann, ben, room = await table(server, visit, "cohcoh", seat=1, n=3)
    if typed:
        await ann.page.keyboard.type("b2")
        await ann.page.keyboard.press("Enter")
    else:
        await ann.cell("b2").click()
    await ann.expect_text(".seat:has-text('you')", "premove b2")
    await reply(ben, room, 0, "a1")
    await ann.expect_moves(2)
    await ann.expect_text(".moves", "b2")
    await ben.close()


async def test_impossible_premove_is_forgotten(server: Running, visit: Visit) -> None:
    ann, ben, room = await table(server, visit, "cohcoh", seat=1, n=3)
    await ann.cell("b2").click()
    await reply(ben, room, 0, "b2")
    assert await ann.my_turn()
    await ann.expect_moves(1)
    await expect(ann.find("parlour-board .picked")).to_have_count(0)
    await ben.close()


async def test_illegal_text_is_explained(server: Running, visit: Visit) -> None:
    ann, ben, _ = await table(server, visit)
    await ann.page.keyboard.type("a1a2")
    await ann.page.keyboard.press("Enter")
    await ann.expect_text(".seat:has-text('you')", "a1a2 is not a legal move")
    await ben.close()


async def test_looking_back_while_the_game_goes_on(server: Running, visit: Visit) -> None:
    ann, ben, room = await table(server, visit, "cohcoh", n=4, k=4)
    for ply, cell in enumerate(("a1", "b1", "c1")):
        if ply % 2:
            await reply(ben, room, ply, cell)
        else:
            assert await ann.my_turn()
            await ann.cell(cell).click()
    await ann.expect_moves(3)
    await ann.page.keyboard.press("Home")
    await ann.expect_text(".notices", "Position after move 0")
    await expect(ann.find("parlour-board .thing")).to_have_count(0)
    await reply(ben, room, 3, "d1")
    await ann.expect_moves(4)
    await expect(ann.find("parlour-board .thing")).to_have_count(0)
    await ann.page.keyboard.press("Escape")
    await expect(ann.find("parlour-board .thing")).to_have_count(4)
    await ben.close()


async def test_questions_are_not_answered_by_accident(server: Running, visit: Visit) -> None:
    ann, ben, room = await table(server, visit, "cohcoh", n=4, k=4)
    await ann.cell("a1").click()
    await reply(ben, room, 1, "b1")
    assert await ann.my_turn()
    await ann.button("Resign").click()
    await ann.page.keyboard.press("Enter")  # No has the focus
    await expect(ann.find("dialog")).to_have_count(0)
    await expect(ann.find(".result")).to_be_hidden()
    await ben.ask(Takeback(id=ben.id(), room=room))
    await ann.expect_text(".notices", "ben asks to take back a move")
    await expect(ann.button("Accept")).to_be_disabled()
    await ann.button("Accept").click()  # Playwright waits until the button is enabled
    await ann.expect_moves(1)
    await ann.button("Draw").click()
    await ann.find("dialog button.main").click()
    await ann.expect_text(".notices", "You offered a draw")
    await ann.button("Resign").click()
    await ann.find("dialog button.main").click()
    await ann.expect_text(".result .big", "ben wins")
    await ben.close()


async def test_finished_game_can_be_replayed_shared_and_copied(server: Running, visit: Visit) -> None:
    ann, ben = session(server.url, "ann"), session(server.url, "ben")
    await ann.open()
    await ben.open()
    room = (await ann.ask(Create(id=ann.id(), game="cohcoh", seat=0, options={"n": 3}))).room
    await ben.ask(Join(id=ben.id(), room=room))
    for ply, cell in enumerate(("a1", "b2", "a2", "c3", "a3")):
        await reply((ann, ben)[ply % 2], room, ply, cell)
    eve = await visit(f"/game/{room}")
    await eve.expect_text(".result .big", "ben wins")
    await eve.button("Record").click()
    await eve.expect_text("dialog .record", "parlour record 1")
    await eve.button("Close").click()
    await eve.page.keyboard.press("Home")
    await expect(eve.find("parlour-board .thing")).to_have_count(0)
    await eve.page.keyboard.press("ArrowRight")
    await expect(eve.find("parlour-board .thing")).to_have_count(1)
    await ann.close()
    await ben.close()
