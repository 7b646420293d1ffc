"""Faulty Python bots in our process: each loses its own game, and the crash report names the line."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from client.bots.factory import class_factory
from client.sdk.bot import Bot, Budget
from engine.game import Game, State
from tests.e2e.bots import OutputLines, builtin, finished_games, run_bot, running_bot, seek
from tests.e2e.local_server import running_server, session
from tests.waiting import TIMEOUT_S


class Raises(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        raise KeyError(f"ply {budget.ply}")


class Exits(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        raise SystemExit(3)


class RaisesTimeout(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        raise TimeoutError("in the bot")


class ReturnsObject(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return object()  # type: ignore[return-value]


class Illegal(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return 99


class Hangs(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        budget.cancelled.wait(TIMEOUT_S)
        return game.moves(state)[0]


class BadHooks(Bot):
    def started(self, game: Game, side: int, opponent: str) -> None:
        raise ValueError("not ready")

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return game.moves(state)[0]


BOTS = {
    Raises: ("resigned", "error: KeyError: 'ply "),
    Exits: ("resigned", "error: RuntimeError: SystemExit 3"),
    RaisesTimeout: ("resigned", "error: RuntimeError: TimeoutError in the bot"),
    ReturnsObject: ("resigned", "error: TypeError: choose() must return a move, not object"),
    Illegal: ("resigned", "illegal: 100 is not legal here"),  # columns count from 1
    Hangs: ("resigned", "timeout: no answer after"),
    BadHooks: ("score", "ValueError: not ready"),
}


async def test_faulty_bots_lose_only_their_own_game(tmp_path: Path) -> None:
    async def play_one_game(kind: type[Bot]) -> OutputLines:
        output = OutputLines()
        folder = tmp_path / kind.__name__
        seeks = (seek("maxconnect4", "good"),)
        move_timeout = 0.2 if kind is Hangs else TIMEOUT_S
        more: dict[str, Any] = {"output": output, "forensics": folder, "settings": {"move_timeout": move_timeout}}
        await run_bot(server.url, class_factory(kind), seeks=seeks, games=1, **more)
        return output

    async with running_server(tmp_path) as server:
        async with running_bot(server.url, builtin("random"), name="good", policy={"concurrent": 20}):
            outcomes = await asyncio.wait_for(asyncio.gather(*(play_one_game(kind) for kind in BOTS)), TIMEOUT_S)
        async with session(server.url) as guest:
            for (kind, (reason, words)), output in zip(BOTS.items(), outcomes, strict=True):
                (info,) = await finished_games(guest, kind.__name__)
                assert info.reason == reason, kind
                assert output.has(words), output.lines
        for name, line in (
            ("Raises", "raise KeyError"),
            ("Exits", "raise SystemExit"),
            ("RaisesTimeout", "raise TimeoutErr"),
        ):
            trace = next((tmp_path / name).iterdir()) / "stderr.txt"
            assert line in trace.read_text()
