"""Runner and server are killed without a warning, and the tournament goes on to the table it would have had anyway."""

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
from tests.client.programs import arguments
from tests.e2e.parlours import parlour, until
from tests.tournament.live import NAMES, lines_of, moves, plan_of, start_command, table


def folder_of(path: Path, format: str, count: int, **more: Any) -> Folder:
    folder = Folder(path)
    bots = tuple(
        Contestant(name, bot="greedy" if number % 2 else "random") for number, name in enumerate(NAMES[:count])
    )
    folder.create(plan_of(format, bots, **more))
    return folder


async def run_until(
    folder: Folder, lines: int | None, server_dies_at: int = -1, bot_dies_at: int = -1, url: str = ""
) -> bool:
    """Kill the runner behind so many lines of news (None: never), others before; whether it has come to its end."""
    where = ["--url", url] if url else []
    process = await start_command("resume", str(folder.path), "--json", *where)
    seen = 0
    try:
        async for entry in lines_of(process):
            if entry["type"] == "ended":
                assert entry.keys() == {"type", "game", "round", "seats", "room", "result", "reason", "forfeit"}
            seen += entry["type"] in ("began", "ended")
            if seen == server_dies_at:
                server_dies_at = -1
                os.kill(child(process.pid, b"client.local_server"), signal.SIGKILL)
            if seen == bot_dies_at:
                bot_dies_at = -1
                os.kill(child(process.pid, b"bot"), signal.SIGKILL)
            if lines is not None and seen >= lines:
                process.kill()
                break
        _, errors = await asyncio.wait_for(process.communicate(), 60)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert lines is not None or not errors, errors.decode()
    if process.returncode == 0:
        assert entry["type"] == "finished"
        assert len(entry["table"]["rows"]) == len(folder.plan().players)
    return process.returncode == 0


def child(runner: int, word: bytes) -> int:
    """A process of the runner's with this word among its arguments."""
    found = [pid for pid in descendants(runner) if word in arguments(pid)]
    assert found, word
    return found[0]


async def compare(tmp_path: Path, format: str, count: int, kills: int, seed: int, **more: Any) -> None:
    whole, broken = (folder_of(tmp_path / name, format, count, **more) for name in ("whole", "broken"))
    assert await run_until(whole, None)
    rng = Random(seed)
    for _ in range(kills):
        await run_until(broken, rng.randrange(1, 12), server_dies_at=rng.randrange(1, 8))
    assert await run_until(broken, None, server_dies_at=1, bot_dies_at=2)
    assert table(broken) == table(whole)
    assert moves(broken) == moves(whole)
    ended = [line for line in broken.log_file.read_text().splitlines() if '"type":"ended"' in line]
    assert len(ended) == len(moves(whole)), "nothing is counted twice"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="finds the server by /proc")
async def test_a_knockout_with_a_bye_survives_kills(tmp_path: Path) -> None:
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
async def test_on_somebodys_server_the_players_come_back_by_their_names(seed: int, tmp_path: Path) -> None:
    whole, broken = (folder_of(tmp_path / name, "round-robin", 3, games=4) for name in ("whole", "broken"))
    rng = Random(seed)
    async with parlour(tmp_path) as house:
        assert await run_until(whole, None, url=house.url)
        for _ in range(4):
            await run_until(broken, rng.randrange(1, 9), bot_dies_at=rng.randrange(1, 5), url=house.url)
        assert await run_until(broken, None, url=house.url)
    assert table(broken) == table(whole)
    assert moves(broken) == moves(whole)


async def test_ctrl_c_says_how_to_go_on_and_leaves_nobody_behind(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "cup", "round-robin", 2, games=200)
    process = await start_command("run", str(folder.path))
    assert process.stdout is not None
    said = b""
    while b"game 1," not in said:
        said += await asyncio.wait_for(process.stdout.readline(), 30)
    children = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    rest, errors = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, errors) == (130, b"")
    assert rest.decode().endswith(f"stopped; continue with: parlour tournament resume {folder.path}\n")
    assert len(children) >= 3
    await until("everybody has left", lambda: not any(map(alive, children)))


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
