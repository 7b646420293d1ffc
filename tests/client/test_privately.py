"""The place of a private server: one at a time has it, and it remembers bots."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from client.local_server import Place, PrivateServer
from client.sdk.errors import NoServer


def test_the_second_client_gets_a_folder_that_passes_away(tmp_path: Path) -> None:
    first, second = Place(tmp_path / "private"), Place(tmp_path / "private")
    first.open()
    second.open()
    assert first.folder == tmp_path / "private"
    assert second.folder != first.folder
    assert second.folder.is_dir()
    second.close()
    assert not second.folder.exists()
    first.close()
    third = Place(tmp_path / "private")
    third.open()
    assert third.folder == tmp_path / "private"
    third.close()


async def test_whoever_only_looks_is_told_at_once_that_somebody_plays(tmp_path: Path) -> None:
    player, visitor = Place(tmp_path), Place(tmp_path)
    player.open()
    with pytest.raises(NoServer, match="somebody is at the private server"):
        await visitor.reopen()
    player.close()
    await visitor.reopen()
    assert visitor.folder == tmp_path
    visitor.close()


async def test_a_server_that_only_leaves_is_waited_for(tmp_path: Path) -> None:
    player, first, second = Place(tmp_path), Place(tmp_path), Place(tmp_path)
    player.open()
    player.close()
    await first.reopen()
    waiting = asyncio.create_task(second.reopen())
    await asyncio.sleep(0)
    assert not waiting.done()
    first.close()
    await waiting
    second.close()


def test_a_folder_that_cannot_be_written_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = Place(tmp_path / "file" / "private")
    place.open()
    assert place.folder.is_dir()
    place.close()


def test_the_latest_bots_are_remembered(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert place.bots("search@5") == ("search@5",)
    for bot in ("search@5", "greedy", "search@5", "random"):
        place.remember(place.bots(bot))
    assert place.bots("search") == ("search", "random", "search@5")
    assert place.bots("greedy") == ("greedy", "random", "search@5")
    assert place.bots("search", "random", "minimax") == ("search", "random", "minimax", "search@5", "greedy")


async def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    server = PrivateServer(("nobody-knows",), Place(tmp_path))
    with pytest.raises(NoServer, match="there is no bot 'nobody-knows'"):
        await server.start()
    await server.stop()
