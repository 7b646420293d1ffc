"""Every example bot plays, in every language that is installed on this machine."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from client.programs.line_bot import LineBot, ProgramPool
from client.programs.program import Program
from engine.record import ending
from engine.registry import GAMES, create
from tests.client.sample_programs import budget
from tests.e2e.bots import OutputLines, builtin, finished_games, run_bot, running_bot, seek
from tests.e2e.local_server import running_server, session, until
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FIRST_NODE_WITH_SOCKETS, FIRST_NODE_WITHOUT_FLAG = 20, 22  # versions of Node
SOCKET_BOTS = ("socket_bot.py", "socket_bot.js")
COMPILED_SOCKET_BOTS = {
    "socket_bot.c": ("cc", "cc -O2 -Wall -Werror -o socket_bot socket_bot.c", "./socket_bot"),
    "SocketBot.java": ("javac", "javac -Xlint:all -Werror SocketBot.java", "java SocketBot"),
    "socket_bot.rs": ("rustc", "rustc -D warnings socket_bot.rs", "./socket_bot"),
}
EXEC = {
    "exec_bot.py": ("python3", "", "{python} exec_bot.py"),
    "exec_bot.js": ("node", "", "node exec_bot.js"),
    "exec_bot.c": ("cc", "cc -O2 -Wall -Werror -o exec_bot exec_bot.c", "./exec_bot"),
    "ExecBot.java": ("javac", "javac ExecBot.java", "java ExecBot"),
}


@pytest.mark.parametrize("name", EXEC)
def test_exec_example_plays_whole_games(name: str, tmp_path: Path) -> None:
    """Each plays against itself, with the default limits."""
    tool, build, command = EXEC[name]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    shutil.copy(EXAMPLES / name, tmp_path)
    if build:
        subprocess.run(build.split(), cwd=tmp_path, check=True, timeout=TIMEOUT_S)
    words = tuple(command.format(python=sys.executable).split())
    pool = ProgramPool(Program(words, tmp_path, name=name, forensics=tmp_path / "forensics"))
    player = LineBot(pool)
    try:
        for game in (create("conga", {"max_plies": 30}), create("mancala"), create("maxconnect4"), create("cohcoh")):
            states = [game.start()]
            while ending(game, states) is None:
                thought = player.choose(game, states[-1], budget(20))
                states.append(game.play(states[-1], game.parse(states[-1], str(thought.move))))
    finally:
        player.close()
        pool.close()
    assert not (tmp_path / "forensics").exists()


def node_version() -> int:
    """Return the major version of Node, 0 if it is not installed."""
    if shutil.which("node") is None:
        return 0
    text = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return int(text.lstrip("v").partition(".")[0])


async def run_example(name: str, url: str, folder: Path, *args: str) -> asyncio.subprocess.Process:
    command = [sys.executable]
    if name.endswith(".js"):
        major = node_version()
        if major < FIRST_NODE_WITH_SOCKETS:
            pytest.skip("no node with WebSocket is installed")
        command = ["node", *(["--experimental-websocket"] if major < FIRST_NODE_WITHOUT_FLAG else [])]
    return await asyncio.create_subprocess_exec(
        *command, str(EXAMPLES / name), *args, cwd=folder, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PARLOUR_URL": url, "XDG_STATE_HOME": str(folder)},
    )  # fmt: skip


async def test_readme_bot_plays(tmp_path: Path) -> None:
    assert len((EXAMPLES / "my_bot.py").read_text().splitlines()) <= 15
    async with running_server(tmp_path) as server:
        process = await run_example("my_bot.py", server.url, tmp_path)
        await until("the bot is connected", lambda: server.app.presence.is_here("careful"))
        output = OutputLines()
        await run_bot(server.url, builtin("random"), seeks=(seek("cohcoh", "Careful"),), games=1, output=output)
        process.terminate()
        await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert process.returncode == 0
        async with session(server.url) as guest:
            (info,) = await finished_games(guest, "Careful")
            assert info.reason in ("line", "no_moves")


@pytest.mark.parametrize("name", SOCKET_BOTS)
@pytest.mark.parametrize("game", GAMES)
async def test_bot_without_a_library_plays_every_game(name: str, game: str, tmp_path: Path) -> None:
    assert len([line for line in (EXAMPLES / name).read_text().splitlines() if line.strip()]) <= 30
    async with running_server(tmp_path) as server, running_bot(server.url, builtin("random")):
        process = await run_example(name, server.url, tmp_path, game)
        output, _ = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert process.returncode == 0
        assert output.decode().split()[0] in ("1-0", "0-1", "1/2-1/2")


@pytest.mark.parametrize("name", SOCKET_BOTS)
async def test_bot_without_a_library_accepts_invitations(name: str, tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        process = await run_example(name, server.url, tmp_path)
        await until("the bot is connected", lambda: server.app.presence.is_here("socket-bot"))
        await run_bot(server.url, builtin("random"), seeks=(seek("mancala", "socket-bot"),), games=1)
        process.terminate()
        await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        async with session(server.url) as guest:
            (info,) = await finished_games(guest, "socket-bot")
            assert info.reason == "score"


@pytest.mark.parametrize("name", SOCKET_BOTS)
@pytest.mark.parametrize("limits", [{}, {"rate": 20.0, "burst": 1}], ids=["free", "limited"])
async def test_bot_without_a_library_obeys_the_rate_limit(name: str, limits: dict[str, Any], tmp_path: Path) -> None:
    async with running_server(tmp_path, **limits) as server, running_bot(server.url, builtin("random")):
        process = await run_example(name, server.url, tmp_path, "maxconnect4")
        output, _ = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
        assert process.returncode == 0
        result, reason = output.decode().split()
        assert result in ("1-0", "0-1", "1/2-1/2")
        assert reason == "score"
        assert bool(server.app.metrics.refusals["rate_limited"]) == bool(limits)


@pytest.fixture
def compiled_bot(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, ...]:
    """Compile an example. Return the command that runs it in the folder of the test."""
    tool, build, command = COMPILED_SOCKET_BOTS[request.param]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    shutil.copy(EXAMPLES / request.param, tmp_path)
    home = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir}  # where rustup has its compilers
    subprocess.run(build.split(), cwd=tmp_path, check=True, timeout=TIMEOUT_S, env=home)
    return tuple(command.split())


@pytest.mark.parametrize("name", COMPILED_SOCKET_BOTS)
def test_bot_without_any_library_is_short(name: str) -> None:
    assert len([line for line in (EXAMPLES / name).read_text().splitlines() if line.strip()]) <= 60


@pytest.mark.parametrize("compiled_bot", COMPILED_SOCKET_BOTS, indirect=True)
async def test_bot_without_any_library_plays_waits_and_obeys_the_rate_limit(
    compiled_bot: tuple[str, ...], tmp_path: Path
) -> None:
    async with running_server(tmp_path, rate=25.0, burst=1) as server, running_bot(server.url, builtin("random")):
        environment = {**os.environ, "PARLOUR_URL": server.url}

        async def start(*args: str) -> asyncio.subprocess.Process:
            pipe = asyncio.subprocess.PIPE
            return await asyncio.create_subprocess_exec(
                *compiled_bot, *args, cwd=tmp_path, env=environment, stdout=pipe
            )

        output, _ = await asyncio.wait_for((await start("cohcoh")).communicate(), TIMEOUT_S)
        assert output.decode().split()[1] in ("line", "no_moves")
        waiting = await start()
        await until("the bot is connected", lambda: server.app.presence.is_here("socket-bot"))
        await run_bot(server.url, builtin("random"), seeks=(seek("cohcoh", "socket-bot"),), games=1)
        waiting.terminate()
        await asyncio.wait_for(waiting.communicate(), TIMEOUT_S)


def test_docs_show_the_examples_unchanged() -> None:
    page = (ROOT / "docs" / "writing-a-bot.md").read_text()
    for name in ("my_bot.py", *SOCKET_BOTS, *EXEC):
        assert (EXAMPLES / name).read_text().strip() in page, name
