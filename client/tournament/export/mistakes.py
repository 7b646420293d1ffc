"""The mistakes in reviewed games: whose they are, what they lost in words, and the better line. Pure.

Everything follows from the values of a review and the record of its game, so a review cannot bring texts of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from client.tournament.formats.standings import Standings
from client.tournament.journal.replay import TournamentState
from client.tournament.journal.review_log import REVIEWS_FILE
from client.tournament.model.errors import TournamentError
from client.tournament.model.game_review import GameReview, Mistake
from client.tournament.model.results import Pairing, Result
from engine.errors import GameError
from engine.game import Game, State
from engine.record import Record, parse, play_through
from engine.review import MARKS, Judgement, Value
from engine.review.judgement import RESULTS, cost, explain, judge, sign

WORST = 3  # mistakes of a player


@dataclass(frozen=True, slots=True)
class FoundMistake:
    """A mistake in a game. `cost`: the part of the winning chances that it lost. `words`: what it lost."""

    game: int
    player: str
    opponent: str
    side: int
    ply: int
    move: str
    line: tuple[str, ...]
    judgement: Judgement
    words: str
    certainty: str
    proved: bool
    depth: int
    cost: float
    loss: float

    @property
    def mark(self) -> str:
        return MARKS[self.judgement]

    @property
    def sentence(self) -> str:
        """The judgement, what was lost, and how that is known."""
        return f"{self.judgement}: {self.words} ({self.certainty})"

    def to_json(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "game": self.game,
            "opponent": self.opponent,
            "ply": self.ply,
            "side": self.side,
            "move": self.move,
            "judgement": self.judgement,
            "words": self.words,
            "proved": self.proved,
            "depth": self.depth or None,
            "cost": round(self.cost, 3),
            "better": list(self.line),
        }


def worst_mistakes(table: Standings, state: TournamentState, count: int = WORST) -> dict[str, list[FoundMistake]]:
    """Return the worst mistakes of each player who made one, in the order of the table, the worst first.

    Raises TournamentError if a review does not fit its game.
    """
    found: dict[str, list[FoundMistake]] = {row.name: [] for row in table.rows}
    for game in table.schedule.games:
        if game.number in state.reviews and game.number in state.results:
            for mistake in checked_mistakes(game, state.results[game.number], state.reviews[game.number]):
                found[mistake.player].append(mistake)
    worst = {name: sorted(mistakes, key=badness)[:count] for name, mistakes in found.items()}
    return {name: mistakes for name, mistakes in worst.items() if mistakes}


def badness(mistake: FoundMistake) -> tuple[float, float, int, int]:
    """Return the sort key: winning chances lost, then points, then the order in which they were made."""
    return -mistake.cost, -mistake.loss, mistake.game, mistake.ply


def checked_mistakes(game: Pairing, result: Result, review: GameReview) -> list[FoundMistake]:
    """Return the mistakes of a game. Raises TournamentError if the review does not fit the game."""
    try:
        return game_mistakes(game, parse(result.record), review)
    except (GameError, ValueError) as error:
        raise TournamentError(f"{REVIEWS_FILE}: the review of game {game.number} is wrong: {error}") from None


def game_mistakes(game: Pairing, record: Record, review: GameReview) -> list[FoundMistake]:
    """Return the mistakes of a game. Raises ValueError or GameError if one does not fit the record."""
    if not review.mistakes:
        return []
    through = play_through(record)
    plies = [mistake.ply for mistake in review.mistakes]
    if plies != sorted(set(plies)) or plies[-1] >= len(through.states):
        raise ValueError("a ply is not one of the game")
    return [
        found_mistake(game, through.game, through.states[one.ply - 1], record.moves[one.ply - 1].move, one)
        for one in review.mistakes
    ]


def found_mistake(game: Pairing, rules: Game, state: State, move: str, mistake: Mistake) -> FoundMistake:
    best = Value(mistake.value, mistake.value_proved)
    played = Value(mistake.played, mistake.played_proved)
    check_line(rules, state, mistake.line)
    lost = cost(rules, best, played)
    judgement = judge(rules, best, played, is_best=False, only=False)
    if not MARKS[judgement]:
        raise ValueError(f"ply {mistake.ply} loses too little for a mistake")
    return FoundMistake(
        game=game.number,
        player=game.seats[state.turn],
        opponent=game.seats[1 - state.turn],
        side=state.turn,
        ply=mistake.ply,
        move=move,
        line=mistake.line,
        judgement=judgement,
        words=explain(rules, best, played) or f"loses about {round(100 * lost)} % of the winning chances",
        certainty=certainty(mistake),
        proved=mistake.value_proved and mistake.played_proved,
        depth=mistake.depth,
        cost=lost,
        loss=mistake.value - mistake.played,
    )


def check_line(rules: Game, state: State, line: Sequence[str]) -> None:
    """Raise GameError if a line cannot be played."""
    for text in line:
        move = rules.parse(state, text)
        if rules.format(state, move) != text:
            raise ValueError("a move is not written as the game writes it")
        state = rules.after(state, move)


def certainty(mistake: Mistake) -> str:
    """Return what is proved and what is an estimate."""
    before, after = (RESULTS[sign(value) + 1] for value in (mistake.value, mistake.played))
    if mistake.value_proved and mistake.played_proved:
        return "proved"
    if mistake.value_proved:
        return f"a {before} was proved before the move"
    known = f"; a {after} is proved after the move" if mistake.played_proved else ""
    return f"estimate at depth {mistake.depth}{known}"


def mistake_lines(found: dict[str, list[FoundMistake]]) -> list[str]:
    """Return the mistakes as text: a line for each player, and two for each mistake."""
    lines = []
    for player, mistakes in found.items():
        lines.append(player)
        for one in mistakes:
            lines.append(f"  game {one.game}, move {one.ply} against {one.opponent}: {one.move}, {one.sentence}")
            lines.append(f"    better: {' '.join(one.line)}")
    return lines
