"""Trouble: hostile texts, private rooms, lost servers, taken names, two tabs, wrong addresses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser, WebSocketRoute, expect

from client.presentation.website import ROUTES, website_files
from client.sdk.session import Session
from protocol.commands import Create, Join, Move, Say
from server.app import Running
from server.transport.website import Website
from tests.e2e.bots import create_account
from tests.e2e.conftest import Process
from tests.e2e.local_server import running_server, session
from tests.web.conftest import Visit
from tests.web.visitor import Visitor

HOSTILE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(1)</script><style>*{display:none}</style>&lt;"


@pytest_asyncio.fixture(loop_scope="session")
async def ben(server: Running) -> AsyncIterator[Session]:
    player = session(server.url, "ben")
    await player.open()
    yield player
    await player.close()


async def test_hostile_names_and_chat_are_only_text(server: Running, visit: Visit) -> None:
    eve, mallory = session(server.url, HOSTILE), session(server.url, "<b>mallory</b>")
    await eve.open()
    await mallory.open()
    room = (await eve.ask(Create(id=eve.id(), game="cohcoh", seat=0))).room
    ann = await visit(own=True)  # the listener stays
    dialogs: list[str] = []
    ann.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    await ann.expect_text(".lobby", HOSTILE)
    await mallory.ask(Join(id=mallory.id(), room=room))
    await eve.ask(Say(id=eve.id(), room=room, text=SCRIPT))
    await ann.expect_text(".feature", HOSTILE)
    await ann.open(f"/room/{room}")
    await ann.expect_text(".chat", SCRIPT)
    await ann.expect_text(".table", "<b>mallory</b>")
    for path in (f"/player/{HOSTILE.replace('/', '%2F')}", "/tv", f"/embed/{room}"):
        await ann.open(path)
        await ann.expect_text("main", HOSTILE)
    assert await ann.find("main img, main script, main style").count() == 0
    assert dialogs == []  # and the fixture checks that no policy was violated
    await eve.close()
    await mallory.close()


async def test_private_room_asks_for_its_code(ben: Session, visit: Visit) -> None:
    created = await ben.ask(Create(id=ben.id(), game="cohcoh", private=True))
    ann = await visit(f"/room/{created.room}")
    await ann.find("dialog input").fill("wrong")
    await ann.button("Enter").click()
    await ann.expect_text("dialog", "That code is wrong")
    await ann.find("dialog input").fill(created.code)
    await ann.button("Enter").click()
    await ann.expect_text(".table", "ben")
    eve = await visit(f"/room/{created.room}#code={created.code}")
    await eve.expect_text(".table", "ben")


async def test_taken_name_is_refused_with_words(server: Running, visit: Visit) -> None:
    await create_account(server, "carol")
    ann = await visit()
    before = await ann.find(".you").text_content()
    await ann.find(".you").click()
    await ann.find("dialog [name=name]").fill("carol")
    await ann.button("Save").click()
    text = "the name carol belongs to an account; choose another, or use its token"
    await expect(ann.find("dialog .error")).to_have_text(text)
    await ann.button("Cancel").click()
    await expect(ann.find(".you")).to_contain_text(before or "")


async def test_reload_keeps_the_seat_only_if_wanted(ben: Session, visit: Visit) -> None:
    ann = await visit()
    room = await ann.new_game("cohcoh", name="ann")
    await ben.ask(Join(id=ben.id(), room=room))
    assert await ann.my_turn()
    await ann.page.reload()
    assert await ann.my_turn()
    eve = await visit()
    await eve.find(".you").click()
    await eve.find("dialog [name=name]").fill("eve")
    await eve.find("dialog [name=remember]").uncheck()
    await eve.button("Save").click()
    await expect(eve.find(".you")).to_have_text("eve")
    assert await eve.page.evaluate("sessionStorage.length") == 0
    assert await eve.page.evaluate("document.cookie") == ""
    for remember in (True, False):
        await eve.find(".you").click()
        await eve.find("dialog [name=remember]").set_checked(remember)
        await eve.button("Save").click()
        await expect(eve.find("dialog")).to_have_count(0)
        assert await eve.page.evaluate("sessionStorage.length") == int(remember)


async def test_session_in_another_tab_pauses_this_one(visit: Visit) -> None:
    ann = await visit()
    await ann.new_game("cohcoh", name="ann")
    stored = await ann.page.evaluate("sessionStorage.getItem('parlour-session')")
    other = await ann.page.context.new_page()
    await other.goto(ann.address + "/nothing")
    await expect(other.locator(".you")).to_contain_text("guest")  # the page has stored what it wants to store
    await other.evaluate("(text) => sessionStorage.setItem('parlour-session', text)", stored)
    await other.goto(ann.page.url)
    await expect(other.locator(".table")).to_contain_text("ann")
    await ann.expect_text(".notices", "This session is open in another tab.")
    await ann.button("Use it here").click()
    await expect(other.locator(".notices")).to_contain_text("This session is open in another tab.")


async def test_wrong_address_is_explained(visit: Visit) -> None:
    ann = await visit()
    for path, text in {
        "/room/nothing": "There is no such room",
        "/game/nothing": "There is no such room",
        "/rules/nothing": "There is no such game",
        "/leaderboard/nothing": "cannot be shown",
    }.items():
        await ann.open(path)
        await ann.expect_text("main", text)


async def test_killed_server_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    server = await Process.start(tmp_path / "parlour.db")
    port = server.url.rpartition(":")[2].partition("/")[0]
    context = await browser.new_context()
    ann = Visitor(await context.new_page(), f"http://127.0.0.1:{port}")
    ben = session(server.url, "ben")
    await ben.open()
    room = (await ben.ask(Create(id=ben.id(), game="cohcoh", seat=1, options={"n": 3}))).room
    await ann.open("/")
    await ann.button("Play against ben").click()
    assert await ann.my_turn()
    await ann.cell("a1").click()
    await ann.expect_moves(1)
    await server.kill()
    await ann.expect_text(".notices", "Reconnecting… nothing is lost")
    await expect(ann.find("parlour-board .thing")).to_have_count(1)  # the board stays
    again = await Process.start(tmp_path / "parlour.db", "--port", port)
    try:
        await expect(ann.find(".banner:has-text('Reconnecting')")).to_have_count(0, timeout=30_000)
        await ben.ask(Move(id=ben.id(), room=room, ply=1, move="b2"))
        await ann.expect_moves(2)
        assert await ann.my_turn()
        await ann.cell("c3").click()
        await ann.expect_moves(3)
    finally:
        await ben.close()
        await context.close()
        await again.kill()


async def test_lobby_leads_back_to_the_own_game(ben: Session, visit: Visit) -> None:
    ann = await visit()
    room = await ann.new_game("cohcoh", name="ann")
    await ben.ask(Join(id=ben.id(), room=room))
    assert await ann.my_turn()
    await ann.find(".brand").click()
    await ann.page.get_by_role("link", name="Return to the game with ben").click()
    assert await ann.my_turn()
    assert ann.room == room


async def test_ended_session_becomes_a_new_guest(server: Running, visit: Visit) -> None:
    ann = await visit("/rules/conga")
    await ann.expect_text(".you", "guest")  # the page has stored what it wants to store
    await ann.page.evaluate('sessionStorage.setItem(\'parlour-session\', \'{"name": "ann", "session": "unknown"}\')')
    await ann.open("/")
    await ann.expect_text("main", "The earlier session has ended")
    await expect(ann.find(".you")).to_have_text("ann")


async def test_watcher_of_a_private_room_can_take_the_free_seat(ben: Session, visit: Visit) -> None:
    created = await ben.ask(Create(id=ben.id(), game="cohcoh", private=True, seat=1))
    ann = await visit(f"/room/{created.room}#code={created.code}")
    await ann.button("Take the free seat").click()
    assert await ann.my_turn()


async def test_idle_visitor_is_connected_again(browser: Browser, tmp_path: Path) -> None:
    website = Website(website_files(), ROUTES)
    async with running_server(tmp_path, website=website, idle_timeout=0.2, sweep=0.05) as server:
        context = await browser.new_context()
        page = await context.new_page()
        async with page.expect_websocket():
            await page.goto(f"http://{server.url.removeprefix('ws://').removesuffix('/ws')}/rules/conga")
        await page.wait_for_event("websocket")  # after the server has closed the first one
        await page.locator("nav").get_by_role("link", name="Play").click()
        await expect(page.locator(".lobby")).to_contain_text("No game is being played")
        await context.close()


async def test_commands_over_a_rate_limit_are_sent_again(ben: Session, visit: Visit) -> None:
    """If a class reloads its pages together, the budget of its address is used up for a moment."""
    refused: list[str] = []
    await ben.ask(Create(id=ben.id(), game="cohcoh", seat=0))

    async def refuse_once(socket: WebSocketRoute) -> None:
        upstream = socket.connect_to_server()

        def receive(message: str | bytes) -> None:
            command = json.loads(message)
            if command["type"] in refused:
                upstream.send(message)
                return
            refused.append(command["type"])
            error = {"type": "error", "code": "rate_limited", "text": "too many messages", "retry_after": 0.01}
            socket.send(json.dumps({**error, "id": command["id"]}))

        socket.on_message(receive)

    ann = await visit("/rules/conga", own=True)  # the route stays
    await ann.page.route_web_socket("**/ws", refuse_once)
    await ann.open("/")
    await ann.expect_text(".lobby", "ben")
    assert {"hello", "lobby"} <= set(refused)


async def test_button_pressed_before_the_connection_works_after_it(visit: Visit) -> None:
    connected = asyncio.Event()

    async def connect_later(socket: WebSocketRoute) -> None:
        await connected.wait()
        socket.connect_to_server()

    ann = await visit("/rules/conga", own=True)  # the route stays
    await ann.page.route_web_socket("**/ws", connect_later)
    await ann.open("/")
    await ann.button("Play a game").click()
    connected.set()
    await expect(ann.find("dialog select[name=opponent] option")).not_to_have_count(0)
