"""Which bots play next."""

from __future__ import annotations

from itertools import combinations

import pytest

from client.ladder.pairing import Contender, Pairer, free_places
from client.ladder.state import (
    LadderGame,
    LadderResult,
    LadderSettings,
    LadderState,
    Version,
    apply_entry,
    dropped_entry,
    ended_entry,
    paired_entry,
)
from protocol.types import BotInfo
from tests.client.ladder.night import ladder, play_night, with_anchors

ANN, BEN, CY, DOT = (Version(name, "1") for name in ("ann", "ben", "cy", "dot"))


def contenders(*players: Version, places: int = 1) -> list[Contender]:
    return [Contender(player, places) for player in players]


def begin(state: LadderState, game: LadderGame | None) -> LadderGame:
    assert game is not None
    apply_entry(state, paired_entry(game))
    return game


def end(state: LadderState, game: LadderGame, result: str = "1/2-1/2") -> None:
    apply_entry(state, ended_entry(game.number, LadderResult(result, "line", f"r{game.number}")))


def play_pair(state: LadderState, first: Version, second: Version, results: tuple[str, str], times: int = 1) -> None:
    """Play openings from both seats. The results are those of the first and of the return game."""
    pairer = Pairer(state.settings or ladder())
    for _ in range(times):
        for result in results:
            end(state, begin(state, pairer.choose(state, contenders(first, second), 0.0)), result)


def choice(settings: LadderSettings, state: LadderState, *players: Version) -> set[Version]:
    game = Pairer(settings).choose(state, contenders(*players), 0.0)
    assert game is not None
    return set(game.players)


def test_return_game_from_the_other_seat_comes_first() -> None:
    state, pairer = LadderState(ladder()), Pairer(ladder())
    first = begin(state, pairer.choose(state, contenders(ANN, BEN), 0.0))
    end(state, first)
    again = begin(state, pairer.choose(state, contenders(ANN, BEN, CY, DOT), 0.0))
    assert again.players == (first.players[1], first.players[0])
    assert again.opening == first.opening == 1
    end(state, again)
    third = begin(state, pairer.choose(state, contenders(ANN, BEN), 0.0))
    assert third.opening == 2


def test_return_game_waits_for_a_player_who_is_away() -> None:
    state, pairer = LadderState(ladder()), Pairer(ladder())
    end(state, begin(state, pairer.choose(state, contenders(ANN, BEN), 0.0)))
    assert set(begin(state, pairer.choose(state, contenders(ANN, CY), 0.0)).players) == {ANN, CY}
    assert set(begin(state, pairer.choose(state, contenders(ANN, BEN), 0.0)).players) == {ANN, BEN}
    assert len(state.owed) == 1


@pytest.mark.parametrize("which", [0, 1])
def test_game_without_a_result_is_owed_again(which: int) -> None:
    state, pairer = LadderState(ladder()), Pairer(ladder())
    games = [begin(state, pairer.choose(state, contenders(ANN, BEN, places=2), 0.0)) for _ in range(2)]
    apply_entry(state, dropped_entry(games[which].number, "gone"))
    again = pairer.choose(state, contenders(ANN, BEN, places=2), 0.0)
    assert again is not None
    assert (again.players, again.opening) == (games[which].players, 1)
    assert (state.tallies[ANN].first, state.tallies[ANN].second) in {(1, 0), (0, 1)}


@pytest.mark.parametrize("games", [0, 5, 40, 150])
def test_no_pair_is_worth_more_than_the_one_chosen(games: int) -> None:
    bots = {Version(f"bot{number}", "1"): 1000.0 + 100 * number for number in range(10)}
    fixed = {Version("low", "x"): 1100.0, Version("high", "x"): 1900.0}
    settings = with_anchors({player.name: elo for player, elo in fixed.items()})
    state = play_night(settings, {**bots, **fixed}, games)
    state.owed.clear()
    pairer = Pairer(settings)
    game = pairer.choose(state, contenders(*bots, *fixed), 0.0)
    assert game is not None
    pairs = [pair for pair in combinations([*bots, *fixed], 2) if set(pair) != set(fixed)]
    assert pairer._value(state, *game.players) == max(pairer._value(state, *pair) for pair in pairs)


def test_versions_with_few_games_are_paired_first() -> None:
    state = LadderState(ladder())
    play_pair(state, ANN, BEN, ("1-0", "1-0"), times=10)
    assert DOT in choice(ladder(), state, ANN, BEN, DOT)
    assert choice(ladder(), state, ANN, BEN, CY, DOT) == {CY, DOT}


def test_near_ratings_meet() -> None:
    settings = with_anchors({"cy": 1000.0, "dot": 2000.0})
    state = LadderState(settings)
    play_pair(state, ANN, CY, ("1-0", "1-0"))  # ann draws level with cy: near 1000
    play_pair(state, ANN, CY, ("0-1", "0-1"))
    assert choice(settings, state, ANN, CY, DOT) == {ANN, CY}
    play_pair(state, BEN, DOT, ("1-0", "1-0"), times=3)
    assert choice(settings, state, BEN, CY, DOT) == {BEN, DOT}


def test_two_anchors_never_meet_and_a_bot_never_meets_itself() -> None:
    settings = with_anchors({"cy": 1000.0, "dot": 2000.0})
    assert Pairer(settings).choose(LadderState(settings), contenders(CY, DOT), 0.0) is None
    assert Pairer(settings).choose(LadderState(settings), contenders(ANN, Version("Ann", "2")), 0.0) is None


def test_bot_without_a_free_place_is_not_paired() -> None:
    state = LadderState(ladder())
    assert Pairer(ladder()).choose(state, [Contender(ANN, 0), Contender(BEN, 3)], 0.0) is None


def test_seats_are_balanced_without_return_games() -> None:
    state, pairer = LadderState(ladder()), Pairer(ladder())
    end(state, begin(state, pairer.choose(state, contenders(ANN, BEN), 0.0)))
    leader = next(player for player in (ANN, BEN) if state.tallies[player].first)
    game = pairer.choose(state, contenders(leader, CY), 0.0)
    assert game is not None
    assert game.players == (CY, leader)


@pytest.mark.parametrize(
    ("concurrent", "ladder_games", "others", "reserved", "places"),
    [(4, 0, 0, 0, 4), (4, 1, 0, 1, 2), (4, 1, 2, 1, 0), (4, 3, 3, 3, 0), (0, 0, 0, 0, 1), (1, 0, 0, 1, 0)],
)
def test_places_for_people_stay_free(
    concurrent: int, ladder_games: int, others: int, reserved: int, places: int
) -> None:
    bot = BotInfo(name="ann", plays=("conga",), concurrent=concurrent)
    assert free_places(bot, ladder_games, others, reserved) == places


def test_server_keeps_a_quarter_of_a_house_bot_for_others() -> None:
    bot = BotInfo(name="search@3", plays=("conga",), concurrent=8, house=True, account=True)
    assert [free_places(bot, 0, 0, reserved) for reserved in (0, 2, 3)] == [6, 6, 5]
