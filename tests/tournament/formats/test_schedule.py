"""Schedules of every format, with made-up results."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from client.tournament.formats.schedule import expected_games, progress, schedule
from client.tournament.model.plan import Sprt
from client.tournament.model.results import Pairing, Result
from tests.tournament.plans import plan, play, random_outcome, stronger_first

NAMES = "abcdefghijklmnop"


def meetings(games: tuple[Pairing, ...]) -> Counter[frozenset[str]]:
    return Counter(frozenset(game.seats) for game in games)


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout", "match"])
@pytest.mark.parametrize("count", [2, 3, 5, 6, 8, 11])
def test_every_opening_is_played_from_both_seats(format: str, count: int) -> None:
    names = NAMES[: 2 if format == "match" else count]
    known, _ = play(plan(format, *names, games=4), random_outcome(1))
    assert [game.number for game in known.games] == list(range(1, len(known.games) + 1))
    for one, other in zip(known.games[::2], known.games[1::2], strict=True):
        assert (one.opening, one.pair, one.round) == (other.opening, other.pair, other.round)
        assert one.seats == other.seats[::-1]


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout", "match"])
def test_schedule_does_not_depend_on_order_of_results(format: str) -> None:
    given = plan(format, *NAMES[: 2 if format == "match" else 7], sprt=Sprt(0, 200) if format == "match" else None)
    given = replace(given, games=min(given.games, 80))
    first = play(given, random_outcome(3))
    for seed in range(5):
        other = play(given, random_outcome(3), Random(seed))
        assert other[0] == first[0]
        assert {game.number: other[1][game.number] for game in first[0].games} == {
            game.number: first[1][game.number] for game in first[0].games
        }


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout", "match"])
@pytest.mark.parametrize("sprt", [None, Sprt(0, 200)])
def test_progress_agrees_with_the_schedule(format: str, sprt: Sprt | None) -> None:
    given = plan(format, *NAMES[: 2 if format == "match" else 5], games=4, sprt=sprt if format == "match" else None)
    _, results = play(given, random_outcome(2))
    for played in range(len(results) + 1):
        so_far = dict(list(results.items())[:played])
        known, found = schedule(given, so_far), progress(given, so_far)
        assert found.done == sum(game.number in so_far for game in known.games)
        assert (found.known, found.final) == (len(known.games), known.final)
        assert (found.expected, found.finished) == (expected_games(given, known), known.finished(so_far))
    assert found.finished


def test_progress_of_a_million_games_lists_none_of_them() -> None:
    given = plan("round-robin", "a", "b", games=1000, rounds=1000)
    tracemalloc.start()
    try:
        assert progress(given, {}) == (0, 1_000_000, 1_000_000, True)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_round_robin_pairs_all_players_once_per_cycle() -> None:
    known, _ = play(plan("round-robin", *NAMES[:5], rounds=2), stronger_first)
    assert meetings(known.games) == {frozenset(pair): 4 for pair in combinations(NAMES[:5], 2)}
    for number in range(1, 11):
        busy = Counter(name for game in known.games[::2] if game.round == number for name in game.seats)
        assert len(busy) == 4
        assert max(busy.values()) == 1


def test_gauntlet_pairs_first_player_with_all_others() -> None:
    known, _ = play(plan("gauntlet", *"abcd", rounds=3, games=4), stronger_first)
    assert meetings(known.games) == {frozenset("ab"): 12, frozenset("ac"): 12, frozenset("ad"): 12}


def test_match_stops_at_verdict_and_later_games_do_not_count() -> None:
    given = plan("match", "a", "b", sprt=Sprt(0, 100), games=400)
    known, _ = play(given, stronger_first)
    assert 10 < len(known.games) < 60
    everything = schedule(replace(given, sprt=None), {}).games
    more = {game.number: Result(stronger_first(game), "score") for game in everything}
    assert schedule(given, more).games == known.games
    assert len(play(plan("match", "a", "b", games=40), stronger_first)[0].games) == 40


@pytest.mark.parametrize("count", [4, 7, 8])
@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_expected_number_of_games_does_not_change_with_the_rounds(format: str, count: int) -> None:
    given = plan(format, *NAMES[:count], games=2)
    first = expected_games(given, schedule(given, {}))
    known, results = play(given, stronger_first)
    assert expected_games(given, known) == len(known.games) == first
    half = dict(list(results.items())[: len(results) // 2])
    assert expected_games(given, schedule(given, half)) == first
