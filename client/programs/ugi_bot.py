"""A bot that is an engine which speaks UGI, the Universal Game Interface: for any game what UCI is for chess.

    < ugi                            > id name …   > ugiok          once, after the start
    < setoption name n value 5       < uginewgame
    < isready                        > readyok                      before the first move of a game
    < position startpos moves a1 b2
    < go movetime 2000               > info …      > bestmove c3    for each move

Positions and moves are written as in docs/rules.md.
"""

from __future__ import annotations

import json
import time

from client.programs.child import Child
from client.programs.line_bot import LineBot, ProgramPool
from client.sdk.bot import Budget
from engine.game import Game, State

BEST_MOVE = "bestmove"


class UgiBot(LineBot):
    """One game of an engine that speaks UGI."""

    def __init__(self, pool: ProgramPool) -> None:
        super().__init__(pool)
        self._prepared: Child | None = None  # the copy that knows the game

    def exchange(self, child: Child, game: Game, state: State, budget: Budget, startup: float) -> str:
        """Ask for a move. Return it with the engine's last report as its note."""
        if child is not self._prepared:
            self._prepare(child, game)
        child.tell(position_command(game, state, budget).encode())
        line, report = child.ask(f"go movetime {max(1, round(1000 * budget.seconds))}".encode(), budget.remaining()), ""
        while not line.startswith(BEST_MOVE):
            report = line if line.startswith("info ") else report
            line = child.listen(budget.remaining())
        return json.dumps({"move": best_move(line), "note": note_of(report)})

    def is_answer(self, game: Game, state: State, line: str) -> bool:
        """Return whether a line has the best move."""
        return line.startswith(BEST_MOVE) and super().is_answer(game, state, best_move(line))

    def _prepare(self, child: Child, game: Game) -> None:
        deadline = time.monotonic() + self.program.limits.startup
        for name, value in game.spec.options.items():
            if name != "start":
                child.tell(f"setoption name {name} value {value}".encode())
        child.tell(b"uginewgame")
        line = child.ask(b"isready", self.program.limits.startup)
        while line.strip() != "readyok":
            line = child.listen(max(0.0, deadline - time.monotonic()))
        self._prepared = child


def position_command(game: Game, state: State, budget: Budget) -> str:
    """Return the command that sets a position. With the moves since the start, the engine sees repetitions."""
    if len(budget.history) != budget.ply:  # the moves are not known
        return f"position fen {game.dump(state)}"
    start = game.spec.options.get("start")
    command = f"position fen {start}" if start else "position startpos"
    return f"{command} moves {' '.join(budget.history)}" if budget.history else command


def best_move(line: str) -> str:
    """Return the move of a line `bestmove MOVE`, perhaps with words after it."""
    return " ".join(line.split()[1:2])


def note_of(report: str) -> str:
    """Return the numbers of an `info` line, without the line of moves."""
    return report.removeprefix("info ").partition(" pv ")[0].partition(" string ")[0]
