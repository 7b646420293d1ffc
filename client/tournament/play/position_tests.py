"""Ask students' programs for their move in a position, one at a time and without a server."""

from __future__ import annotations

import asyncio
import time
from functools import lru_cache
from pathlib import Path

from client.tournament.journal.folder import Folder
from client.tournament.journal.replay import Answer, TournamentState
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Goal, Plan
from client.tournament.play.player_process import bot_args
from engine.errors import GameError
from engine.game import Game, State
from engine.search import Limits, Thinker
from runtime import child_process

SOLVE_LIMIT_S = 120.0  # to solve a position
STARTUP_ALLOWANCE_S = 30.0  # for a program to start and exit, beyond its own startup time
EXIT_GRACE_S = 2.0


def unanswered(plan: Plan, state: TournamentState) -> list[tuple[str, Goal, str]]:
    """Return the questions (student, goal, position) without an answer in the log."""
    return [
        (student, goal, position)
        for goal in plan.goals
        for position in goal.positions
        for student in plan.students
        if (student, goal.name, position) not in state.answers
    ]


async def ask_position(plan: Plan, folder: Folder, student: str, goal: Goal, position: str) -> Answer:
    """Return the move of a student's program within the time of the goal, and whether it is a best move."""
    player = plan.player(student)
    options = [f"--option={name}={value}" for name, value in plan.options.items() if name != "start"]
    limit = f"{goal.seconds:g}"
    arguments = ["--ask", plan.game, f"--position={position}", "--seconds", limit, "--deadline", limit, *options]
    began = time.monotonic()
    process = await child_process.start(
        "parlour",
        "bot",
        *bot_args(player, plan, folder),
        *arguments,
        capture_output=True,
        folder=Path(player.workdir) if player.exec and player.workdir else None,
    )
    try:
        async with asyncio.timeout(goal.seconds + player.startup + STARTUP_ALLOWANCE_S):
            output, errors = await process.communicate()
    except TimeoutError:
        output, errors = b"", b"it did not exit"
    finally:
        await child_process.end(process, EXIT_GRACE_S)
    seconds = round(time.monotonic() - began, 3)
    move = output.decode(errors="replace").split(maxsplit=1)[0] if process.returncode == 0 and output.strip() else ""
    text = "" if move else " ".join(errors.decode(errors="replace").removeprefix("parlour: ").split())[-300:]
    right = bool(move) and await asyncio.to_thread(is_best, plan.create(position), move)
    return Answer(student, goal.name, position, move, right, seconds, text)


def is_best(game: Game, move: str) -> bool:
    """Return whether no move of the start position is better."""
    state = game.start()
    try:
        after = game.play(state, game.parse(state, move))
    except GameError:
        return False
    value = solved(game, after)
    return (value if after.turn == state.turn else -value) == solved(game, state)


@lru_cache(maxsize=1000)
def solved(game: Game, state: State) -> float:
    report = Thinker(game).solve(state, Limits(seconds=SOLVE_LIMIT_S))
    if not report.proved:
        raise TournamentError(
            f"the position {game.dump(state)!r} is too hard to solve, so no answer can be judged: remove it"
        )
    return report.value
