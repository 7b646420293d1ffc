"""Which two bots play next. Pure.

A return game comes first: both players play each opening from both seats. Otherwise the game is chosen that says
most about the ratings of its players: both are uncertain, as they have played little, and their ratings are near.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from client.ladder.ratings import centre_of, fit
from client.ladder.state import LadderGame, LadderSettings, LadderState, Version, meeting
from client.tournament.model.elo import expected_score
from protocol.types import BotInfo
from protocol.usernames import fold

REFIT_SHARE = 20  # ratings are computed again when there are 1/20 more games
REFIT_TOLERANCE = 1e-3  # less than an Elo
HOUSE_RESERVED_PART = 4
PRIOR_INFORMATION = 0.25  # of the extra draw
MAX_WORTH = 0.25  # of a game between equal players


class Contender(NamedTuple):
    """A connected version, and how many more games it may play now."""

    player: Version
    places: int


def free_places(bot: BotInfo, ladder_games: int, other_games: int, reserved: int) -> int:
    """Return how many more games of the ladder a bot may play. `reserved`: places that stay free for people.

    A bot that does not say how many games it plays at a time plays one. The server keeps a quarter of the places of a
    house bot for other players than the one who has most.
    """
    places = max(1, bot.concurrent)
    kept = max(reserved, places // HOUSE_RESERVED_PART) if bot.house else reserved
    return max(0, places - kept - ladder_games - other_games)


class Pairer:
    """Chooses games. Ratings and their information are computed again now and then, and updated in between."""

    def __init__(self, settings: LadderSettings) -> None:
        self._settings, self._centre = settings, centre_of(settings)
        self._elo: dict[Version, float] = {}
        self._information: dict[Version, float] = {}
        self._fitted_games = -1

    def choose(self, state: LadderState, contenders: Sequence[Contender], now: float) -> LadderGame | None:
        """Return the next game, or None if no two contenders can play."""
        free = {contender.player: contender for contender in contenders if contender.places > 0}
        if len(free) < 2:
            return None
        number = state.games + 1
        for (_, opening), seats in state.owed.items():
            if seats[0] in free and seats[1] in free:
                return LadderGame(number, seats, opening, now)
        self._refit(state)
        found = self._best_pair(state, list(free))
        if found is None:
            return None
        first, second = found
        if self._seat_balance(state, first) > self._seat_balance(state, second):
            first, second = second, first
        players = (first, second)
        return LadderGame(number, players, state.openings[meeting(players)] + 1, now)

    def paired(self, game: LadderGame) -> None:
        """Count the information of a game that begins."""
        self._add_information(game.players, 1)

    def _best_pair(self, state: LadderState, players: list[Version]) -> tuple[Version, Version] | None:
        """Return the two players whose game is worth most, or None if no two can meet.

        A large ladder has too many pairs to try them all. So the least certain players come first, and the search ends
        when the others are too certain for a better pair.
        """
        variance = {player: self._variance(player) for player in players}
        players.sort(key=variance.__getitem__, reverse=True)
        best, best_value = None, -1.0
        for at, first in enumerate(players):
            for second in players[at + 1 :]:
                if MAX_WORTH * (variance[first] + variance[second]) <= best_value:
                    break
                value = self._value(state, first, second)
                if value > best_value and self._can_meet(first, second):
                    best, best_value = (first, second), value
        return best

    def _can_meet(self, first: Version, second: Version) -> bool:
        both_fixed = all(self._settings.is_anchor(player.name) for player in (first, second))
        return fold(first.name) != fold(second.name) and not both_fixed

    def _value(self, state: LadderState, first: Version, second: Version) -> float:
        """Return how much uncertainty a game removes. Two players who have met often are not paired again so soon."""
        gain = self._worth(first, second) * (self._variance(first) + self._variance(second))
        return gain / sqrt(1 + state.openings[meeting((first, second))])

    def _worth(self, first: Version, second: Version) -> float:
        """Return the information of a game: MAX_WORTH for equal players, less for others."""
        wins = expected_score(self._rating(first) - self._rating(second))
        return wins * (1 - wins)

    def _rating(self, player: Version) -> float:
        fixed = self._settings.anchors.get(fold(player.name))
        return self._elo.get(player, self._centre) if fixed is None else fixed

    def _variance(self, player: Version) -> float:
        if self._settings.is_anchor(player.name):
            return 0.0
        return 1 / self._information.get(player, PRIOR_INFORMATION)

    @staticmethod
    def _seat_balance(state: LadderState, player: Version) -> int:
        tally = state.tallies.get(player)
        return 0 if tally is None else tally.first - tally.second

    def _refit(self, state: LadderState) -> None:
        if 0 <= state.done - self._fitted_games <= self._fitted_games // REFIT_SHARE:
            return
        self._fitted_games = state.done
        self._elo = fit(self._settings, state, self._elo, REFIT_TOLERANCE)
        self._information = {}
        for players, (_, games) in state.scores.items():
            self._add_information(players, games)
        for game in state.open.values():
            self._add_information(game.players, 1)

    def _add_information(self, players: tuple[Version, Version], games: float) -> None:
        worth = games * self._worth(*players)
        for player in players:
            self._information[player] = self._information.get(player, PRIOR_INFORMATION) + worth
