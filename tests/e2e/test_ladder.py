"""A ladder on a real server: it survives the death of every part, and bots cannot bend it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from client.ladder.ratings import table
from client.ladder.report import LadderReport
from client.ladder.runner import LadderRunner, RunSettings
from client.ladder.setup import Ladder, open_ladder, read_ladder
from client.ladder.state import LadderResult, LadderSettings, Version
from client.sdk.session import Session
from client.tournament.play.reporter import Reporter
from client.tournament.play.setup import ServerAccess
from parlour.cli.main import main
from protocol.commands import History, Join, WatchTournament
from protocol.replies import Invited, TournamentUpdate
from protocol.types import TournamentReport
from server.app import Running
from tests.client.ladder.night import ladder
from tests.e2e.bots import builtin, create_account, running_bot
from tests.e2e.conftest import Spawn
from tests.e2e.local_server import parlour_command, running_server, session, until
from tests.waiting import TIMEOUT_S

GAME = {"game": "cohcoh", "options": {"n": 4, "k": 4}, "clock": "60s", "opening_plies": 2}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def entries(path: Path, kind: str) -> list[dict[str, object]]:
    lines = path.read_text().splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines if line.endswith("}")]
    return [entry for entry in found if entry["type"] == kind]


async def start_ladder(path: Path, url: str, *flags: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "ladder", "run", str(path), "--url", url, "--guests", *flags,
        env=dict(os.environ), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def test_ladder_survives_the_death_of_every_part(tmp_path: Path, spawn: Spawn) -> None:
    path, port = tmp_path / "night.jsonl", str(free_port())
    url = f"ws://127.0.0.1:{port}/ws"
    server = await spawn("--port", port)
    async with AsyncExitStack() as stack:
        for number, name in enumerate(("ann", "ben", "cy")):
            bot = running_bot(url, builtin("random", seed=number), name=name, ladder=True)
            await stack.enter_async_context(bot)
        first = await start_ladder(path, url, "--game", "cohcoh", "--clock", "60s", "--wait", "60")
        await until("some games have ended", lambda: len(entries(path, "ended")) >= 3)
        first.kill()  # the games go on without it
        await first.wait()
        counted = len(entries(path, "ended"))
        await server.kill()
        server = await spawn("--port", port)
        second = await start_ladder(path, url, "--wait", "60")
        await until("games are counted again", lambda: len(entries(path, "ended")) >= counted + 3)
        counted = len(entries(path, "ended"))
        await server.kill()
        server = await spawn("--port", port)
        await until("games are counted once more", lambda: len(entries(path, "ended")) >= counted + 3)
        second.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(second.wait(), TIMEOUT_S) == 0
    ended = entries(path, "ended")
    assert max(Counter(entry["game"] for entry in ended).values()) == 1
    async with session(url, "eve") as eve:
        rooms = (await eve.ask(History(id=eve.id(), limit=100))).rooms or ()
    played = {info.room: info.result for info in rooms if info.players and info.result != "*"}
    assert {entry["room"]: entry["result"] for entry in ended} == played  # each once, and none is lost
    state = read_ladder(path)[1]
    assert not state.open
    assert state.done == len(played)
    status, out, _ = await parlour_command("ladder", "standings", str(path))
    assert status == 0
    assert all(name in out for name in ("ann", "ben", "cy", f"night: cohcoh, {len(played)} games"))


# -- in this process


class Told:
    """Records what a ladder says and counts."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.results: list[tuple[tuple[Version, Version], LadderResult]] = []

    def update(self, game: object, result: LadderResult | None) -> None:
        if result is not None:
            self.results.append((game.players, result))  # type: ignore[attr-defined]

    def says(self, *words: str) -> bool:
        return any(all(word in message for word in words) for message in self.messages)


@asynccontextmanager
async def running_ladder(
    folder: Path, server: Running, settings: LadderSettings, token: str = "", **how: object
) -> AsyncIterator[tuple[LadderRunner, Told]]:
    told = Told()
    given = RunSettings(**{"guests": True, "wait_s": TIMEOUT_S, **how})  # type: ignore[arg-type]
    access = ServerAccess(server.url, token)
    async with open_ladder(folder / "l.jsonl", settings, given, access, told.messages.append, told.update) as runner:
        tasks = [asyncio.create_task(runner.arbiter.listen()), asyncio.create_task(runner.run())]
        try:
            yield runner, told
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def hand_bot(url: str, name: str, joins: bool = True, **more: object) -> AsyncIterator[Session]:
    """Connect a bot that opts in, joins if `joins`, and never moves."""
    bot = session(url, name, plays=("cohcoh",), ladder=True, concurrent=4, **{"version": "1", **more})
    await bot.open()

    async def join() -> None:
        async for event in bot:
            if isinstance(event, Invited) and joins:
                with suppress(Exception):
                    await bot.ask(Join(id=bot.id(), room=event.room.room))

    task = asyncio.create_task(join())
    try:
        yield bot
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await bot.close()


