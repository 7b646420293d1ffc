"""The contract of a game.

A `Game` is rules with their options settled: immutable, shared by every room that plays it. A `State` is a small
immutable value. A `Move` is an int inside and text at the edge; `parse` and `format` are the only doors between.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from engine.board import Board
from engine.errors import GameError, IllegalMove, InvalidNotation, InvalidOption, InvalidPosition, shorten
from engine.options import Option, OptionValue, resolve
from engine.rules import Constant, Rules, specialise

__all__ = [
    "Game",
    "GameError",
    "IllegalMove",
    "InvalidNotation",
    "InvalidOption",
    "InvalidPosition",
    "Move",
    "Outcome",
    "Reason",
    "Side",
    "Spec",
    "State",
]

Side = int
Move = int
Reason = Literal["no_moves", "score", "line"]  # why a game is over by its rules; protocol/messages.py knows them too
REASONS: tuple[Reason, ...] = get_args(Reason)


class State(NamedTuple):
    """A position: what the side to move owns, the rest, and who is to move. Each game draws its own bit layout."""

    mine: int
    rest: int
    turn: Side

    def of(self, side: Side) -> tuple[int, int]:
        """The two words as `side` sees them: its own first."""
        mine, rest, turn = self  # which is quicker than asking for each by its name, here and below
        return (mine, rest) if side == turn else (rest, mine)


new_state = tuple.__new__  # State(…) without the function in between, for where it counts


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winner (None: a draw), a word of the reasons' vocabulary, points where there are any."""

    winner: Side | None
    reason: str
    scores: tuple[int, int] | None = None

    @property
    def result(self) -> str:
        return "1/2-1/2" if self.winner is None else ("1-0", "0-1")[self.winner]


@dataclass(frozen=True, slots=True)
class Spec:
    """What can be said of a game without a position."""

    name: str
    title: str
    sides: tuple[str, str]
    options: Mapping[str, OptionValue]
    rows: int
    columns: int
    repetition: int | None = None  # this many occurrences of a position are a draw (engine/record.py counts them)
    max_plies: int | None = None


