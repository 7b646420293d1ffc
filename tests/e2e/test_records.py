"""Records of games on a server, named by their room."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.local_server import BackgroundServer
from engine.record import parse
from tests.e2e.local_server import LINE, parlour_command, play, running_server, seat_two, session
from tests.parlour.records import save

NOWHERE = "ws://127.0.0.1:9/ws"


async def play_one(url: str) -> str:
    """Play a game, and return its room."""
    async with session(url, "alice") as alice, session(url, "bob") as bob:
        room = await seat_two(alice, bob, "cohcoh")
        await play((alice, bob), room, LINE)
    return room


async def test_commands_read_the_record_of_a_room(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        room = await play_one(server.url)
        there = {"PARLOUR_URL": server.url}
        code, listed, _ = await parlour_command("rooms", "--status", "ended", **there)
        assert (code, listed.split()[0]) == (0, room)
        code, text, err = await parlour_command("export", room, "--text", **there)
        assert (code, err) == (0, "")
        record = parse(text)
        assert (record.seats, record.result) == (("alice", "bob"), "0-1")
        assert tuple(played.move for played in record.moves) == LINE
        _, data, _ = await parlour_command("export", room, "--url", server.url)
        assert data.startswith('{"game": "cohcoh"')
        _, shown, _ = await parlour_command("show", room, "--plain", **there)
        assert shown.startswith("n-k-coh-coh: alice (white) against bob (black)\n")
        _, verified, _ = await parlour_command("verify", room, **there)
        assert verified == f"{room}: ok, cohcoh, 5 plies, 0-1 line\n"


async def test_file_of_the_same_name_comes_first_unless_a_url_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running_server(tmp_path) as server:
        room = await play_one(server.url)
        save(tmp_path, "parlour record 1\ngame: conga\n", room)
        _, file, _ = await parlour_command("export", room, "--text", PARLOUR_URL=server.url)
        assert parse(file).game == "conga"
        _, game, _ = await parlour_command("export", room, "--text", "--url", server.url)
        assert parse(game).game == "cohcoh"


async def test_missing_record_is_explained(tmp_path: Path) -> None:
    code, _, err = await parlour_command("show", "nowhere", PARLOUR_URL=NOWHERE)
    assert code == 2
    assert err.startswith(
        f"parlour: there is no file 'nowhere', and a room of this name was not found: no connection to {NOWHERE}: "
    )
    async with (
        running_server(tmp_path) as server,
        session(server.url, "alice") as alice,
        session(server.url, "bob") as bob,
    ):
        there = ("--url", server.url)
        assert await parlour_command("export", "nowhere", *there) == (
            2, "", "parlour: there is no room 'nowhere': check the name, or list the rooms\n",
        )  # fmt: skip
        running = await seat_two(alice, bob, "cohcoh")
        code, _, err = await parlour_command("export", running, *there)
        assert (code, err) == (2, "parlour: the game is not over yet: export it when it has ended\n")
        code, _, err = await parlour_command("verify", running, *there)
        assert (code, err) == (2, "parlour: the game is not over yet: export it when it has ended\n")


async def test_record_of_a_game_on_the_private_server_is_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_URL", NOWHERE)
    monkeypatch.setenv("PARLOUR_TOKEN", "token-of-another-server")
    own = BackgroundServer()
    try:
        room = await play_one(await own.start())
    finally:
        await own.stop()
    _, listed, _ = await parlour_command("rooms", "--private", "--status", "ended")
    assert listed.startswith(room)
    code, text, _ = await parlour_command("export", room, "--private", "--text")
    assert code == 0
    assert parse(text).seats == ("alice", "bob")
    code, _, err = await parlour_command("export", room, "--private", "--url", NOWHERE)
    assert (code, err) == (2, "parlour: --private and --url exclude each other; use one of them\n")
