"""A ladder in memory: bots of known strength, and no server."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from client.ladder.pairing import Contender, Pairer
from client.ladder.state import (
    LadderResult,
    LadderSettings,
    LadderState,
    Version,
    apply_entry,
    dropped_entry,
    ended_entry,
    paired_entry,
)
from client.tournament.model.elo import expected_score
from protocol.usernames import fold

DRAW_SHARE = 0.1


def ladder(**more: object) -> LadderSettings:
    given = {"name": "night", "game": "conga", "options": {}, "clock": "60s+1", "opening_plies": 4, **more}
    return LadderSettings(**given)  # type: ignore[arg-type]


def with_anchors(anchors: Mapping[str, float]) -> LadderSettings:
    return ladder(anchors={fold(name): elo for name, elo in anchors.items()})


def play_night(
    settings: LadderSettings,
    strengths: Mapping[Version, float],
    games: int,
    state: LadderState | None = None,
    at_once: int = 8,
    seed: int = 7,
) -> LadderState:
    """Play games whose results follow the strengths. Up to `at_once` games run, and end in random order."""
    state, pairer, rng = state or LadderState(settings), Pairer(settings), Random(seed)
    contenders = [Contender(player, 2) for player in strengths]
    for number in range(games):
        while len(state.open) < at_once:
            busy = [player for game in state.open.values() for player in game.players]
            free = [Contender(player, places - busy.count(player)) for player, places in contenders]
            game = pairer.choose(state, free, float(number))
            if game is None:
                break
            pairer.paired(game)
            apply_entry(state, paired_entry(game))
        ended = rng.choice(list(state.open.values()))
        first, second = ended.players
        wins = expected_score(strengths[first] - strengths[second])
        drawn = rng.random() < DRAW_SHARE
        result = "1/2-1/2" if drawn else "1-0" if rng.random() < wins else "0-1"
        apply_entry(state, ended_entry(ended.number, LadderResult(result, "line", f"r{ended.number}")))
    for left in list(state.open):
        apply_entry(state, dropped_entry(left, "the night is over"))
    return state
