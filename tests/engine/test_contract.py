"""The interface of every registered game, tested on random games with default and unusual options."""

from __future__ import annotations

import pickle
import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from engine.board import Board
from engine.errors import IllegalMove, InvalidNotation
from engine.game import REASONS, Game, Move, Outcome, State
from engine.registry import GAMES, create
from engine.search.table import NO_MOVE
from tests.engine.exact_solver import ExactSolver, solve_random_game
from tests.engine.reference_rules import REFERENCE_RULES, successors
from tests.engine.variants import NAMES, VARIANTS, Variant, positions, walk

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)
GAMES_EACH = 2


GROWTH = {"conga": 0, "mancala": 0, "maxconnect4": 1, "cohcoh": 1}  # stones that a move adds to the board


def test_games_are_registered_by_name() -> None:
    assert all(name == game.name for name, game in GAMES.items())
    assert all(re.fullmatch(r"[a-z]\w*", name) for name in GAMES), "a name must be one word, for files and commands"
    assert {name for name, _ in VARIANTS} == set(GAMES)


@every_variant
def test_words_and_move_lists_fit_width_and_max_moves(variant: Variant) -> None:
    game, rng, out = create(*variant), random.Random(1), [0] * 10_000
    state, most, width = game.start(), game.rules.MAX_MOVES, game.rules.WIDTH
    assert most <= NO_MOVE, f"MAX_MOVES is {most}: the search supports moves below {NO_MOVE}"
    for _ in range(250):
        count = game.rules.gen(state.mine, state.rest, out, 0)
        assert count <= most, f"{count} moves in {game.dump(state)}: prepare() must give a MAX_MOVES larger than {most}"
        assert all(0 <= move < most for move in out[:count]), f"a move must be below MAX_MOVES, which is {most}"
        wide = max(state.mine, state.rest).bit_length()
        assert wide <= width, f"{wide} bits in {game.dump(state)}: prepare() must give a WIDTH larger than {width}"
        if count == 0:
            break
        state = game.after(state, rng.choice(out[:count]))


@every_variant
def test_moves_are_sorted_and_empty_only_when_the_game_is_over(variant: Variant) -> None:
    for game, state in positions(variant, GAMES_EACH):
        moves = game.moves(state)
        assert list(moves) == sorted(set(moves))
        assert (moves == ()) == (game.outcome(state) is not None)


@every_variant
def test_play_agrees_with_the_reference_rules(variant: Variant) -> None:
    if variant[0] not in REFERENCE_RULES:
        pytest.skip("no reference rules for this game")
    for game, state in positions(variant, GAMES_EACH):
        after = {game.format(state, move): game.dump(game.play(state, move)) for move in game.moves(state)}
        assert after == successors(game.name, game.spec.options, game.dump(state))


@every_variant
def test_positions_round_trip_through_text(variant: Variant) -> None:
    for game, state in positions(variant, GAMES_EACH):
        text = game.dump(state)
        assert game.load(text) == state
        assert game.load(f"  {text}\n") == state
        assert text.isascii()
        assert text.isprintable()
        again = create(game.name, {**game.spec.options, "start": text})
        assert again.dump(again.start()) == text


@every_variant
def test_text_after_a_move_is_that_of_the_state_after_it(variant: Variant) -> None:
    for game, state in positions(variant, GAMES_EACH):
        before = game.dump(state)
        for move in game.moves(state):
            after = game.after(state, move)
            assert game.dump_after(before, state, move, after) == game.dump(after)


@every_variant
def test_moves_round_trip_through_text(variant: Variant) -> None:
    for game, state in positions(variant, GAMES_EACH):
        texts = [game.format(state, move) for move in game.moves(state)]
        assert len(set(texts)) == len(texts)
        wrong = [text for text in texts if not re.fullmatch(r'[^\s";]{1,16}', text) or not text.isascii()]
        assert not wrong, f"{wrong[0]!r} is not a valid move text: see docs/adding-a-game.md"
        assert [game.parse(state, text) for text in texts] == list(game.moves(state))
        assert sorted(game.legal(state)) == sorted(texts)


@every_variant
def test_advance_parses_and_plays_a_move(variant: Variant) -> None:
    for game, state in positions(variant, GAMES_EACH):
        for move in game.moves(state):
            after = game.after(state, move)
            over = game.outcome(after) is not None
            assert game.advance(state, f" {game.format(state, move)} ") == (move, after, over)
            assert game.judge(after, 0, 1, over) == game.judge(after, 0, 1) == game.outcome(after)
        with pytest.raises(InvalidNotation):
            game.advance(state, "no move")


@every_variant
def test_every_move_has_a_unique_path_of_cells(variant: Variant) -> None:
    for game, state in list(positions(variant, 1))[::3]:
        names = {cell.name for row in game.draw(state).rows for cell in row if cell is not None}
        moves = {game.format(state, move): game.path(state, move) for move in game.moves(state)}
        times = Counter(moves.values())
        for text, path in moves.items():
            assert path, f"{text} has an empty path: {game.name} must override path()"
            assert names.issuperset(path), f"path() of {text} is {path}, but draw() has no such cells"
            assert times[path] == 1, f"{text} is not the only move with path {path}: override path()"
        assert names.issuperset(game.end_of(state, move) for move in game.moves(state))


@every_variant
def test_play_does_not_change_the_state(variant: Variant) -> None:
    for game, state in positions(variant, 1):
        copy = State(*state)
        assert min(state.mine, state.rest) >= 0
        assert game.turn(state) == state.turn in (0, 1)
        for move in game.moves(state):
            assert game.play(state, move) == game.after(state, move)
            assert state == copy
        assert hash(state) == hash(copy)


