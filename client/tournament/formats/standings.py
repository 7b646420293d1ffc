"""The table of a tournament. Pure: the same results always give the same table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from client.tournament.formats.knockout import Bracket, bracket_of
from client.tournament.formats.schedule import schedule
from client.tournament.formats.schedule_builder import Schedule
from client.tournament.model.elo import Difference, Rating, difference, ratings
from client.tournament.model.game_review import NO_REVIEWS, GameReview, Reviews
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result, Results, ThinkingTime
from client.tournament.model.sprt import SprtStatus, evaluate_sprt

WIN, DRAW, LOSS = 0, 1, 2


@dataclass(slots=True)
class Row:
    """One player. `seats`: wins, draws and losses as first and as second player. A bye is not a game.

    `choices`: the reviewed moves that had an alternative.
    """

    name: str
    points: float = 0.0
    byes: float = 0.0
    seats: tuple[list[int], list[int]] = field(default_factory=lambda: ([0, 0, 0], [0, 0, 0]))
    forfeits: Counter[str] = field(default_factory=Counter)
    used: ThinkingTime = field(default_factory=ThinkingTime)
    rating: Rating = field(default_factory=Rating)
    sonneborn_berger: float = 0.0
    choices: int = 0
    total_accuracy: float = 0.0

    @property
    def accuracy(self) -> float | None:
        """The mean accuracy of the reviewed moves in percent; every move counts the same."""
        return self.total_accuracy / self.choices if self.choices else None

    @property
    def games(self) -> int:
        return sum(self.seats[0]) + sum(self.seats[1])

    @property
    def wins(self) -> int:
        return self.seats[0][WIN] + self.seats[1][WIN]

    @property
    def draws(self) -> int:
        return self.seats[0][DRAW] + self.seats[1][DRAW]

    @property
    def losses(self) -> int:
        return self.seats[0][LOSS] + self.seats[1][LOSS]


@dataclass(frozen=True, slots=True)
class Duel:
    """Two players who have met. Points and difference are those of the first."""

    first: str
    second: str
    points: float
    games: int
    difference: Difference


@dataclass(frozen=True, slots=True)
class Forfeit:
    game: int
    loser: str
    reason: str
    evidence: str


class ReviewExtent(NamedTuple):
    """How many of the games are reviewed, and the smallest number of positions that were searched for a move."""

    reviewed: int
    games: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Standings:
    plan: Plan
    schedule: Schedule
    rows: tuple[Row, ...]  # best first
    duels: tuple[Duel, ...]
    forfeits: tuple[Forfeit, ...]
    sprt: SprtStatus | None  # the test of a match, if it has one
    finished: bool
    bracket: Bracket = ()  # of a knockout tournament
    reviews: ReviewExtent | None = None  # None if no game is reviewed

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)


def standings(plan: Plan, results: Results, reviews: Reviews = NO_REVIEWS) -> Standings:
    """Return the table of a plan, given the results so far. `reviews`: of some or all of their games."""
    known = schedule(plan, results)
    bracket = bracket_of(plan, results) if plan.format == "knockout" else ()
    out = eliminated(bracket)
    games = [game for game in known.games if game.number in results]
    rows = {name: Row(name) for name in plan.names}
    for bye in known.byes:
        rows[bye.name].points += bye.points
        rows[bye.name].byes += bye.points
    for game in games:
        for seat in (0, 1):
            add_result(rows[game.seats[seat]], seat, results[game.number])
            if game.number in reviews:
                add_accuracy(rows[game.seats[seat]], seat, reviews[game.number])
    for game in games:
        for seat, points in enumerate(results[game.number].points):
            rows[game.seats[seat]].sonneborn_berger += points * rows[game.seats[1 - seat]].points
    field_ratings = ratings(plan.names, decided_games(games, results))
    for name, row in rows.items():
        row.rating = field_ratings[name]
    return Standings(
        plan=plan,
        schedule=known,
        rows=tuple(sorted(rows.values(), key=lambda row: rank_key(plan, known, results, row, row.name in out))),
        duels=tuple(duels(plan, games, results)),
        forfeits=tuple(forfeit for game in sorted(games) for forfeit in forfeits(game, results[game.number])),
        sprt=sprt_status(plan, games, results),
        finished=known.finished(results),
        bracket=bracket,
        reviews=review_extent(games, reviews),
    )


def decided_games(games: Iterable[Pairing], results: Results) -> list[tuple[str, str, float]]:
    """Return the games with a result, as (first, second, points of the first).

    Games that neither player attended are left out.
    """
    return [(*game.seats, results[game.number].points[0]) for game in games if sum(results[game.number].points) == 1]


def add_result(row: Row, seat: int, result: Result) -> None:
    points = result.points[seat]
    row.points += points
    row.seats[seat][WIN if points == 1 else DRAW if points == 0.5 else LOSS] += 1
    if result.forfeited[seat]:
        row.forfeits[result.forfeit] += 1
    used, more = row.used, result.used[seat]
    row.used = ThinkingTime(used.moves + more.moves, used.total + more.total, max(used.longest, more.longest))


def add_accuracy(row: Row, seat: int, review: GameReview) -> None:
    row.choices += review.choices[seat]
    row.total_accuracy += review.choices[seat] * review.accuracy[seat]


def review_extent(games: list[Pairing], reviews: Reviews) -> ReviewExtent | None:
    known = [reviews[game.number] for game in games if game.number in reviews]
    return ReviewExtent(len(known), len(games), min(review.nodes for review in known)) if known else None


def eliminated(bracket: Bracket) -> set[str]:
    """Return the players who have lost a tie of a knockout tournament."""
    decided = [tie for ties in bracket for tie in ties if tie.winner]
    return {name for tie in decided for name in (tie.first, tie.second) if name != tie.winner}


def rank_key(plan: Plan, known: Schedule, results: Results, row: Row, is_out: bool) -> tuple[float, ...]:
    """Return the sort key of a row.

    Knockout: players who are still in the tournament, then the last round reached. Grading: points per game, because
    goals end after different numbers of games. Otherwise: points, Sonneborn-Berger score, wins. Last: the order of the
    list.
    """
    listed = plan.names.index(row.name)
    if plan.format == "grading":
        return (-row.points / max(1, row.games), listed)
    if plan.format != "knockout":
        return (-row.points, -row.sonneborn_berger, -row.wins, listed)
    games = [game for game in known.games if row.name in game.seats]
    last = max([game.round for game in games] + [bye.round for bye in known.byes if bye.name == row.name], default=0)
    final = [game for game in games if game.round == last and game.number in results]
    return (is_out, -last, -sum(results[game.number].points[game.seats.index(row.name)] for game in final), listed)


def duels(plan: Plan, games: list[Pairing], results: Results) -> list[Duel]:
    """Return the score of every player against every opponent, both ways."""
    pairs: dict[tuple[str, str], dict[int, list[float]]] = {}
    for game in games:
        if sum(results[game.number].points) < 1:
            continue
        for seat, points in enumerate(results[game.number].points):
            met = pairs.setdefault((game.seats[seat], game.seats[1 - seat]), {})
            met.setdefault(game.pair, []).append(points)
    found = []
    for first, second in sorted(pairs, key=lambda names: tuple(map(plan.names.index, names))):
        met = pairs[first, second]
        whole = [sum(points) for points in met.values() if len(points) == 2]
        total, played = sum(map(sum, met.values())), sum(map(len, met.values()))
        found.append(Duel(first, second, total, played, difference(whole)))
    return found


def forfeits(game: Pairing, result: Result) -> list[Forfeit]:
    losers = [name for name, lost in zip(game.seats, result.forfeited, strict=True) if lost]
    return [Forfeit(game.number, name, result.forfeit, result.evidence) for name in losers]


def sprt_status(plan: Plan, games: list[Pairing], results: Results) -> SprtStatus | None:
    if plan.sprt is None:
        return None
    pairs: dict[int, list[float]] = {}
    for game in games:
        pairs.setdefault(game.pair, []).append(results[game.number].points[game.seats.index(plan.names[0])])
    whole = []
    for number in range(1, len(pairs) + 1):
        if len(pairs.get(number, ())) < 2:
            break
        whole.append(sum(pairs[number]))
    return evaluate_sprt(whole, plan.sprt)
