"""A bot is one method.

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
    """How long a bot may think, and what it might like to know beside the position. Times are seconds.

    `seconds` is a good length for this move by the clock, less what the network takes; at `deadline` (of
    time.monotonic()) the game is lost. `cancelled` is set when nobody waits for the move any more.
    """

    seconds: float
    deadline: float
    left: float | None = None  # on the bot's own clock; None: there is none
    increment: float = 0.0
    ply: int = 0
    side: Side = 0
    opponent: str = ""
    room: str = ""
    history: tuple[str, ...] = ()
    cancelled: threading.Event = field(default_factory=threading.Event, compare=False)

    def remaining(self) -> float:
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class Thought:
    """A move with a note for those who watch."""

    move: Move | str
    note: Note | str = ""


Answer = Move | str | Thought


class Bot:
    """Write `choose`. Every game gets a bot of its own, so what a bot remembers belongs to one game.

    `choose` runs in a thread, or with isolation = "process" in a process of its own: the right place for plain Python
    that thinks for long, since a busy thread keeps the connection waiting. `games`: what it plays; empty is all.
    """

    name: ClassVar[str] = ""
    games: ClassVar[tuple[str, ...]] = ()
    isolation: ClassVar[Isolation] = "thread"
    overtime: float = 0.0  # seconds beyond a deadline that it takes care of itself, as for a program's start

    def choose(self, game: Game, state: State, budget: Budget) -> Answer:
        """A legal move of the state, as the engine's int or as text; Thought(move, note) says something with it."""
        raise NotImplementedError(f"{type(self).__name__} has no choose(self, game, state, budget)")

    def started(self, game: Game, side: Side, opponent: str) -> None:
        """A game begins, or goes on after the bot was away."""

    def ended(self, game: Game, outcome: Outcome) -> None:
        """The game is over."""

    def stop(self) -> None:
        """End a choose() that is under way in another thread. Bots that watch `budget.cancelled` need no more."""

    def close(self) -> None:
        """Nobody needs this bot any more."""


def as_thought(game: Game, state: State, answer: object) -> Thought:
    """What a bot returned, as a legal move's text with its note; GameError or TypeError if it is none."""
    thought = answer if isinstance(answer, Thought) else Thought(answer)  # type: ignore[arg-type]  # looked at below
    move = thought.move
    if isinstance(move, str):
        return Thought(game.format(state, game.parse(state, move)), thought.note)
    try:
        number = move.__index__()  # ints of numpy are welcome too
    except AttributeError:
        raise TypeError(f"choose() returns a move, not {type(move).__name__}") from None
    if number not in game.moves(state):
        raise game.illegal(state, number)
    return Thought(game.format(state, number), thought.note)