@every_variant
def test_each_move_adds_the_expected_number_of_stones(variant: Variant) -> None:
    game = create(*variant)
    if game.name not in GROWTH:
        pytest.skip("the number of stones may change")
    counts = [stones(game.draw(state)) for state in walk(game, 1)]
    assert counts == [counts[0] + ply * GROWTH[game.name] for ply in range(len(counts))]


def stones(board: Board) -> int:
    return sum(cell.count for row in board.rows for cell in row if cell is not None and cell.owner is not None)


@every_variant
def test_outcome_is_stable_and_names_the_winner(variant: Variant) -> None:
    game = create(*variant)
    for seed in range(GAMES_EACH):
        *_, last = walk(game, seed, 2000)
        outcome = game.outcome(last)
        assert outcome == game.outcome(last)
        if outcome is None:
            assert game.spec.max_plies is not None  # such a game may be endless
            continue
        assert outcome.reason in REASONS
        if outcome.scores is not None:
            margin = outcome.scores[0] - outcome.scores[1]
            assert outcome.winner == (None if margin == 0 else 0 if margin > 0 else 1)
        with pytest.raises(IllegalMove, match="the game is over") as caught:
            game.play(last, 0)
        assert caught.value.legal == ()


@every_variant
def test_every_position_can_be_drawn(variant: Variant) -> None:
    for game, state in positions(variant, 1):
        board = game.draw(state)
        drawn = f"{len(board.rows)} rows of {sorted({len(row) for row in board.rows})} cells are drawn"
        spec = f"the Spec has {game.spec.rows} rows and {game.spec.columns} columns"
        assert all(len(row) == game.spec.columns == len(board.files) for row in board.rows), f"{drawn}, {spec}"
        assert len(board.rows) == len(board.ranks) == game.spec.rows, f"{drawn}, {spec}"
        names = [cell.name for row in board.rows for cell in row if cell is not None]
        assert len(set(names)) == len(names)
        assert len(board.text().splitlines()) == game.spec.rows + 1


@every_variant
def test_evaluations_are_ints_for_both_sides(variant: Variant) -> None:
    for game, state in positions(variant, 1):
        for name in game.evaluations:
            assert [type(game.evaluate(name, state, side)) for side in (0, 1)] == [int, int]


@every_variant
def test_bounds_and_candidates_agree_with_the_exact_value(variant: Variant) -> None:
    for game, exact, states in endings(variant):
        for state in states:
            value = exact.value(state)
            low, high = game.rules.bounds(state.mine, state.rest)
            assert low <= value <= high, f"bounds() of {game.dump(state)} are too narrow: its value is {value}"
            out = [0] * game.rules.MAX_MOVES
            worth = out[: game.rules.candidates(state.mine, state.rest, out, 0)]
            best = max(exact.moves(state)[move] for move in worth)
            assert best == value, f"candidates() of {game.dump(state)} has no best move"


@every_variant
def test_positions_with_equal_keys_have_equal_values(variant: Variant) -> None:
    known: dict[tuple[int, int], tuple[State, int]] = {}
    alike: dict[tuple[int, int], tuple[State, dict[Move, int]]] = {}
    for game, exact, _ in endings(variant):
        for state in exact.known:
            first, second, own = game.rules.key(state.mine, state.rest)
            base = game.rules.base(state.mine, state.rest)
            value = exact.value(state) - base
            other, future = known.setdefault((first, second), (state, value))
            shared = f"{game.dump(state)} and {game.dump(other)} have equal keys"
            assert value == future, f"{shared}, but their values without base() are {value} and {future}"
            if own:
                moves = {move: worth - base for move, worth in exact.moves(state).items()}
                other, same = alike.setdefault((first, second), (state, moves))
                assert moves == same, f"{shared}, but their moves have different values"


def endings(variant: Variant) -> Iterator[tuple[Game, ExactSolver, list[State]]]:
    game = create(*variant)
    if game.spec.max_plies is not None:
        pytest.skip("its exact values depend on earlier moves")
    for seed in range(GAMES_EACH):
        yield game, *solve_random_game(game, seed)


@every_variant
def test_rule_functions_for_the_search_return_valid_values(variant: Variant) -> None:
    for game, state in positions(variant, 1):
        words = state.mine, state.rest
        first, second, _ = game.rules.key(*words)
        assert min(first, second) >= 0
        if game.outcome(state) is None:
            low, high = game.rules.bounds(*words)
            assert low <= high
        out = [0] * game.rules.MAX_MOVES
        worth = out[: game.rules.candidates(*words, out, 0)]
        assert set(worth) <= set(game.moves(state))
        assert len(set(worth)) == len(worth)
        assert (game.spec.repetition is not None) == game.rules.CYCLIC
        numbers = [game.rules.base(*words), game.rules.guess(*words)]
        numbers += [game.rules.tactics(*words, move) for move in game.moves(state)]
        assert {type(number) for number in numbers} == {int}


@every_variant
def test_invalid_notation_and_illegal_moves_are_different_errors(variant: Variant) -> None:
    game = create(*variant)
    for text in ("", " ", "?", "１", "a4b3 a4b3", "x" * 10_000, "\x00", "9" * 5000):
        with pytest.raises(InvalidNotation, match=r"is not a move of \w+: expected "):
            game.parse(game.start(), text)
    for move in (10**6, -1, 2**70):
        with pytest.raises(IllegalMove):
            game.play(game.start(), move)


@every_variant
def test_game_can_be_pickled(variant: Variant) -> None:
    game: Game = create(*variant)
    copy = pickle.loads(pickle.dumps(game))
    assert copy.spec == game.spec
    assert copy.start() == game.start()


def test_results_are_written_as_in_chess() -> None:
    assert [Outcome(winner, "line").result for winner in (0, 1, None)] == ["1-0", "0-1", "1/2-1/2"]
