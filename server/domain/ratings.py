"""Ratings: which games count, and how they change the ratings of both players. Pure.

A rating belongs to a *profile*: a game with its options, except `start`, which an arbiter's openings change.
The formulas are in server/domain/glicko2.py.
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

    The key (profile, player, games) is unique. If two games of a player end at once, the store rejects the row of the
    second one, and it is rated again.
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
    """Return the profile of a game, such as `conga` or `mancala pits=4 rules=standard`.

    It lists the options that differ from their defaults, in the order of the game.
    """
    defaults = {option.name: option.default for option in GAMES[game].options if option.name != "start"}
    changed = [
        f"{name}={options.get(name, value)}" for name, value in defaults.items() if options.get(name, value) != value
    ]
    return " ".join([game, *changed])


def resolve_profile(game: str, options: Options) -> str:
    """Return the profile that a client asks for. Raises Refusal if the game or its options are invalid."""
    wanted = {name: value for name, value in options.items() if name != "start"}
    return profile(game, creation.resolve_options(game, wanted, TimeControl()))


def is_rated_end(before: Room, decision: Decision) -> bool:
    """Return whether a decision ends a rated game with a result, between two players with accounts."""
    room = decision.room
    end = room.ended
    if not room.setup.rated or end is None or before.ended is not None or end.result not in POINTS:
        return False
    first, second = room.seats
    return first is not None and second is not None and first.account and second.account


def current_rating(row: RatingRow | None, now: int) -> Rating:
    """Return the rating of a player now. The deviation grows with the time since the last game."""
    if row is None:
        return Rating()
    return after_rest(Rating(row.rating, row.deviation, row.volatility), (now - row.at) / PERIOD_MS)


def is_provisional(rating: Rating) -> bool:
    return rating.deviation > PROVISIONAL_DEVIATION


def with_rating(player: Player, row: RatingRow | None, now: int) -> Player:
    """Return the player with the rating that clients show. It is None before the first rated game."""
    if row is None:
        return player
    provisional = is_provisional(current_rating(row, now))
    return Player(
        id=player.id,
        name=player.name,
        account=player.account,
        rating=round(row.rating),
        provisional=provisional,
        bot=player.bot,
        engine=player.engine,
        version=player.version,
    )


def rate_game(decision: Decision, known: Rows) -> tuple[Decision, tuple[RatingRow, RatingRow]]:
    """Return the end of a rated game with the rating changes of both players, and the rows to store.

    `known` has the last row of each player, by player id.
    """
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

    def row_after(seat: int, player: str) -> RatingRow:
        row = rows[seat]
        return RatingRow(name, player, 1 if row is None else row.games + 1, *after[seat], end.at, room.id)

    rated_end = Ended(
        room=end.room,
        seq=end.seq,
        at=end.at,
        result=end.result,
        reason=end.reason,
        winner=end.winner,
        scores=end.scores,
        ratings=(rating_change(before[0], after[0]), rating_change(before[1], after[1])),
        decisive=end.decisive,
    )
    rated = Decision((*decision.events[:-1], rated_end), apply(room, rated_end))
    return rated, (row_after(0, first.player), row_after(1, second.player))


def rating_change(before: Rating, after: Rating) -> RatingChange:
    return RatingChange(
        before=round(before.rating),
        after=round(after.rating),
        deviation=round(after.deviation),
        provisional=is_provisional(after),
    )


def leaderboard_entry(name: str, row: RatingRow, now: int) -> Leader:
    """Return the entry of a player in the leaderboard, with the deviation of today."""
    rating = current_rating(row, now)
    return Leader(
        name=name,
        rating=round(row.rating),
        deviation=round(rating.deviation),
        games=row.games,
        at=row.at,
        provisional=is_provisional(rating),
    )


def rated_game(row: RatingRow) -> RatedGame:
    return RatedGame(
        room=row.room, rating=round(row.rating), deviation=round(row.deviation), games=row.games, at=row.at
    )
