"""Pairings of a Swiss tournament."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from client.tournament.model.results import Pairing
from tests.tournament.plans import plan, play, random_outcome, stronger_first

NAMES = "abcdefghijklmnop"


def meetings(games: tuple[Pairing, ...]) -> Counter[frozenset[str]]:
    return Counter(frozenset(game.seats) for game in games)


@given(st.integers(2, 9), st.integers(1, 8), st.integers(0, 10**6))
@settings(max_examples=60)
def test_swiss_avoids_repeats_while_possible(count: int, rounds: int, seed: int) -> None:
    names = NAMES[:count]
    known, _ = play(plan("swiss", *names, rounds=rounds, seed=seed), random_outcome(seed))
    before: set[frozenset[str]] = set()
    for number in range(1, rounds + 1):
        pairs = [frozenset(game.seats) for game in known.games[::2] if game.round == number]
        idle = [bye.name for bye in known.byes if bye.round == number]
        assert sorted([*(name for pair in pairs for name in pair), *idle]) == sorted(names)
        if before & set(pairs):
            assert not round_without_repeats_exists(names, before)
        before |= set(pairs)
    byes = Counter(bye.name for bye in known.byes)
    assert rounds > count or max(byes.values(), default=0) <= 1 or before


def round_without_repeats_exists(names: str, before: set[frozenset[str]]) -> bool:
    """Return whether a round without repeats exists, by trying all pairings."""
    if len(names) < 2:
        return True
    if len(names) % 2:
        return any(round_without_repeats_exists(names.replace(name, ""), before) for name in names)
    return any(
        frozenset((names[0], other)) not in before
        and round_without_repeats_exists(names[1:].replace(other, ""), before)
        for other in names[1:]
    )


def test_swiss_pairs_equal_scores_and_counts_bye_as_win() -> None:
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


def test_large_swiss_is_paired_without_repeats() -> None:
    names = [f"p{number:03}" for number in range(151)]
    known, _ = play(plan("swiss", *names, rounds=4), stronger_first)
    assert max(meetings(known.games).values()) == 2
