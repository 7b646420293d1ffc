"""Brackets, byes and level ties of a knockout."""

from __future__ import annotations

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
