"""The table as text, CSV and JSON."""

from __future__ import annotations

from dataclasses import replace

from client.tournament.export import tables
from client.tournament.formats.standings import standings
from tests.tournament.plans import plan, play, stronger_first
from tests.tournament.simulated import lost_on_time, simulate


def test_forfeits_are_listed_with_evidence() -> None:
    given = plan("round-robin", "a", "b")
    state = simulate(given)
    state.results[1] = replace(lost_on_time(state.results[1]), evidence="forensics/a/x")
    text = tables.as_text(standings(given, state.results))
    assert "game 1: a, time, see forensics/a/x" in text
    assert "1 time" in text


BRACKET = """
quarter-finals   semi-finals   final   winner
ann
                 ann
bye
                               ?
dora  1
                 ?
eve   0
                                       ?
ben
                 ben
bye
                               ?
cy    2
                 cy
fay   0

dora against eve: 1 to 0, 1 game to play
"""


def test_knockout_has_a_bracket() -> None:
    given = plan("knockout", "ann", "ben", "cy", "dora", "eve", "fay")
    _, results = play(given, stronger_first)
    known = {number: result for number, result in results.items() if number in (1, 3, 4)}
    assert BRACKET in tables.as_text(standings(given, known))
    assert "quarter-finals" not in tables.as_text(standings(given, known), with_bracket=False)
    assert tables.as_text(standings(given, results)).count("ann") > 5
    assert tables.bracket_json(standings(given, known).bracket)[0][1]["left"] == 1


def test_large_bracket_is_left_out() -> None:
    names = [f"p{number}" for number in range(70)]
    given = plan("knockout", *names)
    assert "winner" not in tables.as_text(standings(given, {}))
