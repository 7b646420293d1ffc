"""`parlour bot` as a process: it resumes after a crash, cleans up, and explains mistakes."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from protocol.commands import List, Move
from tests.client.sample_programs import FIRST, gone, program
from tests.e2e.bots import in_state, invite, start_bot
from tests.e2e.local_server import running_server, session, until
from tests.waiting import TIMEOUT_S


async def test_killed_bot_resumes_its_games(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        words = ("random", "--url", server.url, "--state", str(tmp_path / "state.json"))
        process = await start_bot(*words)
        await until("the bot is connected", lambda: server.app.presence.is_here("random"))
        room = await invite(alice, "random", "maxconnect4")
        await until("the game runs", partial(in_state, alice, room, "running"))
        process.kill()
        await process.wait()
        await until("the bot is disconnected", lambda: not server.app.presence.is_here("random"))
        await alice.ask(Move(id=alice.id(), room=room, ply=0, move="4"))
        again = await start_bot(*words)
        await until("the bot has moved", partial(in_state, alice, room, "running", 2))
        assert (tmp_path / "state.json").stat().st_mode & 0o777 == 0o600
        again.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(again.wait(), TIMEOUT_S) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_signal_ends_the_bot_its_program_and_its_room(tmp_path: Path, number: signal.Signals) -> None:
    code = "import os\nopen('pid', 'w').write(str(os.getpid()))\n" + FIRST
    made = program(tmp_path, code)
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        process = await start_bot(
            "--exec", shlex.join(made.argv), "--name", "mine", "--workdir", str(tmp_path),
            "--url", server.url, "--no-state", "--seek", "conga",
        )  # fmt: skip
        await until("the bot seeks a game", lambda: server.app.server.rooms()["conga", "waiting"] == 1)
        await until("the program runs", lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        pid = int((tmp_path / "pid").read_text())
        process.send_signal(number)
        _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert b"Traceback" not in errors
        await until("its room is closed", lambda: server.app.server.rooms()["conga", "waiting"] == 0)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        assert (await alice.ask(List(id=alice.id()))).rooms == ()


@pytest.mark.parametrize("flags", [("--ready", "--startup", "60"), ()])
async def test_hanging_program_ends_with_its_bot(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """During the start of the program, and during a game."""
    code = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)"
    made = program(tmp_path, code)
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        command = shlex.join(made.argv)
        where = ("--workdir", str(tmp_path), "--url", server.url, "--no-state")
        process = await start_bot("--exec", command, "--name", "stuck", *where, *flags)
        await until("the program runs", lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        if not flags:
            await until("the bot is connected", lambda: server.app.presence.is_here("stuck"))
            room = await invite(alice, "stuck", "maxconnect4")
            await until("the game runs", partial(in_state, alice, room, "running"))
            await alice.ask(Move(id=alice.id(), room=room, ply=0, move="4"))
        process.terminate()
        await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        pid = int((tmp_path / "pid").read_text())
        await until("the program has exited", partial(gone, pid))


async def test_program_ends_with_a_killed_bot(tmp_path: Path) -> None:
    """Together with the processes it has started."""
    code = """
    import os, subprocess, sys, time
    sleep = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    pids = [os.getpid(), subprocess.Popen(sleep).pid, subprocess.Popen(sleep, start_new_session=True).pid]
    open('draft', 'w').write(' '.join(map(str, pids)))
    os.rename('draft', 'pids')
    time.sleep(600)
    """
    made = program(tmp_path, code)
    words = ("--exec", shlex.join(made.argv), "--ready", "--startup", "60", "--workdir", str(tmp_path), "--no-state")
    process = await start_bot(*words, "--url", "127.0.0.1:9")
    await until("the program runs", (tmp_path / "pids").exists)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert not any(gone(pid) for pid in pids)
    process.kill()
    await process.communicate()
    for pid in pids:
        await until("the process has exited", partial(gone, pid))


async def test_signal_during_the_copy_leaves_no_folder(tmp_path: Path) -> None:
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    with (work / "large").open("wb") as file:
        file.truncate(8 << 30)
    process = await start_bot(
        "--exec", "true", "--adapter", "conga", "--workdir", str(work), "--url", "127.0.0.1:9", TMPDIR=str(temporary)
    )  # fmt: skip
    await until("the folder is being copied", lambda: list(temporary.rglob("large")))
    process.terminate()
    _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    assert (process.returncode, errors) == (0, b"")
    assert list(temporary.iterdir()) == []


BOT_PROGRAM = """
import sys
from parlour import Bot, run

class Mine(Bot):
    def choose(self, game, state, budget):
        return game.moves(state)[0]

run(Mine, **eval(sys.argv[1]))
"""


async def start_bot_program(folder: Path, url: str, words: str = "{}") -> asyncio.subprocess.Process:
    """Start a program that calls parlour.run with these keyword arguments."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", BOT_PROGRAM, words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PARLOUR_URL": url, "XDG_STATE_HOME": str(folder)},
    )  # fmt: skip


async def test_bot_ends_when_its_output_is_closed(tmp_path: Path) -> None:
    """As in `python mine.py | head -1`."""
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        process = await start_bot_program(tmp_path, server.url)
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"connected to" in await process.stdout.readline()
        process.stdout._transport.close()  # type: ignore[attr-defined]  # there is no public way to close it
        await invite(alice, "Mine", "maxconnect4")
        assert await asyncio.wait_for(process.stderr.read(), TIMEOUT_S) == b""
        assert await process.wait() == 0
        await until("the bot is disconnected", lambda: not server.app.presence.is_here("Mine"))


async def test_mistake_in_a_bot_program_is_one_sentence(tmp_path: Path) -> None:
    mistakes = {
        "{'url': 'not a url'}": "'not a url' is not a server address",
        "{'name': 'x' * 99}": "a name has at most 32 characters",
        "{'token': 'wrong'}": "unknown or revoked token",
        "{'seek': 'chess'}": "there is no game 'chess'",
        "{'seek': 'conga', 'clock': 'quick'}": "'quick' is not a valid clock",
        "{'games': 0}": "games and concurrent must be 1 or more",
    }

    async def run_with(words: str, url: str) -> tuple[int | None, str]:
        process = await start_bot_program(tmp_path, url, words)
        _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        return process.returncode, errors.decode()

    async with running_server(tmp_path) as server:
        outcomes = await asyncio.gather(*(run_with(words, server.url) for words in mistakes))
    for (words, sentence), (status, errors) in zip(mistakes.items(), outcomes, strict=True):
        assert status == 2, (words, errors)
        assert sentence in errors
        assert errors.count("\n") == 1, errors
