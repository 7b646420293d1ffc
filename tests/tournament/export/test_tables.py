"""The table as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from client.tournament.export import tables
from client.tournament.formats.standings import standings
from tests.tournament.plans import plan, play, stronger_first
from tests.tournament.reviewed import reviewed_match
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


def test_accuracy_stands_beside_the_points() -> None:
    given, state = reviewed_match()
    table = standings(given, state.results, state.reviews)
    assert tables.table_cells(table)[0][2:5] == ["points", "accuracy", "games"]
    shown = f"{table.rows[0].accuracy:.1f} %"
    assert shown in tables.as_text(table).splitlines()[1]
    assert "accuracy: from 2 games, reviewed with 60 nodes per position" in tables.as_text(table)
    row = next(csv.DictReader(io.StringIO(tables.as_csv(table))))
    assert (f"{row['accuracy']} %", row["accuracy_moves"]) == (shown, str(table.rows[0].choices))
    found = tables.as_json(table)
    assert f"{found['rows'][0]['accuracy']} %" == shown
    assert found["reviews"] == {"reviewed": 2, "games": 2, "nodes": 60}
    some = standings(given, state.results, {1: state.reviews[1]})
    assert "accuracy: from 1 of 2 games" in tables.as_text(some)


def test_tables_without_reviews_have_no_accuracy() -> None:
    given, state = reviewed_match()
    table = standings(given, state.results)
    texts = (tables.as_text(table), tables.as_csv(table), str(tables.as_json(table)))
    assert not any("accuracy" in text or "review" in text for text in texts)


def test_player_without_choices_has_no_accuracy() -> None:
    given, state = reviewed_match()
    forced = {number: replace(review, choices=(0, review.choices[1])) for number, review in state.reviews.items()}
    table = standings(given, state.results, {1: forced[1]})
    name = next(game for game in table.schedule.games if game.number == 1).seats[0]
    row = table.row(name)
    assert (row.accuracy, tables.accuracy_text(row.accuracy)) == (None, "")
    assert [each["accuracy"] for each in tables.as_json(table)["rows"] if each["player"] == name] == [None]
