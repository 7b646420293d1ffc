"""The strong bot: the engine's search with as much time as the clock allows, or weaker by levels."""

from __future__ import annotations

import threading
from random import Random

from client.bot import Bot, Budget, Thought
from client.bots.levels import LEVELS, PLAIN_NODES
from client.note import Note
from engine.game import Game, Move, Outcome, Side, State
from engine.search import Limits, Report, Thinker

TABLE_MB = 48
SHOWN = 12  # moves of the line in a note


class Mind:
    """A compiled search as soon as it is loaded, which may take seconds; a plain one until then."""

    def __init__(self, game: Game, compiled: bool | None) -> None:
        self.game = game
        self._plain = Thinker(game, compiled=False)
        self._better: Thinker | None = None
        self._loaded = threading.Event()
        if compiled is False:
            self._loaded.set()
        else:
            threading.Thread(target=self._load, daemon=True).start()

    def _load(self) -> None:
        try:
            self._better = Thinker(self.game, table_mb=TABLE_MB)
        finally:
            self._loaded.set()

    def thinker(self, patience: float) -> Thinker:
        self._loaded.wait(patience)
        return self._better or self._plain


class SearchBot(Bot):
    def __init__(self, rng: Random, seconds: float | None = None, level: int = 10) -> None:
        self._rng, self._seconds, self._level = rng, seconds, LEVELS[level]
        self._mind: Mind | None = None

    def started(self, game: Game, side: Side, opponent: str) -> None:
        self._get(game)

    def _get(self, game: Game) -> Mind:
        if self._mind is None or self._mind.game is not game:
            few = self._level.nodes is not None and self._level.nodes <= PLAIN_NODES
            self._mind = Mind(game, False if few else None)
        return self._mind

    def choose(self, game: Game, state: State, budget: Budget) -> Thought | Move:
        moves = game.moves(state)
        if len(moves) == 1 or self._rng.random() < self._level.careless:
            return self._rng.choice(moves)
        seconds = budget.seconds if self._seconds is None else min(self._seconds, max(0.01, budget.remaining() - 0.05))
        thinker = self._get(game).thinker(patience=seconds / 2)
        limits = Limits(seconds=seconds, nodes=self._level.nodes)
        report = thinker.think(state, limits, cancel=budget.cancelled)
        return Thought(moves[0] if report.move is None else report.move, note_of(game, state, report))

    def ended(self, game: Game, outcome: Outcome) -> None:
        self._mind = None  # its memory is large and of no use for another game's positions


def note_of(game: Game, state: State, report: Report) -> Note:
    line = []
    for move in report.line[:SHOWN]:
        line.append(game.format(state, move))
        state = game.after(state, move)
    return Note(report.value, report.proved, report.depth, report.nodes, report.seconds, line=tuple(line))
