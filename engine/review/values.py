"""Values of positions: proved where the search can prove them within a budget, otherwise estimates with their depth."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.game import Game, Move, State
from engine.record import ending
from engine.search import Limits, Report, Thinker
from engine.search.driver import MAX_DEPTH
from engine.search.kernel import Notice
from engine.search.limits import ignore
from engine.search.tree import CONTEMPT_DIVISOR

TABLE_MB = 128
OTHER_MOVE_SHARE = 4  # of the nodes of a position, to prove whether one other move is worse
MIN_POSITION_S = 0.004


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a review may search: nodes for each position, seconds for the whole game."""

    nodes: int = 1_000_000
    seconds: float | None = 60.0


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a position for the side to move, in points of the game, or 1, 0, -1 if it has none."""

    points: float
    proved: bool
    depth: int = 0
    line: tuple[Move, ...] = ()

    def for_other(self) -> Value:
        """Return the same value for the other side."""
        return replace(self, points=0 - self.points)  # not -0.0


class Evaluator:
    """Values positions of one game. Results stay in the search's table from one position to the next."""

    def __init__(
        self,
        game: Game,
        nodes: int,
        cancel: threading.Event | None = None,
        table_mb: float = TABLE_MB,
        compiled: bool | None = None,
        notice: Notice = ignore,
        threads: int = 1,
        endgames: bool = True,
    ) -> None:
        """Use the endgame table of the game if `endgames` and it is in the cache."""
        self.game = game
        self.seconds: float | None = None  # time limit of each search
        self._nodes, self._cancel = nodes, cancel
        self._settings = table_mb, compiled, notice, threads, endgames
        self._thinker = Thinker(game, *self._settings)

    def value(self, states: Sequence[State]) -> Value:
        """Return the value of the last of the states of a game, proved if the budget allows."""
        if (over := self.final(states)) is not None:
            return over
        if self.game.spec.repetition is not None:
            return self._estimate(states, self._limits())
        report = self._thinker.solve(states[-1], self._limits(), self._cancel)
        return value_of(report) if report.proved else self._estimate(states, self._limits())

    def estimate(self, states: Sequence[State], depth: int) -> Value:
        """Return the value of the last of the states from a search of the given depth."""
        over = self.final(states)
        return self._estimate(states, replace(self._limits(), depth=max(1, depth))) if over is None else over

    def is_worse(self, states: Sequence[State], move: Move, aim: int) -> bool:
        """Return whether it is proved that a move is worth less than `aim` for the side that makes it."""
        return self._reaches(states, move, aim) is False

    def is_enough(self, states: Sequence[State], move: Move, aim: int) -> bool:
        """Return whether it is proved that a move is worth at least `aim` for the side that makes it."""
        return self._reaches(states, move, aim) is True

    def _reaches(self, states: Sequence[State], move: Move, aim: int) -> bool | None:
        """Return whether a move is worth at least `aim`, or None if a part of the budget does not prove it."""
        before, after = states[-1], self.game.after(states[-1], move)
        now = [*states, after]
        if (over := self.final(now)) is not None:
            return for_mover(over, before, after).points >= aim
        limits = replace(self._limits(), nodes=max(1, self._nodes // OTHER_MOVE_SHARE))
        if self.game.spec.repetition is not None:
            found = for_mover(self._estimate(now, limits), before, after)
            return found.points >= aim if found.proved else None
        same = after.turn == before.turn
        reached = self._thinker.at_least(after, aim if same else 1 - aim, limits, self._cancel)
        return None if reached is None else reached == same

    def final(self, states: Sequence[State]) -> Value | None:
        """Return the value of a finished game, or None if it is not over."""
        outcome, state = ending(self.game, states), states[-1]
        if outcome is None:
            return None
        by_rules = self.game.outcome(state) is not None
        return Value(self.game.rules.score(state.mine, state.rest) if by_rules else 0, True)

    def _limits(self) -> Limits:
        return Limits(seconds=self.seconds, nodes=self._nodes)

    def _estimate(self, states: Sequence[State], limits: Limits) -> Value:
        *past, state = states
        thinker = Thinker(self.game, *self._settings) if self._past_matters(past) else self._thinker
        found = value_of(thinker.think(state, limits, self._cancel, past=past))
        if found.proved or found.depth == 0:
            limit = self.game.spec.max_plies
            return found if limit is None or len(past) + 2 * found.depth <= limit else replace(found, proved=False)
        unit = self.game.rules.UNIT
        return replace(found, points=found.points - unit // CONTEMPT_DIVISOR / unit)  # how much the search overrates

    def _past_matters(self, past: Sequence[State]) -> bool:
        """Return whether earlier states or the ply limit can change the value. Proofs in the table ignore them."""
        spec = self.game.spec
        if spec.repetition is None:
            return False
        near_limit = spec.max_plies is not None and len(past) + MAX_DEPTH > spec.max_plies
        return near_limit or max(Counter(past).values(), default=0) >= spec.repetition - 1


def value_of(report: Report) -> Value:
    return Value(report.value, report.proved, report.depth, report.line)


def for_mover(value: Value, before: State, after: State) -> Value:
    """Return a value of the position after a move for the side that made the move."""
    return value if after.turn == before.turn else value.for_other()
