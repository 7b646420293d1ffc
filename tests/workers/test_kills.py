"""Workers and the writer process are killed during games: all games finish and no acknowledged move is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from protocol.codec import decode_event
from protocol.events import Ended, Moved
from server.storage.sqlite.store import SqliteStore
from tests.nodes.player import Match
from tests.nodes.test_faults import moves_of, progress
from tests.waiting import until
from tests.workers.process import WorkersProcess

FLAGS = ("--rate", "1e6", "--burst", "1000000", "--rooms-per-minute", "100000")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[WorkersProcess]:
    server = await WorkersProcess.start(tmp_path / "parlour.db", *FLAGS)
    yield server
    await server.stop()


def kill(server: WorkersProcess, *victims: int | str) -> None:
    """Kill workers by number, and the writer process."""
    for victim in victims:
        os.kill(server.writer_pid() if isinstance(victim, str) else server.workers()[victim], signal.SIGKILL)


async def play_through(server: WorkersProcess, games: int, kills: list[tuple[int | str, ...]], think: float) -> None:
    """Play games, kill processes meanwhile, and compare what is stored with what was acknowledged."""
    matches = [Match((server.url, server.url), n, (0.0, 2 * think)) for n in range(games)]
    for match in matches:
        await match.open()
    for match in matches:
        match.start()
    for victims in kills:
        await until("two workers are running", lambda: len(server.workers()) == 2)
        played = moves_of(matches)
        await until("moves are played", lambda played=played: moves_of(matches) > played + games)  # type: ignore[misc]
        assert not all(match.over for match in matches), f"all games were over before {victims} died"
        kill(server, *victims)
    while not all(match.over for match in matches):  # it may take long, but there must be progress
        known = sum(len(player.moves) for match in matches for player in match.players)
        await until("games go on", lambda known=known: progress(matches, known))  # type: ignore[misc]
    for match in matches:
        assert match.task is not None
        await match.task
    server.process.terminate()
    await server.process.wait()
    await check_logs(server.db, matches)


async def check_logs(db: str, matches: list[Match]) -> None:
    store = SqliteStore(db)
    await store.open(read_only=True)
    for match in matches:
        events = [decode_event(payload) for payload in await store.events(match.players[0].room)]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert sum(isinstance(event, Ended) for event in events) == 1
        match.check([event.move for event in events if isinstance(event, Moved)])
    await store.close()


async def test_games_finish_although_workers_and_the_writer_are_killed(
    server: WorkersProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "OPTIONS", {"n": 8, "k": 8})
    await play_through(server, games=6, kills=[(0,), ("writer",), (1, "writer")], think=0.05)


@pytest.mark.long
async def test_fifty_games_finish_although_processes_are_killed_twenty_times(
    server: WorkersProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "OPTIONS", {"n": 12, "k": 12})
    rounds: list[tuple[int | str, ...]] = [(0,), ("writer",), (1, "writer"), (0, 1), (0, 1, "writer")]
    await play_through(server, games=50, kills=rounds * 4, think=0.4)
