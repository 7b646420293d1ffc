"""Reviews: values and judgements agree with an exhaustive solver, estimates are never called proved."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from engine.errors import InvalidRecord
from engine.record import Played, Record, parse, replay, verify, write
from engine.registry import GAMES, create
from engine.review import (
    JUDGEMENTS,
    Budget,
    NothingToReview,
    Review,
    Value,
    annotate,
    read_annotation,
    review,
)
from engine.review.judgement import accuracy, cost, explain, judge
from engine.review.reviewer import Cancelled
from tests.engine.agreement import Agreement, compare_forced_results, compare_late_moves
from tests.engine.naive_solver import NaiveSolver
from tests.engine.self_play import self_play

BUDGET = Budget(nodes=400, seconds=None)
FINITE: list[tuple[str, dict[str, int | str]]] = [("mancala", {}), ("maxconnect4", {}), ("cohcoh", {})]
SMALL = create("mancala", {"pits": 3, "stones": 2})


def quick_review(record: Record) -> Review:
    return review(record, BUDGET, compiled=False)  # compiling takes longer than the whole review


@pytest.mark.parametrize(("name", "options"), FINITE)
def test_proved_judgements_agree_with_an_exhaustive_solver(name: str, options: dict[str, int | str]) -> None:
    game = create(name, options)
    record = self_play(game, 2)
    last = max(0, len(record.moves) - 12)  # only late positions can be solved
    late = Record(name, {**options, "start": game.dump(replay(record)[1][last])}, moves=record.moves[last:])
    late = replace(late, result=record.result, reason=record.reason)
    agreement = compare_late_moves(late.create(), late, quick_review(late), max_positions=1500)
    assert agreement.wrong == ()
    assert agreement.moves >= 2


def test_wrong_values_are_reported() -> None:
    record = self_play(SMALL, 2)
    found = review(record, Budget(100_000, None), compiled=False)
    assert compare_late_moves(SMALL, record, found).wrong == ()
    last = found.moves[-1]
    wrong = replace(found, moves=(*found.moves[:-1], replace(last, value=last.value + 1)))
    assert len(compare_late_moves(SMALL, record, wrong).wrong) == 1


def test_mistakes_name_all_moves_that_were_as_good() -> None:
    solver, several = NaiveSolver(SMALL), 0
    for seed in range(6):
        record = self_play(SMALL, seed)
        _, states = replay(record)
        for move in review(record, Budget(100_000, None), compiled=False).moves:
            values = solver.moves(SMALL.dump(states[move.ply - 1]))
            best = {text for text, value in values.items() if value == max(values.values())}
            assert {*move.also} == (best - {move.best} if move.is_mistake else set())
            several += bool(move.also)
    assert several


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), [*FINITE, ("cohcoh", {"n": 5, "k": 4})])
def test_proved_judgements_of_many_games_agree(name: str, options: dict[str, int | str]) -> None:
    game, agreement = create(name, options), Agreement()
    for seed in range(25):
        record = self_play(game, seed, compiled=True)
        agreement += compare_late_moves(game, record, review(record, Budget(50_000, None)), max_positions=20_000)
    assert agreement.wrong == ()
    assert agreement.moves >= 75


def forced_results(seed: int, plies: int, compiled: bool) -> Agreement:
    """Compare the last moves of a Conga game with a plain search."""
    game = create("conga")
    record = self_play(game, seed, (0.0, 0.8), compiled=compiled)
    found = review(record, Budget(100_000, None) if compiled else BUDGET, compiled=compiled)
    return compare_forced_results(game, record, found, plies, last_moves=12)


def test_forced_results_of_conga_are_found() -> None:
    agreement = forced_results(seed=2, plies=1, compiled=False)
    assert agreement.wrong == ()
    assert agreement.positions > 0


@pytest.mark.long
def test_forced_results_of_many_conga_games_are_found() -> None:
    agreement = sum((forced_results(seed, plies=3, compiled=True) for seed in range(25)), Agreement())
    assert agreement.wrong == ()
    assert agreement.positions > 25


# -- values


def test_estimates_are_not_called_proved() -> None:
    record = Record("maxconnect4", moves=tuple(Played(move) for move in "4455"))
    for move in quick_review(record).moves:
        assert not move.proved
        assert move.depth > 0
        assert "drops" not in move.words
        assert not move.words.startswith("turns")
        assert move.to_json()["depth"] == move.depth


def test_game_drawn_by_repetition_ends_with_an_exact_draw() -> None:
    cycle = ("a4a3", "d1d2", "a3a4", "d2d1")
    record = Record("conga", {"stones": 1}, result="1/2-1/2", reason="repetition", moves=tuple(map(Played, 2 * cycle)))
    last = quick_review(record).moves[-1]
    assert (last.played, last.played_proved) == (0, True)


def test_proofs_do_not_reach_beyond_the_ply_limit() -> None:
    game = create("conga")
    record = self_play(game, 2, (0.0, 0.8))
    moves = record.moves[:-1]  # one ply before black wins
    limited = Record("conga", {"max_plies": len(moves)}, result="1/2-1/2", reason="ply_limit", moves=moves)
    assert record.reason == "no_moves"
    for move in quick_review(limited).moves[-3:]:
        assert (move.value, move.proved) != (1, True)
        assert (move.value, move.proved) != (-1, True)


def test_same_budget_gives_the_same_review() -> None:
    record = self_play(SMALL, 2)
    assert quick_review(record) == quick_review(record)


# -- judgements


@pytest.mark.parametrize(
    ("best", "played", "judgement", "words"),
    [
        (Value(1, True), Value(1, True), "best", "keeps the win"),
        (Value(1, True), Value(0, True), "missed win", "turns a win into a draw"),
        (Value(1, True), Value(-1, True), "blunder", "turns a win into a loss"),
        (Value(0, True), Value(-1, True), "blunder", "turns a draw into a loss"),
        (Value(-1, True), Value(-1, True), "best", ""),
        (Value(1, True), Value(0.03, False, 5), "missed win", "loses about 27 % of the winning chances"),
        (Value(0.03, False, 5), Value(0.0, False, 4), "blunder", "loses about 23 % of the winning chances"),
    ],
)
def test_moves_that_change_the_result_are_judged_by_it(best: Value, played: Value, judgement: str, words: str) -> None:
    game = create("cohcoh")
    is_best = best.points == played.points
    assert judge(game, best, played, is_best, only=False) == judgement
    assert explain(game, best, played) == words


@pytest.mark.parametrize(
    ("best", "played", "judgement", "words"),
    [
        (12, 9, "fine", "drops 3 stones"),
        (12, 8, "inaccuracy", "drops 4 stones"),
        (12, 2, "mistake", "drops 10 stones"),
        (40, 1, "mistake", "drops 39 stones"),
        (1, 0, "missed win", "turns a win into a draw, drops 1 stone"),
        (3, -2, "blunder", "turns a win into a loss, drops 5 stones"),
        (-2, -3, "fine", "drops 1 stone"),
    ],
)
def test_moves_are_judged_by_the_stones_they_lose(best: int, played: int, judgement: str, words: str) -> None:
    game, values = create("mancala"), (Value(best, True), Value(played, True))
    assert judge(game, *values, is_best=False, only=False) == judgement
    assert explain(game, *values) == words


def test_proof_of_what_was_estimated_costs_nothing() -> None:
    game = create("mancala")
    assert cost(game, Value(-8.0, False, 20), Value(-8, True)) == 0
    assert cost(game, Value(8, True), Value(8.0, False, 20)) == 0


def test_proved_win_is_never_a_blunder() -> None:
    """The win is certain: what the estimate before the move promised beyond it is only points."""
    game, best = create("mancala"), Value(14.0, False, 12)
    assert cost(game, best, Value(2, True)) == pytest.approx(0.05 * 12 / game.minor_drop)
    assert judge(game, best, Value(2, True), is_best=False, only=False) == "mistake"
    assert judge(game, best, Value(2.0, False, 11), is_best=False, only=False) == "missed win"
    assert judge(game, Value(40.0, False, 12), Value(1, True), is_best=False, only=False) == "mistake"
    assert cost(game, Value(2.0, False, 12), Value(8, True)) == 0


def test_only_move_is_named() -> None:
    game = create("cohcoh")
    assert judge(game, Value(1, True), Value(1, True), is_best=True, only=True) == "only move"


def test_greater_loss_costs_more() -> None:
    game, best = create("mancala"), Value(6.0, False, 9)
    costs = [cost(game, best, Value(played, False, 8)) for played in (6.0, 4.0, 0.0, -4.0, -20.0)]
    assert costs == sorted(costs)
    assert costs[0] == 0
    assert [accuracy(lost) for lost in costs] == sorted((accuracy(lost) for lost in costs), reverse=True)
    assert accuracy(0) == 100


def test_accuracy_is_one_number_per_side() -> None:
    found = quick_review(self_play(SMALL, 1))
    assert all(0 <= number <= 100 for side in (0, 1) if (number := found.accuracy(side)) is not None)
    assert Review(found.moves[:1]).accuracy(1) is None
    assert set(found.turning_points) <= set(found.moves)


# -- output


def test_json_has_the_documented_fields() -> None:
    record = self_play(SMALL, 3)
    data = quick_review(record).to_json()
    assert len(data["accuracy"]) == 2
    assert [move["ply"] for move in data["moves"]] == list(range(1, len(record.moves) + 1))
    for move in data["moves"]:
        assert {"ply", "side", "move", "best", "value", "loss", "proved", "judgement"} <= set(move)
        assert move["judgement"] in JUDGEMENTS
        assert move["loss"] >= 0
        assert move["line"][0] == move["best"]


@pytest.mark.parametrize("name", GAMES)
def test_annotated_record_verifies_and_reads_back(name: str) -> None:
    record = self_play(create(name), 1, max_plies=8)
    found = quick_review(record)
    annotated = annotate(record, found)
    verify(annotated)
    assert parse(write(annotated)) == annotated
    for played, move in zip(annotated.moves, found.moves, strict=True):
        note = read_annotation(played.note)
        assert note is not None
        assert (note.judgement, note.proved, note.words) == (move.judgement, move.played_proved, move.words)
        assert str(note) == played.note


def test_notes_survive_two_reviews() -> None:
    moves = (Played("4", note="depth 3 value +1 | mine; best of all"), Played("4"))
    record = Record("maxconnect4", moves=moves)
    once = annotate(record, quick_review(record))
    twice = annotate(once, quick_review(once))
    assert once == twice
    note = read_annotation(twice.moves[0].note)
    assert note is not None
    assert note.note == moves[0].note


@pytest.mark.parametrize(
    "note", ["", "depth 9 value +3", "value +1 | great", "value +.. | best", "| best", "value +1 proved | best of all"]
)
def test_other_notes_are_not_annotations(note: str) -> None:
    assert read_annotation(note) is None


# -- refusals


def test_game_without_moves_is_refused() -> None:
    with pytest.raises(NothingToReview, match="no moves"):
        review(Record("conga"))


def test_wrong_record_is_refused() -> None:
    record = self_play(SMALL, 1)
    with pytest.raises(InvalidRecord, match="ply"):
        review(replace(record, result="1/2-1/2"))


def test_review_can_be_cancelled() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        review(self_play(SMALL, 1), BUDGET, cancel=cancel, compiled=False)


def test_progress_counts_to_the_last_move() -> None:
    record, seen = self_play(SMALL, 1), list[tuple[int, int]]()
    review(record, BUDGET, lambda done, total: seen.append((done, total)), compiled=False)
    assert seen == [(done, len(record.moves)) for done in range(1, len(record.moves) + 1)]
