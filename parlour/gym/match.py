"""One game as both environments play it: its states, and how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from engine.game import Game, Move, Outcome, Side, State
from engine.registry import create

RENDER_MODES = ["ansi", "human"]


class Match:
    """A game that is played. Positions that repeat and the ply limit end it, as on a server."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.state = game.start()
        self.past: list[State] = []
        self._seen = Counter([self.state])
        self.outcome: Outcome | None = game.judge(self.state, 0, 1)

    def play(self, move: Move) -> None:
        """Play a legal move."""
        self.past.append(self.state)
        self.state = self.game.after(self.state, move)
        self._seen[self.state] += 1
        self.outcome = self.game.judge(self.state, len(self.past), self._seen[self.state])

    def reward(self, side: Side) -> float:
        """Return 1 for a win, -1 for a loss, 0 for a draw or a game that is not over."""
        if self.outcome is None or self.outcome.winner is None:
            return 0.0
        return 1.0 if self.outcome.winner == side else -1.0

    def text(self) -> str:
        """Return the drawn board, and the side to move or the result."""
        game = self.game
        last = f"{game.sides[self.state.turn]} to move" if self.outcome is None else self.outcome.result
        return f"{game.draw(self.state).text()}\n{last}"


def new_match(game: Game, options: Mapping[str, object] | None) -> Match:
    """Return a match of a game from its start, or from the position `start` of the options of a reset."""
    start = (options or {}).get("start")
    return Match(create(game.name, {**game.spec.options, "start": start}) if start else game)
