"""Measure the browser client with a real Chromium, and what boards cost the server.

python -m bench.web                    all measurements; needs Chromium (scripts/web-tools)
python -m bench.web size open click    some of them

size      bytes of all files of each page, uncompressed (goal: at most 150 KB)
open      from the start of the navigation to a live board (at most 400 ms)
click     from a click to the other player's screen (at most 60 ms)
wall      CPU of Chromium that shows nine games with 20 moves per second in all (at most 25 % of a core)
watchers  CPU of the server per move with 500 JSON watchers: with boards and without (at most 1.5 times)
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter

from playwright.async_api import Browser, Page, Response, async_playwright
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from bench.chromium import find_chromium
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from protocol.commands import Create, Join, Move

CHROMIUM = find_chromium()
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
WALL_MOVES_PER_S = 20
WALL_S = 8.0
WATCHERS = 500
WATCHED_MOVES = 120
# The time of the first board of a page, and of the latest change of its list of moves, since 1970
WATCH_BOARD = """
new MutationObserver(() => {
  const board = document.querySelector("parlour-board .cell .thing, parlour-board .cell");
  if (board && !window.boardAt) requestAnimationFrame(() => { window.boardAt ??= performance.now(); });
  const moves = document.querySelectorAll(".moves button").length;
  if (moves === window.movesSeen) return;
  window.movesSeen = moves;
  window.movedAt = performance.timeOrigin + performance.now();
}).observe(document, { subtree: true, childList: true });
addEventListener("click", () => { window.clickedAt = performance.timeOrigin + performance.now(); }, true);
"""


class ServerProcess:
    """A `parlour serve` process."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self.process, self.url = process, url
        self.address = url.replace("ws://", "http://").removesuffix("/ws")

    def cpu_s(self) -> float:
        """Return the CPU time of the server and its writer process so far, in seconds."""
        return cpu_of(family(self.process.pid))


@asynccontextmanager
async def server_process(folder: Path) -> AsyncIterator[ServerProcess]:
    flags = [
        "--port",
        "0",
        "--house",
        "none",
        "--db",
        str(folder / "bench.db"),
        "--rate",
        "100000",
        "--burst",
        "100000",
    ]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "serve", *flags, "--connections-per-address", "2000", "--log-level", "error",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    try:
        yield ServerProcess(process, line.split()[-1])
    finally:
        process.terminate()
        await process.wait()


def family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += family(int(child))
    return found


def cpu_of(pids: Sequence[int]) -> float:
    """Return the CPU time of processes, in seconds. Processes that have ended do not count."""
    total = 0.0
    for pid in pids:
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists():
            fields = stat.read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / TICKS_PER_S
    return total


@asynccontextmanager
async def match(url: str, game: str = "cohcoh", options: dict[str, int] | None = None) -> AsyncIterator[Match]:
    """Seat two clients of the library in a room."""
    async with AsyncExitStack() as stack:
        players = [Session(url, name=name) for name in ("ann", "ben")]
        for player in players:
            await player.open()
            stack.push_async_callback(player.close)
        room = (await players[0].ask(Create(id=players[0].id(), game=game, seat=0, options=dict(options or {})))).room
        await players[1].ask(Join(id=players[1].id(), room=room))
        yield Match(players, room)


class Match:
    """Two players who play the first legal move in turn. On a large board of n-k-coh-coh, no line is completed soon."""

    def __init__(self, players: list[Session], room: str) -> None:
        self.players, self.room = players, room
        self.ply = 0

    async def move(self) -> float:
        """Play a move, and return the seconds until the server had accepted it."""
        view = self.players[0].rooms[self.room]
        assert view.game is not None
        player = next(player for player in self.players if player.rooms[self.room].seat == view.turn)
        legal = view.game.legal(view.state)
        start = perf_counter()
        await player.ask(Move(id=player.id(), room=self.room, ply=self.ply, move=legal[(self.ply * 7) % len(legal)]))
        self.ply += 1
        took = perf_counter() - start
        await until_ply(view, self.ply)
        return took


