"""Which games are rated, and what they do to ratings. Pure; the numbers are in server/domain/glicko2.py.

Ratings belong to a *profile*: a game with the options that change it. `start` is not among them: a rated game begins at
the usual position.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.registry import GAMES
from protocol.events import Ended
from protocol.types import Leader, Options, Player, RatedGame, RatingChange, TimeControl
from server.domain import creation
from server.domain.decision import Decision
from server.domain.glicko2 import PERIOD_MS, PROVISIONAL_DEVIATION, Rating, after_games, after_rest
from server.domain.room import Room, apply

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


class RatingRow(NamedTuple):
    """A player's rating after a game.

    The key (profile, player, games) is unique: the second of two games that end at once is rated again.
    """

    profile: str
    player: str
    games: int  # rated games so far
    rating: float
    deviation: float
    volatility: float
    at: int
    room: str


Rows = dict[str, RatingRow]


def profile(game: str, options: Options) -> str:
    """`conga`, or `mancala pits=4 rules=standard`: what is not as usual, in the game's own order."""
    usual = {option.name: option.default for option in GAMES[game].options}
    unusual = [
        f"{name}={options.get(name, value)}" for name, value in usual.items() if options.get(name, value) != value
    ]
    return " ".join([game, *unusual])


def resolve_profile(game: str, options: Options) -> str:
    """What somebody asks for; Refusal if there can be no such thing."""
    wanted = {name: value for name, value in options.items() if name != "start"}
    return profile(game, creation.resolve_options(game, wanted, TimeControl()))


def is_rated_end(before: Room, decision: Decision) -> bool:
    """Whether a rated game ends here, with a result, between two who have accounts."""
    room = decision.room
    end = room.ended
    if not room.setup.rated or end is None or before.ended is not None or end.result not in POINTS:
        return False
    first, second = room.seats
    return first is not None and second is not None and first.account and second.account


def current_rating(row: RatingRow | None, now: int) -> Rating:
    """What somebody's rating is now: the longer since the last game, the less certain."""
    if row is None:
        return Rating()
    return after_rest(Rating(row.rating, row.deviation, row.volatility), (now - row.at) / PERIOD_MS)


def is_provisional(rating: Rating) -> bool:
    return rating.deviation > PROVISIONAL_DEVIATION


def with_rating(player: Player, row: RatingRow | None, now: int) -> Player:
    """Somebody with the rating that others see beside the name; none before the first rated game."""
    if row is None:
        return player
    uncertain = is_provisional(current_rating(row, now))
    return Player(
        id=player.id, name=player.name, account=player.account, rating=round(row.rating), provisional=uncertain
    )


def rate_game(decision: Decision, known: Rows) -> tuple[Decision, tuple[RatingRow, RatingRow]]:
    """The end of a rated game with what it does to the ratings of both, and the rows to be stored."""
    room, end = decision.room, decision.events[-1]
    first, second = room.seats
    assert isinstance(end, Ended)
    assert first is not None
    assert second is not None
    rows = known.get(first.player), known.get(second.player)
    before = current_rating(rows[0], end.at), current_rating(rows[1], end.at)
    points = POINTS[end.result]
    after = after_games(before[0], [(before[1], points)]), after_games(before[1], [(before[0], 1 - points)])
    name = profile(room.setup.game, room.setup.options)

    def stored(seat: int, player: str) -> RatingRow:
        row = rows[seat]
        return RatingRow(name, player, 1 if row is None else row.games + 1, *after[seat], end.at, room.id)

    told = Ended(
        room=end.room,
        seq=end.seq,
        at=end.at,
        result=end.result,
        reason=end.reason,
        winner=end.winner,
        scores=end.scores,
        ratings=(rating_change(before[0], after[0]), rating_change(before[1], after[1])),
    )
    settled = Decision((*decision.events[:-1], told), apply(room, told))
    return settled, (stored(0, first.player), stored(1, second.player))


def rating_change(before: Rating, after: Rating) -> RatingChange:
    return RatingChange(
        before=round(before.rating),
        after=round(after.rating),
        deviation=round(after.deviation),
        provisional=is_provisional(after),
    )


def leaderboard_entry(name: str, row: RatingRow, now: int) -> Leader:
    today = current_rating(row, now)
    return Leader(
        name=name,
        rating=round(row.rating),
        deviation=round(today.deviation),
        games=row.games,
        at=row.at,
        provisional=is_provisional(today),
    )


def rated_game(row: RatingRow) -> RatedGame:
    return RatedGame(
        room=row.room, rating=round(row.rating), deviation=round(row.deviation), games=row.games, at=row.at
    )
