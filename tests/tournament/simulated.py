"""Tournaments played in memory, with real records and without a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from client.tournament.formats.openings import opening
from client.tournament.formats.schedule import schedule
from client.tournament.journal.replay import TournamentState
from client.tournament.model.chosen_opening import ChosenOpening
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result
from client.tournament.play.outcome import time_used
from engine.record import Played, Record, write
from engine.replay import ending


def played(plan: Plan, game: Pairing, note: str = "", openings: Sequence[ChosenOpening] = ()) -> Result:
    """Return the result of a random game. It is the same every time."""
    rules, rng = plan.create(opening(plan, game.opening, openings)), Random(f"{plan.seed} {game.number}")
    states, moves = [rules.start()], []
    while (outcome := ending(rules, states)) is None:
        move = rng.choice(rules.moves(states[-1]))
        moves.append(Played(rules.format(states[-1], move), took=rng.randrange(50), note=note))
        states.append(rules.after(states[-1], move))
    record = Record(
        plan.game, rules.spec.options, game.seats, "", "2026-11-16T12:00:00Z", outcome.result, outcome.reason,
        moves=tuple(moves),
    )  # fmt: skip
    return Result(outcome.result, outcome.reason, f"r{game.number}", used=time_used(record), record=write(record))


def simulate(plan: Plan, note: str = "", openings: Sequence[ChosenOpening] = ()) -> TournamentState:
    state = TournamentState(plan_digest="x", versions=[{"parlour": "test"}], openings=list(openings))
    while not (known := schedule(plan, state.results)).finished(state.results):
        for game in known.games:
            if game.number not in state.results:
                state.results[game.number] = played(plan, game, note, openings)
    return state


def lost_on_time(result: Result) -> Result:
    """Return the same game as if the first player had lost on time."""
    from engine.record import parse

    record = parse(result.record)
    record = replace(record, moves=record.moves[:4], result="0-1", reason="time")
    return replace(result, result="0-1", reason="time", forfeit="time", used=time_used(record), record=write(record))