async def until_ply(view: RoomView, ply: int) -> None:
    while view.ply < ply:  # noqa: ASYNC110  # the event follows the reply at once
        await asyncio.sleep(0)


async def open_page(browser: Browser, address: str) -> Page:
    context = await browser.new_context(viewport={"width": 1920, "height": 1080})
    page = await context.new_page()
    await page.add_init_script(WATCH_BOARD)
    await page.goto(address)
    return page


async def measure_size(browser: Browser, server: ServerProcess) -> str:
    async with match(server.url) as game:
        paths = ("/", f"/room/{game.room}", "/tv", "/rules/conga", "/leaderboard/conga", "/player/ann")
        sizes = {path.replace(game.room, "ID"): await page_bytes(browser, server.address + path) for path in paths}
    return ", ".join(f"{path} {size / 1000:.0f} KB" for path, size in sizes.items()) + " (goal: 150 KB)"


async def page_bytes(browser: Browser, address: str) -> int:
    """Return the uncompressed size of everything that a page loads."""
    context = await browser.new_context()
    page = await context.new_page()
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))  # Playwright cannot take a built-in method
    await page.goto(address)
    await page.wait_for_selector("main h1, main parlour-board svg", state="attached")
    await page.wait_for_load_state("networkidle")
    size = sum([len(await response.body()) for response in responses])
    await context.close()
    return size


async def measure_open(browser: Browser, server: ServerProcess) -> str:
    times = []
    async with match(server.url) as game:
        for _ in range(7):
            page = await open_page(browser, f"{server.address}/room/{game.room}")
            await page.wait_for_selector("parlour-board svg")
            await page.wait_for_timeout(100)
            times.append(await page.evaluate("window.boardAt"))
            await page.context.close()
    return f"median {median(times):.0f} ms, worst {max(times):.0f} ms (goal: 400 ms)"


async def measure_click(browser: Browser, server: ServerProcess) -> str:
    first, second = await open_page(browser, server.address), await open_page(browser, server.address)
    await first.get_by_text("Play a game").click()
    await first.select_option("[name=game]", "cohcoh")
    await first.select_option("[name=opponent]", "wait")
    await first.select_option("[name=side]", "0")
    await first.fill("dialog [name=n]", "8")
    await first.fill("dialog [name=k]", "8")
    await first.fill("dialog [name=name]", "clicker")
    await first.locator("dialog button.main").click()
    await second.get_by_label("Play against clicker").click()
    times = []
    for ply in range(20):
        mover, other = (first, second) if ply % 2 == 0 else (second, first)
        await mover.locator("parlour-board[live] .cell.legal").nth(ply).click()
        await other.locator(".moves button").nth(ply).wait_for()
        times.append(await other.evaluate("window.movedAt") - await mover.evaluate("window.clickedAt"))
    await first.context.close()
    await second.context.close()
    return f"median {median(times):.0f} ms, worst of 20 {max(times):.0f} ms (goal: 60 ms)"


async def measure_wall(browser: Browser, server: ServerProcess, chromium: int) -> str:
    async with AsyncExitStack() as stack:
        kinds: list[tuple[str, dict[str, int]]] = [("cohcoh", {"n": 12, "k": 12}), ("conga", {}), ("maxconnect4", {})]
        games = [await stack.enter_async_context(match(server.url, *kinds[at % 3])) for at in range(9)]
        page = await open_page(browser, f"{server.address}/tv")
        await page.locator(".tile svg").nth(8).wait_for()
        pids = family(chromium)
        before, start, moves = cpu_of(pids), perf_counter(), 0
        while perf_counter() - start < WALL_S:
            game = games[moves % 9]
            if game.players[0].rooms[game.room].status == "running":
                await game.move()
            moves += 1
            await asyncio.sleep(max(0.0, start + moves / WALL_MOVES_PER_S - perf_counter()))
        spent, lasted = cpu_of(pids) - before, perf_counter() - start
        await page.context.close()
    return f"{100 * spent / lasted:.0f} % of a core at {moves / lasted:.0f} moves per second (goal: 25 %)"


