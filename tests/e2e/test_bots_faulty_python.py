"""Bots in Python that go wrong inside our process: each loses its own game, and the evidence says in which line."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from client.bots.factory import class_factory
from client.sdk.bot import Bot, Budget
from engine.game import Game, State
from tests.e2e.bots import OutputLines, builtin, finished_games, run_bot, running_bot, seek
from tests.e2e.parlours import parlour, session


class Raises(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        raise KeyError(f"ply {budget.ply}")


class Exits(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        raise SystemExit(3)


class Impatient(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        raise TimeoutError("of its own")


class Nonsense(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return object()  # type: ignore[return-value]


class Illegal(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return 99


class Hangs(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        budget.cancelled.wait(60)
        return game.moves(state)[0]


class BadHooks(Bot):
    def started(self, game: Game, side: int, opponent: str) -> None:
        raise ValueError("not ready")

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return game.moves(state)[0]


PYTHON_ZOO = {
    Raises: ("resigned", "error: KeyError: 'ply "),
    Exits: ("resigned", "error: RuntimeError: SystemExit 3"),
    Impatient: ("resigned", "error: RuntimeError: TimeoutError of its own"),
    Nonsense: ("resigned", "error: TypeError: choose() must return a move, not object"),
    Illegal: ("resigned", "illegal: 100 is not legal here"),  # columns count from 1
    Hangs: ("resigned", "timeout: no answer after"),
    BadHooks: ("score", "ValueError: not ready"),
}


async def test_the_zoo_of_python(tmp_path: Path) -> None:
    async def loose(kind: type[Bot]) -> OutputLines:
        said = OutputLines()
        folder = tmp_path / kind.__name__
        wishes = (seek("maxconnect4", "good"),)
        patience = 0.2 if kind is Hangs else 20.0
        more: dict[str, Any] = {"said": said, "forensics": folder, "settings": {"move_timeout": patience}}
        await run_bot(there.url, class_factory(kind), seeks=wishes, games=1, **more)
        return said

    async with parlour(tmp_path) as there:
        async with running_bot(there.url, builtin("random"), name="good", policy={"concurrent": 20}):
            outcomes = await asyncio.wait_for(asyncio.gather(*(loose(kind) for kind in PYTHON_ZOO)), 40)
        async with session(there.url) as guest:
            for (kind, (reason, words)), said in zip(PYTHON_ZOO.items(), outcomes, strict=True):
                (info,) = await finished_games(guest, kind.__name__)
                assert info.reason == reason, kind
                assert said.has(words), said.lines
        for name, line in (
            ("Raises", "raise KeyError"),
            ("Exits", "raise SystemExit"),
            ("Impatient", "raise TimeoutErr"),
        ):
            trace = next((tmp_path / name).iterdir()) / "stderr.txt"
            assert line in trace.read_text()
