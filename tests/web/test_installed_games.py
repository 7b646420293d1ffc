"""A game of another package, installed by pip: real servers, bots, tournaments, browsers and terminals play it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.engine.plugin_folder import play_in
from tests.web.visitor import Visitor

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "examples" / "games"
LINE_ROOM = "{reason: 'line', winner: 0, seat: 0, moves: [{side: %d}], nameOf: (side) => ['ann', 'ben'][side]}"
LINE_TEXTS = ("You completed a line.", "ben completed a line.")  # by the side of the last move: a line wins or loses
BROKEN = "raise RuntimeError('not today')\n"


def build_wheel(source: Path, module: str, name: str, folder: Path) -> Path:
    """Write the wheel that hatchling builds of an example, which needs no other package and no network."""
    wheel = folder / f"{module}_package-1.0-py3-none-any.whl"
    info = f"{module}_package-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in (f"{module}.py", f"{module}.perft.json"):
            if (source / file).exists():
                archive.write(source / file, file)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {module}-package\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/entry_points.txt", f"[parlour.games]\n{name} = {module}\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip has installed Othello, and a game that cannot be imported."""
    folder = tmp_path_factory.mktemp("wheels")
    broken = folder / "source"
    broken.mkdir()
    (broken / "broken_game.py").write_text(BROKEN)
    wheels = [build_wheel(GAMES / "othello", "othello", "othello", folder)]
    wheels.append(build_wheel(broken, "broken_game", "broken", folder))
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", str(target)]
    subprocess.run([*pip, *map(str, wheels)], check=True)
    return target


@pytest.fixture
def folder(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    play_in(monkeypatch, site, ROOT)
    return tmp_path


async def parlour(folder: Path, *words: str, code: int = 0, given: str = "") -> str:
    """Run a command, and return what it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "parlour", *words),
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    out, _ = await process.communicate(given.encode())
    assert process.returncode == code, out.decode()
    return out.decode()


async def test_commands_know_the_game_and_name_the_broken_one(folder: Path) -> None:
    listed = await parlour(folder, "rules")
    assert "othello      Othello. Have more discs than your opponent at the end." in listed
    why = "the game 'broken' of the package broken-game-package 1.0 is refused: its module 'broken_game' cannot be"
    assert why in listed
    assert "not today (RuntimeError, broken_game.py line 1)" in listed
    assert why in await parlour(folder, "perft", "broken", "1", code=2)
    assert (await parlour(folder, "perft", "othello", "4")).split() == ["1", "4", "2", "12", "3", "56", "4", "244"]
    assert "not today" in await parlour(folder, "game", "check", "broken", code=1)


async def test_tournament_plays_the_game_and_its_records_verify(folder: Path) -> None:
    words = ("cup", "--game", "othello", "--bot", "greedy", "--bot", "random", "--games", "2", "--quiet")
    out = await parlour(folder, "tournament", "run", *words)
    assert "greedy" in out
    assert "random" in out
    await parlour(folder, "tournament", "export", "cup")
    await parlour(folder, "tournament", "verify", "cup.zip")


async def test_installed_game_works_with_bots_ratings_records_and_browser(folder: Path, browser: Browser) -> None:
    log = folder / "server.log"
    with log.open("wb") as errors:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", str(folder / "games.db")),
            *("--house", "greedy,random", "--lobby-tick", "0.05"),
            cwd=folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
    assert server.stdout is not None
    try:
        url = (await server.stdout.readline()).decode().split()[-1]
        assert "game_refused" in log.read_text()
        assert "not today" in log.read_text()
        watched = await parlour(
            folder, "play", "othello", "--vs", "random", "--plain", "--url", url, given="d3\nresign\n"
        )
        assert "d3" in watched
        page = await browser.new_page(viewport={"width": 1280, "height": 800})
        visitor = Visitor(page, url.replace("ws://", "http://").removesuffix("/ws"))
        await visitor.open("/")
        await visitor.new_game("othello", "bot:random")
        await expect(page.locator("parlour-board [data-cell]")).to_have_count(64)
        await expect(page.locator("parlour-board .thing")).to_have_count(4)
        await page.locator("parlour-board [data-cell='d3']").click()
        await visitor.expect_moves(2)
        for side, text in enumerate(LINE_TEXTS):
            module = "new URL('texts.js', document.querySelector('script[type=module]').src)"
            assert (
                await page.evaluate(f"import({module}).then((texts) => texts.resultReason({LINE_ROOM % side}))") == text
            )
        await visitor.open("/rules/othello")
        await visitor.expect_text("main", "Have more discs than your opponent")
        await page.close()
    finally:
        server.terminate()
        await server.wait()
