"""Results that need not be played out: the engine has proved how a game ends if nobody errs.

As an ordinary client we cannot end somebody's game with a result. We are its arbiter, though, and may stop it: it ends
without a result on the server, and the tournament counts what was proved. The proof is written down, and `verify`
repeats it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from engine.game import Game, State
from engine.search import Limits, Thinker

TABLE_MB = 16


def prove(game: Game, states: Sequence[State], nodes: int) -> dict[str, Any] | None:
    """The proof that the last of these states is won, lost or drawn; None if that takes more nodes."""
    state, past = states[-1], states[:-1]
    thinker, limits = Thinker(game, table_mb=TABLE_MB), Limits(nodes=nodes)
    remembers = game.spec.repetition is not None or game.spec.max_plies is not None
    report = thinker.think(state, limits, past=past) if remembers else thinker.solve(state, limits)
    if not report.proved:
        return None
    line = []
    at = state
    for move in report.line:
        line.append(game.format(at, move))
        at = game.after(at, move)
    value = report.value if state.turn == 0 else -report.value
    result = "1-0" if value > 0 else "0-1" if value < 0 else "1/2-1/2"
    return {
        "position": game.dump(state),
        "value": report.value,
        "result": result,
        "line": line,
        "nodes": report.nodes,
        "limit": nodes,
    }


class Prover:
    """In a thread of its own, one position after the other."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self._thread = ThreadPoolExecutor(1, "prover")

    async def warm_up(self, game: Game) -> None:
        """Load what is slow to load, before any clock runs."""
        await self._run(game, [game.start()], 1)

    async def prove(self, game: Game, states: Sequence[State]) -> dict[str, Any] | None:
        return await self._run(game, states, self.nodes)

    async def _run(self, game: Game, states: Sequence[State], nodes: int) -> dict[str, Any] | None:
        return await asyncio.get_running_loop().run_in_executor(self._thread, prove, game, list(states), nodes)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
