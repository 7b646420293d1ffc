"""Mistakes are those of the review, the worst first. A review that does not fit its game is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from client.tournament.export.mistakes import WORST, checked_mistakes, mistake_lines, worst_mistakes
from client.tournament.formats.standings import standings
from client.tournament.model.errors import TournamentError
from client.tournament.model.game_review import GameReview, Mistake
from engine.record import parse
from engine.review import review
from tests.tournament.plans import plan
from tests.tournament.reviewed import BUDGET, review_all, reviewed_match
from tests.tournament.simulated import simulate


def test_words_and_judgements_are_those_of_the_review() -> None:
    given, state = reviewed_match()
    game = standings(given, state.results).schedule.games[0]
    moves = review(parse(state.results[1].record), BUDGET, compiled=False).moves
    found = checked_mistakes(game, state.results[1], state.reviews[1])
    assert found
    for mistake in found:
        move = moves[mistake.ply - 1]
        assert (mistake.move, mistake.judgement, mistake.cost) == (move.move, move.judgement, move.cost)
        assert (mistake.words, mistake.line, mistake.proved) == (move.words, move.line, move.proved)
        assert (mistake.player, mistake.opponent) == (game.seats[move.side], game.seats[1 - move.side])


def test_worst_mistakes_of_each_player_come_first() -> None:
    given = plan("match", "ann", "ben", game="mancala", games=2)
    state = review_all(simulate(given))
    table = standings(given, state.results, state.reviews)
    every, worst = worst_mistakes(table, state, 1000), worst_mistakes(table, state)
    assert list(worst) == [row.name for row in table.rows]
    for name, mistakes in worst.items():
        costs = [mistake.cost for mistake in every[name]]
        assert costs == sorted(costs, reverse=True)
        assert mistakes == every[name][:WORST]
        assert len(costs) > len(mistakes) == WORST
    assert {mistake.game for mistakes in every.values() for mistake in mistakes} == {1, 2}
    (first, *_), lines = worst[table.rows[0].name], mistake_lines(worst)
    assert lines[0] == table.rows[0].name
    assert lines[1].startswith(f"  game {first.game}, move {first.ply} against {first.opponent}: {first.move}, ")
    assert lines[2] == f"    better: {' '.join(first.line)}"
    assert worst_mistakes(table, replace_reviews(state, {})) == {}


def replace_reviews(state: Any, reviews: dict[int, GameReview]) -> Any:
    return replace(state, reviews=reviews)


def test_what_is_proved_is_said() -> None:
    given, state = reviewed_match()
    game = standings(given, state.results).schedule.games[0]
    known = state.reviews[1].mistakes[0]

    def sentence(value: float, value_proved: bool, played: float, played_proved: bool, depth: int) -> str:
        values = {"value": value, "value_proved": value_proved, "played": played, "played_proved": played_proved}
        changed = replace(known, **values, depth=depth)  # type: ignore[arg-type]
        review = replace(state.reviews[1], mistakes=(changed,))
        return checked_mistakes(game, state.results[1], review)[0].sentence

    assert sentence(1, True, -1, True, 0) == "blunder: turns a win into a loss (proved)"
    assert sentence(0, True, -0.01, False, 0).endswith("winning chances (a draw was proved before the move)")
    assert sentence(0.01, False, -0.01, False, 7).endswith("winning chances (estimate at depth 7)")
    assert sentence(0.01, False, -1, True, 7).endswith("(estimate at depth 7; a loss is proved after the move)")


def beyond_the_end(mistake: Mistake) -> Mistake:
    return replace(mistake, ply=999)


def with_illegal_move(mistake: Mistake) -> Mistake:
    return replace(mistake, line=("<b>",))


def with_spaces(mistake: Mistake) -> Mistake:
    return replace(mistake, line=(f" {mistake.line[0]}",))


def without_loss(mistake: Mistake) -> Mistake:
    return replace(mistake, played=mistake.value, played_proved=mistake.value_proved)


@pytest.mark.parametrize("change", [beyond_the_end, with_illegal_move, with_spaces, without_loss])
def test_review_that_does_not_fit_is_refused(change: Any) -> None:
    given, state = reviewed_match()
    game = standings(given, state.results).schedule.games[0]
    wrong = replace(state.reviews[1], mistakes=(change(state.reviews[1].mistakes[0]),))
    with pytest.raises(TournamentError, match=r"reviews.jsonl: the review of game 1 is wrong: "):
        checked_mistakes(game, state.results[1], wrong)


def test_mistakes_are_in_order() -> None:
    given, state = reviewed_match()
    game = standings(given, state.results).schedule.games[0]
    twice = replace(state.reviews[1], mistakes=state.reviews[1].mistakes[:1] * 2)
    with pytest.raises(TournamentError, match="a ply is not one of the game"):
        checked_mistakes(game, state.results[1], twice)