async def next_report(watcher: Session) -> TournamentReport:
    async for event in watcher:
        if isinstance(event, TournamentUpdate):
            return event.report
    raise AssertionError("the session has ended")


async def test_games_are_rated_on_the_server_and_shown_live(tmp_path: Path) -> None:
    async with running_server(tmp_path, arbiters="judge") as server, AsyncExitStack() as stack:
        for number, name in enumerate(("ann", "ben")):
            token = await create_account(server, name)
            bot = running_bot(server.url, builtin("random", seed=number), token=token, ladder=True)
            await stack.enter_async_context(bot)
        judge = await create_account(server, "judge")
        settings = ladder(**GAME)
        ladder_running = running_ladder(tmp_path, server, settings, judge, guests=False)
        runner, told = await stack.enter_async_context(ladder_running)
        eve = await stack.enter_async_context(session(server.url, "eve"))
        await until("games have ended", lambda: len(told.results) >= 4)
        rooms = (await eve.ask(History(id=eve.id(), limit=100))).rooms or ()
        assert all(info.rated and info.arbiter == "judge" and "start" in info.options for info in rooms)
        rating = (await server.app.store.ratings("cohcoh k=4", ["p-ann"]))["p-ann"]
        assert rating.games >= 1
        await Reporter(runner.arbiter, settings.name, LadderReport(runner), told.messages.append).report()
        assert told.says("watch it at", "/tournament/night")
        await eve.ask(WatchTournament(id=eve.id(), name="night"))
        report = await next_report(eve)
        assert {row.name.split()[0] for row in report.rows} == {"ann", "ben"}
        assert report.format == "ladder"


async def test_bot_that_never_moves_loses_on_time_and_is_paused(tmp_path: Path) -> None:
    async with running_server(tmp_path, sweep=0.02) as server, AsyncExitStack() as stack:
        await stack.enter_async_context(hand_bot(server.url, "stone"))
        await stack.enter_async_context(running_bot(server.url, builtin("random"), name="ann", ladder=True))
        settings = ladder(**{**GAME, "clock": "0.2/move"})
        runner, told = await stack.enter_async_context(running_ladder(tmp_path, server, settings, at_once=1))
        await until("it is paused", lambda: told.says("stone is not paired for"))
        assert len(told.results) == 3
        for players, result in told.results:
            assert result.loser is not None
            assert (players[result.loser].name, result.forfeit) == ("stone", "time")
        tally = runner.state.tallies[Version("stone", "1")]
        assert (tally.losses, tally.forfeits) == (3, 3)


async def test_bot_that_dies_in_a_game_loses_it_and_is_not_paired_while_away(tmp_path: Path) -> None:
    async with running_server(tmp_path, sweep=0.02) as server, AsyncExitStack() as stack:
        await stack.enter_async_context(running_bot(server.url, builtin("random"), name="ann", ladder=True))
        settings = ladder(**{**GAME, "clock": "1/move"})
        runner, told = await stack.enter_async_context(running_ladder(tmp_path, server, settings, at_once=1))
        async with hand_bot(server.url, "mayfly") as bot:
            await until("the game runs", lambda: any(view.status == "running" for view in bot.rooms.values()))
        await until("the game is lost", lambda: told.results)
        players, result = told.results[0]
        assert result.loser is not None
        assert players[result.loser] == Version("mayfly", "1")
        assert result.forfeit in ("time", "abandoned")
        await until("it is away", lambda: runner.lobby.here() == {Version("ann", builtin("random").version)})
        rows = {row.player.name: row.state for row in table(runner.settings, runner.state, runner.lobby.here())}
        assert rows == {"ann": "", "mayfly": "away"}
        assert len(told.results) == 1


