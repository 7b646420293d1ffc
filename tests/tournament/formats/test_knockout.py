"""Brackets, byes and level ties of a knockout."""

from __future__ import annotations

from client.tournament.formats.knockout import BracketTie, bracket_of
from tests.tournament.plans import plan, play, stronger_first


def test_knockout_gives_byes_to_first_players() -> None:
    known, results = play(plan("knockout", *"abcdef"), stronger_first)
    assert [(bye.round, bye.name) for bye in known.byes] == [(1, "a"), (1, "b")]
    assert [game.seats for game in known.games if game.round == 1][::2] == [("d", "e"), ("c", "f")]
    assert [game.seats for game in known.games if game.round == 3] == [("a", "b"), ("b", "a")]
    assert len(results) == 10


def test_level_knockout_tie_is_extended_then_won_by_higher_seed() -> None:
    known, _ = play(plan("knockout", *"ab", extra=3), lambda game: "1/2-1/2")
    assert len(known.games) == 8
    late = play(plan("knockout", *"abcd", extra=3), lambda game: "1/2-1/2" if game.number < 7 else stronger_first(game))
    assert next(game.seats for game in late[0].games if game.round == 2) == ("a", "b")


def test_bracket_shows_all_rounds_from_the_start() -> None:
    first, later, final = bracket_of(plan("knockout", *"abcdef"), {})
    assert first[0] == BracketTie("a", "", winner="a", is_bye=True)
    assert first[1] == BracketTie("d", "e", left=2)
    assert later == (BracketTie("a", ""), BracketTie("b", ""))
    assert final == (BracketTie("", ""),)


def test_bracket_follows_the_results() -> None:
    given = plan("knockout", *"abcd", extra=1)
    _, results = play(given, stronger_first)
    (one, _), (final,) = bracket_of(given, results)
    assert one == BracketTie("a", "d", (2.0, 0.0), 0, "a")
    assert final.winner == "a"
    some = {number: results[number] for number in (1, 3, 4)}
    (one, other), (final,) = bracket_of(given, some)
    assert one == BracketTie("a", "d", (1.0, 0.0), 1)
    assert other.winner == "b", "the round is not over, but this tie is"
    assert final == BracketTie("", "b")
    _, results = play(given, lambda game: "1/2-1/2")
    for ties in bracket_of(given, results):
        for tie in ties:
            assert (tie.winner, tie.points, tie.was_level) == (tie.first, (2.0, 2.0), True)
    open_tie = bracket_of(given, {number: results[number] for number in (1, 2)})[0][0]
    assert (open_tie.winner, open_tie.was_level) == ("", False), "level ties get extra games when all have been played"
