"""Request a move from a bot: off the event loop, with a timeout, and with a crash report if it fails."""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path

from client.programs.crash_report import CrashReport, Transcript, default_crash_folder
from client.programs.failure import Failure
from client.sdk import note
from client.sdk.bot import Bot, Budget, Thought, as_thought
from client.sdk.note import Note
from engine.errors import GameError
from engine.game import Game, State
from runtime.threads import in_thread

STOP_TIMEOUT_S = 1.0  # for a stopped bot to return from choose()


@dataclass(frozen=True, slots=True)
class BotSource:
    """The arguments of `parlour bot` that select the bot, for crash reports.

    `forensics`: the folder of the reports. `cpu_clock`: add the CPU time to notes.
    """

    args: tuple[str, ...] = ()
    forensics: Path = field(default_factory=default_crash_folder)
    cpu_clock: bool = False

    @property
    def name(self) -> str:
        return self.args[0] if self.args else ""

    def reproduce_command(self, game: Game, state: State, budget: Budget, seconds: float) -> list[str]:
        """Return the command that requests the same move from the same bot again."""
        words = [sys.executable, "-P", "-m", "parlour", "bot", *self.args, "--ask", game.name]
        for name, value in game.spec.options.items():
            words += ["--option", f"{name}={value}"]
        if budget.history:
            words += ["--moves", " ".join(budget.history)]
        elif state != game.start():
            words += ["--position", game.dump(state)]
        return [*words, "--seconds", f"{budget.seconds:.3f}", "--deadline", f"{max(seconds, 0.001):.3f}"]


async def request_move(bot: Bot, game: Game, state: State, budget: Budget, source: BotSource) -> Thought:
    """Return the bot's legal move with its note. Raises Failure, with a crash report, if it returns none."""
    began, seconds = time.monotonic(), budget.remaining()

    def work() -> Thought:
        cpu_before = time.thread_time()
        answer = as_thought(game, state, bot.choose(game, state, budget))
        if source.cpu_clock:
            return with_times(answer, time.monotonic() - began, time.thread_time() - cpu_before)
        return answer

    working = in_thread(work)
    try:
        async with asyncio.timeout(seconds + bot.overtime):
            return await asyncio.shield(working)
    except Failure:
        raise  # an external program: its crash report is already written
    except (TimeoutError, asyncio.CancelledError) as error:
        budget.cancelled.set()
        bot.stop()
        await asyncio.wait({working}, timeout=STOP_TIMEOUT_S)
        if not working.cancel():
            working.exception()  # mark as retrieved
        if isinstance(error, asyncio.CancelledError):
            raise
        failure, trace = Failure("timeout", f"no answer after {seconds + bot.overtime:.1f} s"), ""
    except GameError as error:
        failure, trace = Failure("illegal", str(error)), ""
    except Exception as error:
        failure, trace = Failure("error", f"{type(error).__name__}: {error}"), traceback.format_exc()
    command = source.reproduce_command(game, state, budget, seconds)
    wall, transcript = time.monotonic() - began, Transcript(errors=trace.encode())
    report = CrashReport(failure, game, state, budget, source.name, wall, transcript, command, cwd=Path.cwd())
    report.save(source.forensics)
    raise failure


def with_times(thought: Thought, wall: float, cpu: float) -> Thought:
    """Add the times to the note, unless it has those that a program measured itself."""
    known = thought.note if isinstance(thought.note, Note) else note.parse_note(thought.note)
    if known.cpu is not None:
        return thought
    return Thought(thought.move, replace(known, wall=wall, cpu=cpu))