async def test_bot_that_does_not_join_costs_no_rating(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, AsyncExitStack() as stack:
        await stack.enter_async_context(hand_bot(server.url, "ghost", joins=False))
        for number, name in enumerate(("ann", "ben")):
            bot = running_bot(server.url, builtin("random", seed=number), name=name, ladder=True)
            await stack.enter_async_context(bot)
        running = running_ladder(tmp_path, server, ladder(**GAME), wait_s=0.5)
        runner, told = await stack.enter_async_context(running)
        await until("the ghost is paused", lambda: told.says("ghost is not paired for"))
        count = len(told.results)
        await until("the others play on", lambda: len(told.results) >= count + 2)
        ghost = runner.state.tallies[Version("ghost", "1")]
        assert (ghost.games, ghost.first, ghost.second) == (0, 0, 0) or runner.state.open


async def test_version_that_was_not_paired_cannot_take_the_seat(tmp_path: Path) -> None:
    """Two clients of one account: the lobby shows one version, and the other one joins."""
    async with running_server(tmp_path) as server, AsyncExitStack() as stack:
        token = await create_account(server, "twin")
        await stack.enter_async_context(hand_bot(server.url, "", token=token, version="strong"))
        await stack.enter_async_context(hand_bot(server.url, "", token=token, version="weak", joins=False))
        await stack.enter_async_context(running_bot(server.url, builtin("random"), name="ann", ladder=True))
        runner, told = await stack.enter_async_context(running_ladder(tmp_path, server, ladder(**GAME)))
        await until("the games are void", lambda: not runner.state.open and told.messages)
        assert told.says("twin: another version took the seat")
        pauses = [message for message in told.messages if "is not paired for" in message]
        assert pauses == ["twin is not paired for 30 seconds"]  # though two games failed at once
        assert not told.results
        assert table(runner.settings, runner.state) == []  # without a result there is no rating
        assert Version("twin", "strong") not in runner.state.tallies


async def test_ladder_waits_for_bots_and_does_not_pair_its_own_account(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, AsyncExitStack() as stack:
        token = await create_account(server, "judge")
        await stack.enter_async_context(hand_bot(server.url, "", token=token))
        await stack.enter_async_context(hand_bot(server.url, "ann"))
        runner, told = await stack.enter_async_context(running_ladder(tmp_path, server, ladder(**GAME), token))
        await until("it waits", lambda: told.says("waiting for bots"))
        assert not runner.state.open


async def test_hostile_names_and_versions_are_only_texts(tmp_path: Path) -> None:
    names = {"<img src=x>": "\\u001b[31m", "__proto__": "'; DROP TABLE", "x" * 32: "v" * 40}
    async with running_server(tmp_path) as server, AsyncExitStack() as stack:
        for name, version in names.items():
            await stack.enter_async_context(hand_bot(server.url, name, version=version))
        settings = ladder(**{**GAME, "clock": "0.1/move"})
        runner, told = await stack.enter_async_context(running_ladder(tmp_path, server, settings, at_once=6))
        await until("all have played", lambda: len({seat for seats, _ in told.results for seat in seats}) == 3)
        assert {(player.name, player.version) for player in runner.state.tallies} == set(names.items())
        assert len(LadderReport(runner)().rows) == 3


def test_ladder_needs_a_game_a_clock_and_its_own_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "l.jsonl"
    for flags, text in (
        ((), "name its game with --game"),
        (("--game", "cohcoh", "--clock", "none"), "a ladder needs a clock"),
        (("--game", "cohcoh", "--anchor", "ann=nan"), "--anchor needs NAME=ELO"),
        (("--game", "chess"), "there is no game 'chess'"),
        (("--game", "cohcoh", "--name", "\u200b"), "a ladder's name has"),
    ):
        assert main(["ladder", "run", str(path), *flags]) == 2
        assert text in capsys.readouterr().err
    assert main(["ladder", "standings", str(path)]) == 2
    path.write_text('{"type":"tournament"}\n')
    assert main(["ladder", "standings", str(path)]) == 2
    assert "is not valid" in capsys.readouterr().err
    assert main(["ladder", "run", str(path), "--game", "conga"]) == 2
    assert "settings are fixed" in capsys.readouterr().err
    assert main(["ladder", "run", str(path), "--openings", "0"]) == 2
    assert "leave out --openings" in capsys.readouterr().err


async def test_second_runner_of_a_journal_is_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, running_ladder(tmp_path, server, ladder(**GAME)):
        with pytest.raises(Exception, match="another process"):
            await Ladder(print, lambda game, result: None).run(
                tmp_path / "l.jsonl", None, RunSettings(), ServerAccess(server.url)
            )
