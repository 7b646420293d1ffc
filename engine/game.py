"""The interface of a game.

A `Game` is a set of rules with fixed options. It is immutable and shared by all rooms that play it. A `State` is a
small immutable value. A `Move` is an int inside the engine and text outside; only `parse` and `format` convert.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
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
Reason = Literal["no_moves", "score", "line"]  # why a game is over by its rules; also part of the protocol
REASONS: tuple[Reason, ...] = get_args(Reason)
API = 1  # the version of the contract of games; a game of another package says for which one it is made
KINDS = ("stacks", "pits", "discs", "marbles")  # how browsers draw a cell
COLOUR_NAMES = ("black", "white", "red", "green", "clay", "slate")  # the colours of pieces that browsers know


class State(NamedTuple):
    """A position: the word of the side to move, the word of the other side, the side to move.

    Each game file documents its bit layout.
    """

    mine: int
    rest: int
    turn: Side

    def of(self, side: Side) -> tuple[int, int]:
        """Return the words of `side` and of its opponent, in this order."""
        mine, rest, turn = self  # unpacking is faster than attribute access
        return (mine, rest) if side == turn else (rest, mine)


new_state = tuple.__new__  # State(…) without the Python-level constructor, for hot paths


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winner (None for a draw), the reason, and the points if the game counts them."""

    winner: Side | None
    reason: str
    scores: tuple[int, int] | None = None

    @property
    def result(self) -> str:
        return "1/2-1/2" if self.winner is None else ("1-0", "0-1")[self.winner]


@dataclass(frozen=True, slots=True)
class Spec:
    """Facts about a game that do not depend on a position."""

    name: str
    title: str
    sides: tuple[str, str]
    options: Mapping[str, OptionValue]
    rows: int
    columns: int
    repetition: int | None = None  # a position that occurs this often is a draw (see Game.judge)
    max_plies: int | None = None


