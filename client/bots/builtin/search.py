"""The strong bot: the engine's search with as much time as the clock allows, or weaker by levels."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from client.bots.builtin.levels import LEVELS, PLAIN_NODES
from client.bots.builtin.rng import PositionRng
from client.sdk.bot import Bot, Budget, Thought
from client.sdk.note import Note
from engine.game import Game, Move, Outcome, State
from engine.replay import Replay
from engine.search import Limits, Report, Thinker

TABLE_MB = 48
LOADING = 8.0  # seconds on the clock that allow for loading compiled code
SPARE = 0.05  # seconds between the end of thinking and the end of the time
SHOWN = 12  # moves of the line in a note


_loaded: set[Game] = set()  # games whose compiled search is in memory: another one costs nothing


class SearchBot(Bot):
    """Compiled code may take seconds to load the first time. With less on the clock it thinks in plain Python."""

    def __init__(self, chance: PositionRng, seconds: float | None = None, level: int = 10) -> None:
        self._chance, self._seconds, self._level = chance, seconds, LEVELS[level]
        self._thinker: Thinker | None = None
        self._plain: Thinker | None = None

    def _get(self, game: Game, budget: Budget) -> Thinker:
        many = self._level.nodes is None or self._level.nodes > PLAIN_NODES
        time_enough = budget.left is None or budget.left >= LOADING
        if self._thinker is None and (game in _loaded or (many and time_enough)):
            self._thinker = Thinker(game, table_mb=TABLE_MB)
            _loaded.add(game)
        if self._thinker is None and self._plain is None:
            self._plain = Thinker(game, compiled=False)
        thinker = self._thinker or self._plain
        assert thinker is not None
        return thinker

    def choose(self, game: Game, state: State, budget: Budget) -> Thought | Move:
        moves, rng = game.moves(state), self._chance.rng
        self._chance.reseed(game, state, budget.ply)
        if len(moves) == 1 or rng.random() < self._level.careless:
            return rng.choice(moves)
        seconds = budget.seconds if self._seconds is None else self._seconds
        thinker = self._get(game, budget)
        limits = Limits(seconds=max(0.005, min(seconds, budget.remaining() - SPARE)), nodes=self._level.nodes)
        report = thinker.think(state, limits, cancel=budget.cancelled, past=past_of(game, state, budget))
        return Thought(moves[0] if report.move is None else report.move, note_of(game, state, report))

    def ended(self, game: Game, outcome: Outcome) -> None:
        self._thinker = self._plain = None  # their memory is large, and of no use for other games


def warm(games: Iterable[Game]) -> None:
    """Load the compiled searches of games before any clock runs."""
    for game in games:
        Thinker(game, table_mb=1, notice=tell)
        _loaded.add(game)


def tell(sentence: str) -> None:
    """Compiling for the first time takes seconds: whoever waits is to know why."""
    print(sentence, file=sys.stderr, flush=True)


def past_of(game: Game, state: State, budget: Budget) -> tuple[State, ...]:
    """The states before this one, in games that are drawn by repetition: whoever forgets them goes in circles."""
    if game.spec.repetition is None:
        return ()
    *past, last = Replay.of(game, budget.history).states
    return tuple(past) if last == state else ()


def note_of(game: Game, state: State, report: Report) -> Note:
    line = []
    for move in report.line[:SHOWN]:
        line.append(game.format(state, move))
        state = game.after(state, move)
    return Note(report.value, report.proved, report.depth, report.nodes, report.seconds, line=tuple(line))
