"""The place of a private server: one at a time has it, and it remembers bots."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.errors import NoServer
from client.privately import Place, PrivateServer


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
