"""The ratings of a ladder: the ones that make all results most likely, with the anchors fixed. Pure.

A version does not change, so its games count the same however old they are (Bradley and Terry's model, with a draw as
half a win). One extra draw against an average opponent keeps the rating of a version finite that wins or loses all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from client.ladder.state import LadderSettings, LadderState, Tally, Version
from client.tournament.model.elo import (
    ELO_SCALE,
    Rating,
    Tallies,
    anchored_errors,
    maximize_likelihood,
)
from protocol.types import LadderState as RowState
from protocol.usernames import fold

AVERAGE_ELO = 1500.0  # of a ladder without anchors
FIT_TOLERANCE = 1e-6  # of a strength: less than a thousandth of an Elo


class Row(NamedTuple):
    """A line of the table."""

    player: Version
    rating: Rating
    tally: Tally
    state: RowState


def centre_of(settings: LadderSettings) -> float:
    """Return the rating of the average opponent."""
    return sum(settings.anchors.values()) / len(settings.anchors) if settings.anchors else AVERAGE_ELO


def fit(
    settings: LadderSettings,
    state: LadderState,
    known: Mapping[Version, float] | None = None,
    tolerance: float = FIT_TOLERANCE,
) -> dict[Version, float]:
    """Return the rating of every version. `known`: earlier ratings, from which the search begins."""
    players, tallies = tally_scores(state)
    centre = centre_of(settings)
    fixed = {at: (elo - centre) * ELO_SCALE for at, elo in anchors_of(settings, players).items()}
    begin = [((known or {}).get(player, centre) - centre) * ELO_SCALE for player in players]
    strength = maximize_likelihood(tallies, fixed, begin, tolerance)
    return {player: centre + value / ELO_SCALE for player, value in zip(players, strength, strict=True)}


def table(
    settings: LadderSettings,
    state: LadderState,
    here: set[Version] | None = None,
    known: Mapping[Version, float] | None = None,
) -> list[Row]:
    """Return the versions that have a result, the best one first. `here`: the connected ones; None if not known."""
    players, tallies = tally_scores(state)
    elo = fit(settings, state, known)
    centre = centre_of(settings)
    strength = [(elo[player] - centre) * ELO_SCALE for player in players]
    errors = anchored_errors(strength, tallies, set(anchors_of(settings, players)))
    rows = [
        Row(player, Rating(elo[player], error), state.tallies[player], row_state(settings, state, player, here))
        for player, error in zip(players, errors, strict=True)
        if state.tallies[player].games
    ]
    return sorted(rows, key=lambda row: (-row.rating.elo, -row.tally.games, row.player))


def row_state(settings: LadderSettings, state: LadderState, player: Version, here: set[Version] | None) -> RowState:
    if state.is_retired(player):
        return "retired"
    if settings.is_anchor(player.name):
        return "anchor"
    return "" if here is None or player in here else "away"


def anchors_of(settings: LadderSettings, players: list[Version]) -> dict[int, float]:
    """Return the fixed rating of each anchor, by its place in a list."""
    named = {at: settings.anchors.get(fold(player.name)) for at, player in enumerate(players)}
    return {at: elo for at, elo in named.items() if elo is not None}


def tally_scores(state: LadderState) -> tuple[list[Version], Tallies]:
    """Return the versions, and for each its points and games against each other one."""
    players = list(state.tallies)
    index = {player: at for at, player in enumerate(players)}
    tallies: Tallies = [{} for _ in players]
    for (first, second), (points, games) in state.scores.items():
        for own, other, worth in ((first, second, points), (second, first, games - points)):
            tally = tallies[index[own]].setdefault(index[other], [0.0, 0.0])
            tally[0] += worth
            tally[1] += games
    return players, tallies