class Game(ABC):
    """The rules of one game with fixed options. Subclasses add the notation, the drawing and the bit layout."""

    api: ClassVar[int] = API  # the version of the contract that the game is made for
    name: ClassVar[str]
    title: ClassVar[str]
    sides: ClassVar[tuple[str, str]]
    page: ClassVar[str] = ""  # the rules for people, in the Markdown of client/presentation/rules
    colours: ClassVar[tuple[str, str, str]] = ("#1d4ed8", "#c62828", "#444444")  # side 0, side 1, empty cells
    kind: ClassVar[str] = ""  # how browsers draw a cell: stacks, pits, discs or marbles; "" chooses by Board.counted
    colour_names: ClassVar[tuple[str, str]] = ("black", "white")  # of both sides' pieces in browsers
    near: ClassVar[Side | None] = None  # the side that starts at the bottom of the drawing; None if neither does
    options: ClassVar[tuple[Option, ...]]
    evaluations: ClassVar[Mapping[str, str]]  # name -> rule function (own, other) -> int; the first is the default
    point_name: ClassVar[str] = "point"  # what a value counts, in games with points
    chance_scale: ClassVar[float] = 1.0  # an estimate of this size wins 73 % of the games; see bench/review.py
    minor_drop: ClassVar[float] = 2.0  # dropping this many points within the same result is an inaccuracy
    endgame_bytes: int = 1 << 25  # the largest size of the endgame table
    move_form: ClassVar[str]  # the form of a move, for error messages
    position_form: ClassVar[str]

    spec: Spec
    rules: Rules
    constants: Mapping[str, Constant]

    def __init__(self, given: Mapping[str, object] | None = None) -> None:
        values = resolve(self.name, self.options, self.infer(dict(given or {})))
        self.constants = self.prepare(values)
        self.rules = specialise(self.module(), self.constants)
        self.spec = self.describe(values)
        self._max_moves: int = self.rules.MAX_MOVES
        start = values.get("start")
        self._start = self.load(str(start)) if start else self.opening(values)

    # -- implemented by each game

    @classmethod
    def infer(cls, given: dict[str, object]) -> dict[str, object]:
        """Add options that follow from the shape of a `start` position. Given options are kept."""
        return given

    @abstractmethod
    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        """Return the constants of the rule functions for these options."""

    def for_search(self) -> dict[str, Constant]:
        """Return constants that only the search needs and that take long to compute."""
        return {}

    def endgames(self) -> Game | None:
        """Return the game whose endgame table the search of this one uses, None if there is none."""
        return None

    def with_endgames(self, size: int) -> Game:
        """Return the same game with an endgame table of at most `size` bytes."""
        game = copy(self)
        game.endgame_bytes = size
        return game

    @abstractmethod
    def describe(self, values: Mapping[str, OptionValue]) -> Spec: ...

    @abstractmethod
    def opening(self, values: Mapping[str, OptionValue]) -> State: ...

    @abstractmethod
    def reason(self, state: State) -> Reason:
        """Return the reason why the game is over in this finished position."""

    def pointless(self) -> str:
        """Return why a game with these options makes no sense, or "" if it does."""
        return ""

    def points(self, state: State) -> tuple[int, int] | None:
        """Return the points of both sides, or None if the game counts no points."""
        return None

    def deciding(self, state: State) -> tuple[str, ...]:
        """Return the names of the cells that decided the game in this finished position, () if none stand out."""
        return ()

    def standing(self, state: State) -> tuple[int, int] | None:
        """Return the points of both sides, or None if there are none or the board already shows them."""
        return None if self.draw(state).counted else self.points(state)

    @abstractmethod
    def read(self, state: State, text: str) -> Move:
        """Return the move of a text, legal or not. Raises InvalidNotation."""

    @abstractmethod
    def format(self, state: State, move: Move) -> str: ...

    @abstractmethod
    def dump(self, state: State) -> str:
        """Return the position as text. `load` is the inverse."""

    @abstractmethod
    def load(self, text: str) -> State:
        """Return the state of a position text. Raises InvalidPosition."""

    @abstractmethod
    def draw(self, state: State) -> Board: ...

    # -- the same for every game

    @classmethod
    def module(cls) -> ModuleType:
        """Return the module that holds the rule functions: the file of the game."""
        return sys.modules[cls.__module__]

    def start(self) -> State:
        return self._start

    @cached_property
    def start_position(self) -> str:
        """The text of the start position."""
        return self.dump(self._start)

    def turn(self, state: State) -> Side:
        return state.turn

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return the legal moves, sorted. Empty if and only if the game is over."""
        out = [0] * self._max_moves  # a new list per call: games are shared between threads
        return tuple(out[: self.rules.gen(state.mine, state.rest, out, 0)])

    def play(self, state: State, move: Move) -> State:
        """Return the state after a move. Raises IllegalMove."""
        if move not in self.moves(state):
            raise self.illegal(state, move)
        return self.after(state, move)

    def after(self, state: State, move: Move) -> State:
        """Return the state after a move, without checking that it is legal."""
        mine, rest, turn = state
        mine, rest, again = self.rules.play(mine, rest, move)
        return new_state(State, (mine, rest, turn if again else 1 - turn))

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, or None if it is not over."""
        mine, rest, turn = state
        if not self.rules.over(mine, rest):
            return None
        margin = self.rules.score(mine, rest)
        winner = None if margin == 0 else turn if margin > 0 else 1 - turn
        reason = self.reason(state)
        if reason not in REASONS:  # clients reject events with an unknown reason
            raise ValueError(f"{self.name} ended with reason {reason!r}: expected one of {', '.join(REASONS)}")
        return Outcome(winner, reason, self.points(state))

    def judge(self, state: State, plies: int, occurrences: int, over: bool = True) -> Outcome | None:
        """Return how the game ended, by its rules, by repetition or by the ply limit; None if it is not over.

        `plies` is the number of plies played, `occurrences` how often the state has occurred in this game. Pass
        `over=False` if the rules are known not to end the game.
        """
        if over:
            outcome = self.outcome(state)
            if outcome is not None:
                return outcome
        spec = self.spec
        if spec.repetition is not None and occurrences >= spec.repetition:
            return Outcome(None, "repetition")
        if spec.max_plies is not None and plies >= spec.max_plies:
            return Outcome(None, "ply_limit")
        return None

    def advance(self, state: State, text: str) -> tuple[Move, State, bool]:
        """Return the move of a text, the state after it, and whether the rules end the game there.

        Raises InvalidNotation or IllegalMove. The game must not be over before the move.
        """
        move = self.read(state, text.strip())
        if not self.allowed(state, move):
            raise self.illegal(state, move)
        mine, rest, turn = state
        mine, rest, again = self.rules.play(mine, rest, move)
        after = new_state(State, (mine, rest, turn if again else 1 - turn))
        return move, after, self.rules.over(mine, rest)

    def parse(self, state: State, text: str, running: bool = False) -> Move:
        """Return the legal move of a text. Raises InvalidNotation or IllegalMove.

        Pass `running=True` if the game is known not to be over.
        """
        move = self.read(state, text.strip())
        if not self.allowed(state, move) or (not running and self.rules.over(state.mine, state.rest)):
            raise self.illegal(state, move)
        return move

    def allowed(self, state: State, move: Move) -> bool:
        """Return whether a move from `read` is legal, assuming the game is not over.

        Games override this if they can answer without generating all moves.
        """
        return move in self.moves(state)

    def dump_after(self, before: str, state: State, move: Move, after: State) -> str:
        """Return the text of the state after a move. `before` is the text of the state before it.

        Games override this if a move changes few characters of the text.
        """
        return self.dump(after)

    def legal(self, state: State) -> tuple[str, ...]:
        """Return the texts of the legal moves, sorted by length, then alphabetically."""
        texts = [self.format(state, move) for move in self.moves(state)]
        return tuple(sorted(texts, key=lambda text: (len(text), text)))

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        """Return the names of the cells that a player selects, in order, to make a move.

        If the text of the move consists of cell names, these are the path. Otherwise it is the one cell that the move
        changes and that the mover owns before or after it. A game overrides this if neither works. A move with an
        empty path can only be typed.
        """
        text, before = self.format(state, move), self.draw(state)
        return before.named(text) or before.changed(text, self.draw(self.after(state, move)), state.turn)

    def end_of(self, state: State, move: Move) -> str:
        """Return the name of the cell in which a move ends."""
        return self.path(state, move)[-1]

    def decisive(self, state: State) -> tuple[str, ...]:
        """Return the names of the cells that decided the game, () if its rules have not ended it."""
        return self.deciding(state) if self.rules.over(state.mine, state.rest) else ()

    def evaluate(self, evaluation: str, state: State, side: Side) -> int:
        """Return the value of the position for `side` by a named evaluation."""
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
        return self.bad_position(f"{shorten(text)!r} does not have the form {self.position_form}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.spec.options),)
