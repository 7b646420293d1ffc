"""Who plays whom: every format, by made-up results."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.tournament.formats.schedule import schedule
from client.tournament.model.plan import Contestant, Goal, Sprt
from client.tournament.model.results import Pairing, Result
from tests.tournament.plans import chance, plan, play, stronger_first

NAMES = "abcdefghijklmnop"


def met(games: tuple[Pairing, ...]) -> Counter[frozenset[str]]:
    return Counter(frozenset(game.seats) for game in games)


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout", "match"])
@pytest.mark.parametrize("count", [2, 3, 5, 6, 8, 11])
def test_every_opening_is_played_from_both_seats(format: str, count: int) -> None:
    names = NAMES[: 2 if format == "match" else count]
    known, _ = play(plan(format, *names, games=4), chance(1))
    assert [game.number for game in known.games] == list(range(1, len(known.games) + 1))
    for one, other in zip(known.games[::2], known.games[1::2], strict=True):
        assert (one.opening, one.pair, one.round) == (other.opening, other.pair, other.round)
        assert one.seats == other.seats[::-1]


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout", "match"])
def test_the_order_of_the_results_changes_nothing(format: str) -> None:
    given = plan(format, *NAMES[: 2 if format == "match" else 7], sprt=Sprt(0, 200) if format == "match" else None)
    given = replace(given, games=min(given.games, 80))
    first = play(given, chance(3))
    for seed in range(5):
        other = play(given, chance(3), Random(seed))
        assert other[0] == first[0]
        assert {game.number: other[1][game.number] for game in first[0].games} == {
            game.number: first[1][game.number] for game in first[0].games
        }


def test_in_a_round_robin_everybody_meets_everybody_and_nobody_twice_in_a_round() -> None:
    known, _ = play(plan("round-robin", *NAMES[:5], rounds=2), stronger_first)
    assert met(known.games) == {frozenset(pair): 4 for pair in combinations(NAMES[:5], 2)}
    for number in range(1, 11):
        busy = Counter(name for game in known.games[::2] if game.round == number for name in game.seats)
        assert len(busy) == 4
        assert max(busy.values()) == 1


def test_in_a_gauntlet_the_first_meets_all_others() -> None:
    known, _ = play(plan("gauntlet", *"abcd", rounds=3, games=4), stronger_first)
    assert met(known.games) == {frozenset("ab"): 12, frozenset("ac"): 12, frozenset("ad"): 12}


@given(st.integers(2, 9), st.integers(1, 8), st.integers(0, 10**6))
@settings(max_examples=60)
def test_in_a_swiss_nobody_meets_twice_while_possible(count: int, rounds: int, seed: int) -> None:
    names = NAMES[:count]
    known, _ = play(plan("swiss", *names, rounds=rounds, seed=seed), chance(seed))
    before: set[frozenset[str]] = set()
    for number in range(1, rounds + 1):
        pairs = [frozenset(game.seats) for game in known.games[::2] if game.round == number]
        idle = [bye.name for bye in known.byes if bye.round == number]
        assert sorted([*(name for pair in pairs for name in pair), *idle]) == sorted(names)
        if before & set(pairs):
            assert not can_be_new(names, before)
        before |= set(pairs)
    byes = Counter(bye.name for bye in known.byes)
    assert rounds > count or max(byes.values(), default=0) <= 1 or before


def can_be_new(names: str, before: set[frozenset[str]]) -> bool:
    """By trying everything: whether a round without a repetition is possible."""
    if len(names) < 2:
        return True
    if len(names) % 2:
        return any(can_be_new(names.replace(name, ""), before) for name in names)
    return any(
        frozenset((names[0], other)) not in before and can_be_new(names[1:].replace(other, ""), before)
        for other in names[1:]
    )


def test_in_a_swiss_equals_meet_and_a_bye_is_worth_a_win() -> None:
    known, _ = play(plan("swiss", *"abcde", rounds=3), stronger_first)
    score: Counter[str] = Counter()
    for bye in known.byes:
        if bye.round == 1:
            score[bye.name] += 2
    for game in known.games:
        if game.round == 1:
            score[min(game.seats)] += 1
    second = [game.seats for game in known.games[::2] if game.round == 2]
    winners = [name for name in "abcde" if score[name] == 2]
    assert len(winners) == 3
    assert any(set(seats) <= set(winners) for seats in second)
    assert len({bye.name for bye in known.byes}) == 3


def test_a_large_swiss_is_paired_at_once() -> None:
    names = [f"p{number:03}" for number in range(151)]
    known, _ = play(plan("swiss", *names, rounds=4), stronger_first)
    assert max(met(known.games).values()) == 2


def test_in_a_knockout_the_first_have_the_byes_and_the_best_wins() -> None:
    known, results = play(plan("knockout", *"abcdef"), stronger_first)
    assert [(bye.round, bye.name) for bye in known.byes] == [(1, "a"), (1, "b")]
    assert [game.seats for game in known.games if game.round == 1][::2] == [("d", "e"), ("c", "f")]
    assert [game.seats for game in known.games if game.round == 3] == [("a", "b"), ("b", "a")]
    assert len(results) == 10


def test_a_tie_of_a_knockout_goes_on_and_then_to_the_higher_placed() -> None:
    known, _ = play(plan("knockout", *"ab", extra=3), lambda game: "1/2-1/2")
    assert len(known.games) == 8
    late = play(plan("knockout", *"abcd", extra=3), lambda game: "1/2-1/2" if game.number < 7 else stronger_first(game))
    assert next(game.seats for game in late[0].games if game.round == 2) == ("a", "b")


def test_a_match_stops_with_its_test_and_what_was_played_beyond_does_not_count() -> None:
    given = plan("match", "a", "b", sprt=Sprt(0, 100), games=400)
    known, _ = play(given, stronger_first)
    assert 10 < len(known.games) < 60
    everything = schedule(replace(given, sprt=None), {}).games
    more = {game.number: Result(stronger_first(game), "score") for game in everything}
    assert schedule(given, more).games == known.games
    assert len(play(plan("match", "a", "b", games=40), stronger_first)[0].games) == 40


def test_students_get_the_same_openings_and_no_more_games_than_needed() -> None:
    players = (
        Contestant("greedy", bot="greedy"),
        *(Contestant(name, bot="random", student=True) for name in ("ann", "ben")),
    )
    goals = (Goal("beats", "beats it", "greedy", 200, Sprt(0, 100)), Goal("points", "some", "greedy", 20, points=3))
    given = plan("grading", players=players, goals=goals)
    known, _ = play(given, lambda game: "1-0" if (game.seats[0] == "ann") or game.seats[1] == "ben" else "0-1")
    ann = [game for game in known.games if "ann" in game.seats]
    ben = [game for game in known.games if "ben" in game.seats]
    openings = {game.opening for game in known.games}
    assert openings == set(range(1, len(openings) + 1))
    for games in (ann, ben):
        assert {1, 2} <= {game.opening for game in games}
    assert known.games == (*ann, *ben), "one student after the other"
    assert 0 < len(ann) < 100
