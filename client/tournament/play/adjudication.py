"""Adjudication: end a game as soon as the engine has proved its result under perfect play.

The runner is an ordinary client, so it cannot give a game a result. As arbiter it can abort the game: the server stores
no result, and the tournament counts the proved one. The proof is logged, and `verify` repeats it.
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
    """Return the proof that the last of these states is won, lost or drawn, or None if it takes more nodes."""
    state, earlier = states[-1], states[:-1]
    thinker, limits = Thinker(game, table_mb=TABLE_MB), Limits(nodes=nodes)
    history_matters = game.spec.repetition is not None or game.spec.max_plies is not None
    report = thinker.think(state, limits, past=earlier) if history_matters else thinker.solve(state, limits)
    if not report.proved:
        return None
    line = []
    position = state
    for move in report.line:
        line.append(game.format(position, move))
        position = game.after(position, move)
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
    """Proves positions one at a time in a thread."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self._thread = ThreadPoolExecutor(1, "prover")

    async def warm_up(self, game: Game) -> None:
        """Load the search before any clock runs."""
        await self._run(game, [game.start()], 1)

    async def prove(self, game: Game, states: Sequence[State]) -> dict[str, Any] | None:
        return await self._run(game, states, self.nodes)

    async def _run(self, game: Game, states: Sequence[State], nodes: int) -> dict[str, Any] | None:
        return await asyncio.get_running_loop().run_in_executor(self._thread, prove, game, list(states), nodes)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