class Game(ABC):
    """The rules of one game with its options settled. Subclasses add notation, drawing and their bit layout."""

    name: ClassVar[str]
    title: ClassVar[str]
    sides: ClassVar[tuple[str, str]]
    colours: ClassVar[tuple[str, str, str]] = ("#1d4ed8", "#c62828", "#444444")  # of both sides and of empty cells
    options: ClassVar[tuple[Option, ...]]
    evaluations: ClassVar[Mapping[str, str]]  # name -> rule function (own, other) -> int; bots play by the first
    move_form: ClassVar[str]  # what a move looks like, for error messages
    position_form: ClassVar[str]

    spec: Spec
    rules: Rules
    constants: Mapping[str, Constant]

    def __init__(self, given: Mapping[str, object] | None = None) -> None:
        values = resolve(self.name, self.options, self.infer(dict(given or {})))
        self.constants = self.prepare(values)
        self.rules = specialise(self.module(), self.constants)
        self.spec = self.describe(values)
        self._most: int = self.rules.MOST_MOVES
        start = values.get("start")
        self._start = self.load(str(start)) if start else self.opening(values)

    # -- what a game file brings

    @classmethod
    def infer(cls, given: dict[str, object]) -> dict[str, object]:
        """Fill in options that a `start` position tells by its shape; an option that was given stays."""
        return given

    @abstractmethod
    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        """The constants of the rule functions for these options."""

    def for_search(self) -> dict[str, Constant]:
        """Constants that only a search needs, because they take a while to find."""
        return {}

    @abstractmethod
    def describe(self, values: Mapping[str, OptionValue]) -> Spec: ...

    @abstractmethod
    def opening(self, values: Mapping[str, OptionValue]) -> State: ...

    @abstractmethod
    def reason(self, state: State) -> Reason:
        """The word for an end at this finished position."""

    def pointless(self) -> str:
        """Why nobody would want to play with these options, though the rules allow it; as a rule nothing."""
        return ""

    def points(self, state: State) -> tuple[int, int] | None:
        """The points of both sides, for games that count them."""
        return None

    def standing(self, state: State) -> tuple[int, int] | None:
        """The points of a position where its board does not show them; one with counted stones does."""
        return None if self.draw(state).counted else self.points(state)

    @abstractmethod
    def read(self, state: State, text: str) -> Move:
        """A move's text as an int, legal or not; InvalidNotation."""

    @abstractmethod
    def format(self, state: State, move: Move) -> str: ...

    @abstractmethod
    def dump(self, state: State) -> str:
        """The position as text; `load` is its inverse."""

    @abstractmethod
    def load(self, text: str) -> State:
        """InvalidPosition says in one sentence what is wrong with the text."""

    @abstractmethod
    def draw(self, state: State) -> Board: ...

    # -- what every game can do

    @classmethod
    def module(cls) -> ModuleType:
        """The module whose plain functions are the rules: the game's own file."""
        return sys.modules[cls.__module__]

    def start(self) -> State:
        return self._start

    def turn(self, state: State) -> Side:
        return state.turn

    def moves(self, state: State) -> tuple[Move, ...]:
        """The legal moves, sorted; empty if and only if the game is over."""
        out = [0] * self._most  # a list of its own: games are shared between threads
        return tuple(out[: self.rules.gen(state.mine, state.rest, out, 0)])

    def play(self, state: State, move: Move) -> State:
        if move not in self.moves(state):
            raise self.illegal(state, move)
        return self.after(state, move)

    def after(self, state: State, move: Move) -> State:
        """The state after a move that is known to be legal."""
        mine, rest, turn = state
        mine, rest, again = self.rules.play(mine, rest, move)
        return new_state(State, (mine, rest, turn if again else 1 - turn))

    def outcome(self, state: State) -> Outcome | None:
        mine, rest, turn = state
        if not self.rules.over(mine, rest):
            return None
        margin = self.rules.score(mine, rest)
        winner = None if margin == 0 else turn if margin > 0 else 1 - turn
        reason = self.reason(state)
        if reason not in REASONS:  # nobody could read what is stored of such an end
            raise ValueError(f"{self.name} ends by {reason!r}; the reason of an end is one of {', '.join(REASONS)}")
        return Outcome(winner, reason, self.points(state))

    def parse(self, state: State, text: str, running: bool = False) -> Move:
        """A legal move's text as an int; InvalidNotation and IllegalMove are two errors.

        `running`: the game is known not to be over.
        """
        move = self.read(state, text.strip())
        if not self.allowed(state, move) or (not running and self.rules.over(state.mine, state.rest)):
            raise self.illegal(state, move)
        return move

    def allowed(self, state: State, move: Move) -> bool:
        """Whether a move that `read` made is among `moves` while the game is not over; many games need not make all."""
        return move in self.moves(state)

    def legal(self, state: State) -> tuple[str, ...]:
        """The texts of the legal moves, in the order a reader expects."""
        texts = [self.format(state, move) for move in self.moves(state)]
        return tuple(sorted(texts, key=lambda text: (len(text), text)))

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        """The names of the cells that a person points at to make a move, in their order.

        A text made of names of cells says it itself; any other means the one cell that the move changes and that is
        the mover's before or after it. A game where that does not tell them says it here; a move without can be typed.
        """
        text, before = self.format(state, move), self.draw(state)
        return before.named(text) or before.changed(text, self.draw(self.after(state, move)), state.turn)

    def end_of(self, state: State, move: Move) -> str:
        """The name of the cell in which a move comes to its end."""
        return self.path(state, move)[-1]

    def evaluate(self, evaluation: str, state: State, side: Side) -> int:
        """A named evaluation of the position from a side's view."""
        value: int = getattr(self.rules, self.evaluations[evaluation])(*state.of(side))
        return value

    def illegal(self, state: State, move: Move) -> IllegalMove:
        try:
            text = self.format(state, move)
        except (IndexError, ValueError):
            text = str(move)
        legal = self.legal(state)
        if not legal:
            return IllegalMove(f"{text} cannot be played: the game is over", legal)
        return IllegalMove(f"{text} is not legal here; legal: {' '.join(legal)}", legal)

    def invalid(self, text: str) -> InvalidNotation:
        return InvalidNotation(f"{shorten(text)!r} is not a move of {self.name}: expected {self.move_form}")

    def bad_position(self, why: str) -> InvalidPosition:
        return InvalidPosition(f"not a position of {self.name}: {why}")

    def wrong_form(self, text: str) -> InvalidPosition:
        return self.bad_position(f"{shorten(text)!r} is not of the form {self.position_form}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.spec.options),)
