"""Leaderboards: the message, the command, and the dialog in the lobby."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from client.tui.dialogs.leaderboard import Leaderboard
from server.app import Running
from tests.e2e.accounts import members
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.play import room_of
from tests.e2e.tui import client, lobby_rows, settled
from tests.tui.offline_app import picture_of


async def rated_games(server: Running, connect_guest: ConnectGuest) -> None:
    """Let ann beat ben twice at cohcoh and once on a 5 x 5 board. cy has not played."""
    ann, ben, _ = await members(server, connect_guest, "ann", "ben", "cy")
    for options in ({}, {}, {"n": 5}):
        room = await room_of(ann, ben, rated=True, options=options)
        await ben.ask("resign", room=room)


async def test_leaders_of_a_profile_are_sorted_by_rating(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    await rated_games(server, connect_guest)
    eve = await connect_guest(server.url, "eve", "json")
    leaders = (await eve.ask("leaderboard", game="cohcoh"))["leaders"]
    assert [(leader["name"], leader["games"], leader["provisional"]) for leader in leaders] == [
        ("ann", 2, True),
        ("ben", 2, True),
    ]
    assert leaders[0]["rating"] > 1500 > leaders[1]["rating"]
    assert len((await eve.ask("leaderboard", game="cohcoh", limit=1))["leaders"]) == 1
    assert [
        leader["games"] for leader in (await eve.ask("leaderboard", game="cohcoh", options={"n": 5}))["leaders"]
    ] == [
        1,
        1,
    ]
    assert (await eve.ask("leaderboard", game="conga"))["leaders"] == []
    assert (await eve.refused("leaderboard", game="chess"))["code"] == "unknown_game"
    assert (await eve.refused("leaderboard", game="conga", options={"stones": 99}))["code"] == "bad_options"


async def test_rating_history_has_pages(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    await rated_games(server, connect_guest)
    eve = await connect_guest(server.url, "eve")
    page = await eve.ask("ratings", player="ANN", game="cohcoh", limit=1)
    assert [game["games"] for game in page["ratings"]] == [2]
    rest = await eve.ask("ratings", player="ann", game="cohcoh", before=page["before"])
    assert [game["games"] for game in rest["ratings"]] == [1]
    assert rest["ratings"][0]["rating"] < page["ratings"][0]["rating"]
    assert (await eve.ask("ratings", player="cy", game="cohcoh"))["ratings"] == []
    assert "guests have no ratings" in (await eve.refused("ratings", player="eve", game="cohcoh"))["text"]


async def leaderboard(*words: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "leaderboard", *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_command_prints_the_leaderboard(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    assert await leaderboard("--url", server.url) == (0, "no rated games yet\n", "")
    await rated_games(server, connect_guest)
    code, out, _ = await leaderboard("cohcoh", "--url", server.url)
    assert code == 0
    head, first, second = out.splitlines()
    assert head == "cohcoh"
    assert first.split()[0] == "ann"
    assert first.split()[1].endswith("?")
    assert second.split()[0] == "ben"
    code, out, _ = await leaderboard("--json", "--url", server.url)
    assert [json.loads(line)["name"] for line in out.splitlines()] == ["ann", "ben"]
    code, out, _ = await leaderboard("cohcoh", "--option", "n=5", "--player", "ann", "--url", server.url)
    assert out.splitlines()[0] == "cohcoh n=5"
    assert "game    1" in out.splitlines()[1]
    for words, text in (
        (("chess",), "no game 'chess'"),
        (("--option", "n=5"), "needs a game"),
        (("conga", "--limit", "101"), "at most 100"),
        (("conga", "--player", "unknown"), "guests have no ratings"),
    ):
        code, out, err = await leaderboard(*words, "--url", server.url)
        assert (code, out) == (2, "")
        assert text in err
        assert len(err.splitlines()) == 1


async def test_lobby_shows_the_leaderboard(start: Start, connect_guest: ConnectGuest, tmp_path: Path) -> None:
    server = await start()
    await rated_games(server, connect_guest)
    waiting = await connect_guest(server.url, "waiting")
    await waiting.ask("create", game="cohcoh", options={"n": 5})
    async with client(server.url, tmp_path) as (app, pilot):
        await settled(pilot, "the lobby is shown", lambda: lobby_rows(app))
        lobby = app.screen
        await pilot.press(*"waiting", "ctrl+l")
        await settled(pilot, "ann is the best", lambda: ": leaderboard" in picture_of(app))
        assert isinstance(app.screen, Leaderboard)
        text = picture_of(app)
        assert "n 5" in text
        assert text.index(" ann ") < text.index(" ben ")
        await pilot.press("right")
        await settled(pilot, "the next game is empty", lambda: "no rated games" in picture_of(app))
        await pilot.press("left")
        await settled(pilot, "and back, with the usual options", lambda: "n-k-coh-coh: leaderboard" in picture_of(app))
        await pilot.press("escape")
        assert app.screen is lobby
