"""The table adds up."""

from __future__ import annotations

import csv
import io
import json

import pytest

from client.tournament.export import tables
from client.tournament.formats.standings import standings
from client.tournament.model.game_review import GameReview
from client.tournament.model.plan import Contestant, Goal
from client.tournament.model.results import Result
from tests.tournament.plans import plan, play, stronger_first
from tests.tournament.simulated import simulate


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_points_add_up(format: str) -> None:
    given = plan(format, *"abcde", opening_plies=3)
    state = simulate(given)
    known = standings(given, state.results)
    byes = sum(bye.points for bye in known.schedule.byes)
    assert sum(row.points for row in known.rows) == len(known.schedule.games) + byes
    assert sum(row.wins for row in known.rows) == sum(row.losses for row in known.rows)
    assert sum(duel.points for duel in known.duels) == len(known.schedule.games)
    rows = list(csv.DictReader(io.StringIO(tables.as_csv(known))))
    assert [row["player"] for row in rows] == [row.name for row in known.rows]
    assert json.loads(json.dumps(tables.as_json(known)))["rows"][0]["points"] == known.rows[0].points
    assert all(name in tables.as_text(known) for name in given.names)


@pytest.mark.parametrize("format", ["round-robin", "swiss", "knockout", "gauntlet"])
def test_stronger_players_rank_higher(format: str) -> None:
    given = plan(format, *"abcd", games=4)
    known, results = play(given, stronger_first)
    rows = standings(given, results).rows
    if format == "gauntlet":
        assert rows[0].name == "a"
    elif format == "round-robin":
        assert [row.name for row in rows] == list("abcd")
        assert [row.rating.elo for row in rows] == sorted((row.rating.elo for row in rows), reverse=True)
    else:
        assert (rows[0].name, rows[1].name if format == "knockout" else "b") == ("a", "b")
    assert known.finished(results)


def test_player_with_a_bye_ranks_above_losers_of_the_first_round() -> None:
    given = plan("knockout", *"fabcde", games=4)  # f and a have a bye
    first_tie = (1, 2, 3, 4)
    results = dict(zip(first_tie, (Result(result, "score") for result in ("0-1", "0-1", "1-0", "0-1")), strict=True))
    rows = standings(given, results).rows
    assert [(rows[0].name, rows[0].points), (rows[-1].name, rows[-1].points)] == [("c", 3.0), ("d", 1.0)]
    _, results = play(given, stronger_first)
    assert [row.name for row in standings(given, results).rows][:2] == ["a", "c"]


def test_grading_ranks_by_points_per_game_because_goals_end_early() -> None:
    players = (
        Contestant("greedy", bot="greedy"),
        *(Contestant(name, bot="random", student=True) for name in ("weak", "strong")),
    )
    given = plan("grading", players=players, goals=(Goal("points", "some", "greedy", 40, points=6),))
    _, results = play(given, lambda game: "1-0" if game.seats[0] != "greedy" or "weak" in game.seats else "0-1")
    rows = standings(given, results).rows
    assert [row.name for row in rows][:2] == ["strong", "weak"]
    strong, weak = (next(row for row in rows if row.name == name) for name in ("strong", "weak"))
    assert (strong.points, strong.games) == (6, 6)
    assert (weak.points, weak.games) == (6, 12)


def test_game_without_players_gives_no_points() -> None:
    given = plan("round-robin", "a", "b")
    nothing = Result("*", "absent", forfeit="absent")
    known = standings(given, {1: nothing, 2: nothing})
    assert [(row.points, row.losses, dict(row.forfeits)) for row in known.rows] == [(0, 2, {"absent": 2})] * 2
    assert (known.duels, known.row("a").rating.elo) == ((), 0)
    assert len(known.forfeits) == 4


def test_accuracy_is_the_mean_of_all_moves_with_a_choice() -> None:
    given = plan("match", "ann", "ben", games=2)
    schedule, results = play(given, stronger_first)

    def review(choices: tuple[int, int], accuracy: tuple[float, float]) -> GameReview:
        return GameReview("", 100, 1.0, choices, accuracy, ())

    reviews = {1: review((30, 10), (90.0, 40.0)), 2: review((20, 10), (80.0, 50.0))}
    assert [game.seats for game in schedule.games] == [("ann", "ben"), ("ben", "ann")]
    table = standings(given, results, reviews)
    assert table.row("ann").accuracy == (30 * 90 + 10 * 50) / 40
    assert table.row("ben").accuracy == (10 * 40 + 20 * 80) / 30
    assert table.row("ann").choices == 40
    assert table.reviews == (2, 2, 100)
    assert standings(given, results).reviews is None
