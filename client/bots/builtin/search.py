"""The search bot: the engine's search within the clock, or limited by a level."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from client.bots.builtin.levels import DEFAULT_TABLE_MB, LEVELS, MAX_PLAIN_NODES
from client.bots.builtin.rng import PositionRng
from client.sdk.bot import Bot, Budget, Thought
from client.sdk.note import Note
from engine.game import Game, Move, Outcome, State
from engine.replay import Replay
from engine.search import Limits, Report, Thinker
from engine.search.endgames import prepare_endgames
from runtime.printable import print_line

MIN_LEFT_TO_LOAD_S = 8.0  # time on the clock that allows loading compiled code
MARGIN_S = 0.05  # between the end of the search and the deadline
MAX_LINE_MOVES = 12  # of the expected line in a note


_loaded: set[Game] = set()  # games whose compiled search is already in memory


class SearchBot(Bot):
    """Search in compiled code, or in plain Python if the clock does not allow loading it, which may take seconds.

    Only level 10 uses several threads and endgame tables: the others are limited by positions, and repeatable.
    """

    def __init__(
        self,
        rng: PositionRng,
        seconds: float | None = None,
        level: int = 10,
        threads: int = 1,
        table_mb: float = DEFAULT_TABLE_MB,
    ) -> None:
        self._rng, self._seconds, self._level = rng, seconds, LEVELS[level]
        self._threads, self._table_mb = threads if self._level.nodes is None else 1, table_mb
        self._thinker: Thinker | None = None
        self._plain: Thinker | None = None

    def _searcher(self, game: Game, budget: Budget) -> Thinker:
        worthwhile = self._level.nodes is None or self._level.nodes > MAX_PLAIN_NODES
        time_enough = budget.left is None or budget.left >= MIN_LEFT_TO_LOAD_S
        if self._thinker is None and (game in _loaded or (worthwhile and time_enough)):
            self._thinker = Thinker(game, self._table_mb, threads=self._threads, endgames=self._level.nodes is None)
            _loaded.add(game)
        if self._thinker is None and self._plain is None:
            self._plain = Thinker(game, compiled=False)
        thinker = self._thinker or self._plain
        assert thinker is not None
        return thinker

    def choose(self, game: Game, state: State, budget: Budget) -> Thought | Move:
        moves, random = game.moves(state), self._rng.random
        self._rng.reseed(game, state, budget.ply)
        if len(moves) == 1 or random.random() < self._level.random_share:
            return random.choice(moves)
        seconds = budget.seconds if self._seconds is None else self._seconds
        thinker = self._searcher(game, budget)
        limits = Limits(seconds=max(0.005, min(seconds, budget.remaining() - MARGIN_S)), nodes=self._level.nodes)
        report = thinker.think(state, limits, cancel=budget.cancelled, past=earlier_states(game, state, budget))
        return Thought(moves[0] if report.move is None else report.move, note_of(game, state, report))

    def ended(self, game: Game, outcome: Outcome) -> None:
        self._thinker = self._plain = None  # frees their large hash tables


def warm(games: Iterable[Game], endgames: bool = False) -> None:
    """Load the compiled searches of the games, and their endgame tables if wanted, before a clock runs."""
    for game in games:
        if endgames:
            prepare_endgames(game, print_notice)
        Thinker(game, table_mb=1, notice=print_notice)
        _loaded.add(game)


def print_notice(sentence: str) -> None:
    """Tell the user why the start takes seconds: the search is compiled for the first time."""
    print_line(sentence, file=sys.stderr, flush=True)


def earlier_states(game: Game, state: State, budget: Budget) -> tuple[State, ...]:
    """Return the states before this one, which a search needs in games drawn by repetition."""
    if game.spec.repetition is None:
        return ()
    *past, last = Replay.of(game, budget.history).states
    return tuple(past) if last == state else ()


def note_of(game: Game, state: State, report: Report) -> Note:
    """Return the note of a search report."""
    line = []
    for move in report.line[:MAX_LINE_MOVES]:
        line.append(game.format(state, move))
        state = game.after(state, move)
    return Note(report.value, report.proved, report.depth, report.nodes, report.seconds, line=tuple(line))
