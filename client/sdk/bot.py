"""The interface of a bot.

from parlour import Bot, run

class First(Bot):
    def choose(self, game, state, budget):
        return game.moves(state)[0]

if __name__ == "__main__":
    run(First)
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from client.sdk.note import Note
from engine.game import Game, Move, Outcome, Side, State

Isolation = Literal["thread", "process"]


@dataclass(frozen=True, slots=True)
class Budget:
    """The time for one move, and facts about the game that the position does not show. All times are in seconds.

    `seconds` is the advised thinking time: a share of the clock, minus the network delay. A move that arrives after
    `deadline`, a value of time.monotonic(), is too late. `cancelled` is set when the move is no longer needed.
    """

    seconds: float
    deadline: float
    left: float | None = None  # on the bot's clock; None without a clock
    increment: float = 0.0
    ply: int = 0
    side: Side = 0
    opponent: str = ""
    room: str = ""
    history: tuple[str, ...] = ()
    cancelled: threading.Event = field(default_factory=threading.Event, compare=False)

    def remaining(self) -> float:
        """Return the seconds until the deadline, at least 0."""
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class Thought:
    """A move with a note that watchers see and records keep."""

    move: Move | str
    note: Note | str = ""


Answer = Move | str | Thought


class Bot:
    """Base class of a bot: override `choose`. Each game gets a new instance, so attributes belong to one game.

    `choose` runs in a thread. With isolation = "process" it runs in a separate process. Use that for slow pure Python
    code: a busy thread delays the connection. `games` lists the games the bot plays; empty means all. Opponents and
    records see `version`.
    """

    name: ClassVar[str] = ""
    version: ClassVar[str] = ""
    games: ClassVar[tuple[str, ...]] = ()
    isolation: ClassVar[Isolation] = "thread"
    overtime: float = 0.0  # seconds after the deadline that the bot manages itself, such as a program's start

    def choose(self, game: Game, state: State, budget: Budget) -> Answer:
        """Return a legal move as the engine's int or as text. Return Thought(move, note) to add a note."""
        raise NotImplementedError(f"{type(self).__name__} does not define choose(self, game, state, budget)")

    def started(self, game: Game, side: Side, opponent: str) -> None:
        """Handle the start of a game, or its continuation after the bot reconnects."""

    def ended(self, game: Game, outcome: Outcome) -> None:
        """Handle the end of the game."""

    def stop(self) -> None:
        """Stop a choose() that runs in another thread. A bot that checks `budget.cancelled` need not override this."""

    def close(self) -> None:
        """Release resources. Called once, when the game needs the bot no more."""


def as_thought(game: Game, state: State, answer: object) -> Thought:
    """Return a bot's answer as the text of a legal move with its note. Raises GameError or TypeError if it is not."""
    thought = answer if isinstance(answer, Thought) else Thought(answer)  # type: ignore[arg-type]  # checked below
    move = thought.move
    if isinstance(move, str):
        return Thought(game.format(state, game.parse(state, move)), thought.note)
    try:
        number = move.__index__()  # also accepts numpy ints
    except AttributeError:
        raise TypeError(f"choose() must return a move, not {type(move).__name__}") from None
    if number not in game.moves(state):
        raise game.illegal(state, number)
    return Thought(game.format(state, number), thought.note)
