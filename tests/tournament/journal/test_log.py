"""The log: complete lines count, an unfinished one is dropped, and only one process writes."""

from __future__ import annotations

import asyncio
import tracemalloc
from pathlib import Path

import pytest

from client.tournament.journal import replay as entries
from client.tournament.journal.log import Log, is_cut, read
from client.tournament.journal.replay import Answer, replay
from client.tournament.model.errors import TournamentError
from client.tournament.model.results import Result, ThinkingTime
from runtime.untrusted_files import MAX_ENTRY_BYTES, MAX_OWN_LOG_BYTES

ENTRIES = [
    entries.tournament("abc"),
    entries.created(1, "r1"),
    entries.created(2, "r2"),
    entries.dropped(2, "r2", entries.NO_RESULT),
    entries.ended(
        1,
        Result(
            "1-0", "time", "r1", "time", "forensics/x", {"ply": 3}, (ThinkingTime(1, 2, 2), ThinkingTime()), "text\n"
        ),
    ),
    entries.answered(Answer("ann", "solves", "x", "a1", True, 0.5)),
]


async def test_log_replays_what_was_written(tmp_path: Path) -> None:
    log = Log(tmp_path / "log.jsonl")
    assert list(log.open()) == []
    for entry in ENTRIES[:-1]:
        log.append(entry)
    await asyncio.gather(*(log.append_durably(ENTRIES[-1]) for _ in range(3)))
    await log.close()
    found = replay(read(tmp_path / "log.jsonl"))
    assert (found.plan_digest, found.rooms, found.dropped) == ("abc", {}, {2: 1})
    assert found.results[1] == Result(
        "1-0", "time", "r1", "time", "forensics/x", {"ply": 3}, (ThinkingTime(1, 2, 2), ThinkingTime()), "text\n"
    )
    assert found.answers["ann", "solves", "x"].right


async def test_unfinished_last_line_is_dropped_wherever_it_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log(path)
    log.open()
    for entry in ENTRIES:
        log.append(entry)
    await log.close()
    data = path.read_bytes()
    for cut in range(0, len(data), 7):
        path.write_bytes(data[:cut])
        before = list(read(path))
        again = Log(path)
        assert list(again.open()) == before
        assert again.was_cut == (not data[:cut].endswith(b"\n") and cut > 0)
        again.append(ENTRIES[1])
        await again.close()
        assert list(read(path)) == [*before, ENTRIES[1]]
        assert len(before) == data[:cut].count(b"\n")


async def test_damaged_line_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"type":"tournament"}\n{"ty\n{"type":"created","game":1,"room":"x"}\n')
    with pytest.raises(TournamentError, match="line 2 is damaged"):
        list(read(path))
    with pytest.raises(TournamentError, match="line 2 is damaged"):
        Log(path).open()
    with pytest.raises(TournamentError, match="line 1 of the log is not valid"):
        replay([{"type": "ended", "game": 1}])
    with pytest.raises(TournamentError, match="another version"):
        replay([{"type": "tournament", "version": 99, "plan": ""}])


async def test_hostile_log_is_refused_without_being_in_memory(tmp_path: Path) -> None:
    """Its holes take no disk, but would take gigabytes of memory."""
    path = tmp_path / "log.jsonl"
    with path.open("wb") as file:
        file.truncate(MAX_OWN_LOG_BYTES)
    tracemalloc.start()
    try:
        with pytest.raises(TournamentError, match="a line of more than 4 MB"):
            list(read(path))
        assert tracemalloc.get_traced_memory()[1] < 10 * MAX_ENTRY_BYTES
    finally:
        tracemalloc.stop()
    assert not is_cut(tmp_path / "none")


async def test_log_is_locked(tmp_path: Path) -> None:
    one, other = Log(tmp_path / "log.jsonl"), Log(tmp_path / "log.jsonl")
    one.open()
    with pytest.raises(TournamentError, match="is already being played"):
        other.open()
    await one.close()
    other.open()
    await other.close()
