"""Kill runner, server and bots: the tournament resumes and ends with the same table."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant
from tests.client.sample_programs import arguments
from tests.e2e.local_server import running_server, until
from tests.tournament.live import NAMES, lines_of, moves, plan_of, start_command, table
from tests.waiting import TIMEOUT_S


def create_folder(path: Path, format: str, count: int, **more: Any) -> Folder:
    folder = Folder(path)
    bots = tuple(
        Contestant(name, bot="greedy" if number % 2 else "random") for number, name in enumerate(NAMES[:count])
    )
    folder.create(plan_of(format, bots, **more))
    return folder


async def run_until(
    folder: Folder, updates: int | None, kill_server_at: int = -1, kill_bot_at: int = -1, url: str = ""
) -> bool:
    """Kill the runner after this many updates (None: never). Return whether the tournament finished first."""
    where = ["--url", url] if url else []
    process = await start_command("resume", str(folder.path), "--json", *where)
    seen = 0
    try:
        async for entry in lines_of(process):
            if entry["type"] == "ended":
                assert entry.keys() == {"type", "game", "round", "seats", "room", "result", "reason", "forfeit"}
            seen += entry["type"] in ("began", "ended")
            if seen == kill_server_at:
                kill_server_at = -1
                os.kill(child(process.pid, b"client.local_server"), signal.SIGKILL)
            if seen == kill_bot_at:
                kill_bot_at = -1
                os.kill(child(process.pid, b"bot"), signal.SIGKILL)
            if updates is not None and seen >= updates:
                process.kill()
                break
        _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert updates is not None or not errors, errors.decode()
    if process.returncode == 0:
        assert entry["type"] == "finished"
        assert len(entry["table"]["rows"]) == len(folder.plan().players)
    return process.returncode == 0


def child(runner: int, word: bytes) -> int:
    """Return a child process of the runner with this word among its arguments."""
    found = [pid for pid in descendants(runner) if word in arguments(pid)]
    assert found, word
    return found[0]


async def compare(tmp_path: Path, format: str, count: int, kills: int, seed: int, **more: Any) -> None:
    whole, broken = (create_folder(tmp_path / name, format, count, **more) for name in ("whole", "broken"))
    assert await run_until(whole, None)
    rng = Random(seed)
    for _ in range(kills):
        await run_until(broken, rng.randrange(1, 12), kill_server_at=rng.randrange(1, 8))
    assert await run_until(broken, None, kill_server_at=1, kill_bot_at=2)
    assert table(broken) == table(whole)
    assert moves(broken) == moves(whole)
    ended = [line for line in broken.log_file.read_text().splitlines() if '"type":"ended"' in line]
    assert len(ended) == len(moves(whole)), "no game is counted twice"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
async def test_knockout_with_bye_survives_kills(tmp_path: Path) -> None:
    await compare(tmp_path, "knockout", 3, kills=1, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("format", "count", "more"), [("swiss", 6, {"rounds": 3}), ("knockout", 5, {}), ("round-robin", 4, {})]
)
async def test_every_format_survives_kills_at_any_moment(
    format: str, count: int, more: dict[str, Any], seed: int, tmp_path: Path
) -> None:
    await compare(tmp_path, format, count, kills=3, seed=seed, **more)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
async def test_players_resume_their_names_on_a_shared_server(seed: int, tmp_path: Path) -> None:
    whole, broken = (create_folder(tmp_path / name, "round-robin", 3, games=4) for name in ("whole", "broken"))
    rng = Random(seed)
    async with running_server(tmp_path) as server:
        assert await run_until(whole, None, url=server.url)
        for _ in range(4):
            await run_until(broken, rng.randrange(1, 9), kill_bot_at=rng.randrange(1, 5), url=server.url)
        assert await run_until(broken, None, url=server.url)
    assert table(broken) == table(whole)
    assert moves(broken) == moves(whole)


async def test_ctrl_c_prints_resume_command_and_leaves_no_process(tmp_path: Path) -> None:
    folder = create_folder(tmp_path / "cup", "round-robin", 2, games=200)
    process = await start_command("run", str(folder.path))
    assert process.stdout is not None
    output = b""
    while b"game 1," not in output:
        output += await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)
    children = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    rest, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    assert (process.returncode, errors) == (130, b"")
    assert rest.decode().endswith(f"stopped; continue with: parlour tournament resume {folder.path}\n")
    assert len(children) >= 3
    await until("all processes have exited", lambda: not any(map(alive, children)))


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def descendants(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            of = status.read_text().partition("PPid:")[2].split()[0]
        except (OSError, IndexError):
            continue
        if of == str(parent):
            found.append(int(status.parent.name))
    return found
