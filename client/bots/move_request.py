"""A bot's own code: asked for a move off the event loop, within a time, and with the evidence kept if it fails."""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from client.programs.crash_report import Case, default_folder, keep
from client.programs.failure import Failure
from client.sdk import note
from client.sdk.bot import Bot, Budget, Thought, as_thought
from client.sdk.note import Note
from engine.errors import GameError
from engine.game import Game, State
from runtime.threads import in_thread

LEAVING = 1.0  # seconds for a bot that is stopped to put its things away


@dataclass(frozen=True, slots=True)
class BotSource:
    """Where a bot's code comes from: the words with which `parlour bot` gets it. `cpu_clock`: note its CPU time."""

    words: tuple[str, ...] = ()
    forensics: Path = field(default_factory=default_folder)
    cpu_clock: bool = False

    @property
    def name(self) -> str:
        return self.words[0] if self.words else ""

    def question(self, game: Game, state: State, budget: Budget, seconds: float) -> list[str]:
        """The command that asks the same bot the same once more."""
        words = [sys.executable, "-P", "-m", "parlour", "bot", *self.words, "--ask", game.name]
        for name, value in game.spec.options.items():
            words += ["--option", f"{name}={value}"]
        if budget.history:
            words += ["--moves", " ".join(budget.history)]
        elif state != game.start():
            words += ["--position", game.dump(state)]
        return [*words, "--seconds", f"{budget.seconds:.3f}", "--deadline", f"{max(seconds, 0.001):.3f}"]


async def request_move(bot: Bot, game: Game, state: State, budget: Budget, source: BotSource) -> Thought:
    """The bot's move, legal and with its note; Failure, with the evidence kept, if there is none."""
    began, seconds = time.monotonic(), budget.remaining()

    def work() -> Thought:
        cpu_before = time.thread_time()
        answer = as_thought(game, state, bot.choose(game, state, budget))
        if source.cpu_clock:
            return timed(answer, time.monotonic() - began, time.thread_time() - cpu_before)
        return answer

    working = in_thread(work)
    try:
        async with asyncio.timeout(seconds + bot.overtime):
            return await asyncio.shield(working)
    except Failure:
        raise  # a bridge has kept the evidence already
    except (TimeoutError, asyncio.CancelledError) as error:
        budget.cancelled.set()
        bot.stop()
        await asyncio.wait({working}, timeout=LEAVING)
        if not working.cancel():
            working.exception()  # of no interest to anybody
        if isinstance(error, asyncio.CancelledError):
            raise
        failure, trace = Failure("timeout", f"no answer after {seconds + bot.overtime:.1f} s"), ""
    except GameError as error:
        failure, trace = Failure("illegal", str(error)), ""
    except Exception as error:
        failure, trace = Failure("error", f"{type(error).__name__}: {error}"), traceback.format_exc()
    command = source.question(game, state, budget, seconds)
    wall, errors = time.monotonic() - began, trace.encode()
    case = Case(failure, game, state, budget, source.name, wall, command=command, folder=Path.cwd(), errors=errors)
    keep(case, source.forensics)
    raise failure


def timed(thought: Thought, wall: float, cpu: float) -> Thought:
    """A note that says how long it took; what a child program has measured of itself stays."""
    said = thought.note if isinstance(thought.note, Note) else note.parse_note(thought.note)
    if said.cpu is not None:
        return thought
    return Thought(thought.move, Note(said.value, said.proved, said.depth, said.nodes, wall, cpu, said.line, said.text))
