"""The table as text, CSV and JSON."""

from __future__ import annotations

from dataclasses import replace

from client.tournament.export import tables
from client.tournament.formats.standings import standings
from tests.tournament.plans import plan
from tests.tournament.simulated import lost_on_time, simulate


def test_forfeits_are_listed_with_evidence() -> None:
    given = plan("round-robin", "a", "b")
    state = simulate(given)
    state.results[1] = replace(lost_on_time(state.results[1]), evidence="forensics/a/x")
    text = tables.as_text(standings(given, state.results))
    assert "game 1: a, time, see forensics/a/x" in text
    assert "1 time" in text