async def watch_cost(server: ServerProcess, wants: list[str]) -> tuple[float, list[float]]:
    """Return the CPU time of the server per move, and the times of the moves, with 500 JSON watchers."""

    async def drain(socket: ClientConnection) -> None:
        async for _ in socket:
            pass

    async with match(server.url, options={"n": 12, "k": 12}) as game, asyncio.TaskGroup() as tasks:
        sockets = []
        for number in range(WATCHERS):
            socket = await connect(server.url, subprotocols=[Subprotocol("parlour.v1.json")], compression=None)
            await socket.send(json.dumps({"type": "hello", "id": 1, "name": f"w{number}", "wants": wants}))
            await socket.send(json.dumps({"type": "watch", "id": 2, "room": game.room}))
            sockets.append(socket)
        draining = [tasks.create_task(drain(socket)) for socket in sockets]
        await asyncio.sleep(1)
        before = server.cpu_s()
        times = []
        for _ in range(WATCHED_MOVES):
            times.append(await game.move())
            await asyncio.sleep(0.04)
        await asyncio.sleep(0.3)
        cost = (server.cpu_s() - before) / WATCHED_MOVES
        for task in draining:
            task.cancel()
        for socket in sockets:
            socket.transport.abort()
    return cost, times


async def measure_watchers(_: Browser, server: ServerProcess) -> str:
    costs: dict[str, list[float]] = {"plain": [], "boards": []}
    delays: dict[str, list[float]] = {"plain": [], "boards": []}
    for _round in range(2):  # in turn: the speed of a shared machine changes
        for name, wants in (("plain", []), ("boards", ["board", "legal"])):
            cost, times = await watch_cost(server, wants)
            costs[name].append(cost)
            delays[name] += times
    plain, boards = min(costs["plain"]), min(costs["boards"])
    p99 = {name: 1000 * quantiles(times, n=100)[98] for name, times in delays.items()}
    return (
        f"{1000 * plain:.1f} ms per move plain, {1000 * boards:.1f} ms with boards: {boards / plain:.2f} times "
        f"(goal: 1.5); players' p99 {p99['plain']:.1f} ms and {p99['boards']:.1f} ms"
    )


MEASUREMENTS: dict[str, Callable[..., Awaitable[str]]] = {
    "size": measure_size,
    "open": measure_open,
    "click": measure_click,
    "wall": measure_wall,
    "watchers": measure_watchers,
}


async def main(names: Sequence[str]) -> None:
    with TemporaryDirectory() as folder:
        async with async_playwright() as playwright, server_process(Path(folder)) as server:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            chromium = chromium_pid()
            for name in names:
                more = (chromium,) if name == "wall" else ()
                print(f"{name:9} {await MEASUREMENTS[name](browser, server, *more)}", flush=True)
            await browser.close()


def chromium_pid() -> int:
    """Return the id of the browser process that Playwright started for us."""
    for pid in family(os.getpid()):
        command = Path(f"/proc/{pid}/cmdline")
        if command.exists() and re.search(rb"chrom.*--remote-debugging-pipe", command.read_bytes()):
            return pid
    raise RuntimeError("no browser process found")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="MEASUREMENT", help=", ".join(MEASUREMENTS))
    chosen = parser.parse_args().names or list(MEASUREMENTS)
    if unknown := set(chosen) - set(MEASUREMENTS):
        parser.error(f"unknown measurement {sorted(unknown)[0]!r}: choose from {', '.join(MEASUREMENTS)}")
    if CHROMIUM is None:
        sys.exit("Chromium is not installed: run scripts/web-tools")
    asyncio.run(main(chosen))
