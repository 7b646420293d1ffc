"""The course searches and players on every game."""

from __future__ import annotations

from collections import Counter
from math import inf
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.course.alphabeta import alphabeta
from engine.course.deepening import deepen
from engine.course.minimax import greedy, minimax
from engine.course.players import make_player
from engine.course.tree import WIN, Node
from engine.errors import GameError, InvalidOption
from engine.game import Game
from engine.registry import create
from tests.course.random_positions import SMALL, random_position


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), plies=st.integers(0, 40), depth=st.integers(1, 3), data=st.data())
def test_alphabeta_equals_minimax(game: Game, seed: int, plies: int, depth: int, data: st.DataObject) -> None:
    evaluation = data.draw(st.sampled_from(sorted(game.evaluations)))
    state = random_position(game, seed, plies)
    full = minimax(game, state, depth, evaluation)
    pruned = alphabeta(game, state, depth, evaluation)
    assert (pruned.value, pruned.line) == (full.value, full.line)
    assert pruned.nodes <= full.nodes


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
@pytest.mark.parametrize("seed", range(5))
def test_the_line_leads_to_the_value(game: Game, seed: int) -> None:
    evaluation = next(iter(game.evaluations))
    state = random_position(game, seed, 7)
    choice = minimax(game, state, 2, evaluation)
    end = state
    for move in choice.line:
        end = game.play(end, move)
    if game.moves(end):
        assert game.evaluate(evaluation, end, state.turn) == choice.value


def test_alphabeta_prunes_most_nodes() -> None:
    game = create("maxconnect4")
    assert 3 * alphabeta(game, game.start(), 4, "score").nodes < minimax(game, game.start(), 4, "score").nodes == 2800


def test_greedy_plays_extra_turns() -> None:
    game = create("mancala", {"start": "1,1/1,1 0,0 1"})
    assert greedy(game, game.start(), "stores") == (2, (1, 0), 3)


@pytest.mark.parametrize("depth", [1, 3])
def test_earlier_win_is_worth_more(depth: int) -> None:
    game = create("conga", {"start": ".,.,b1,./b1,b2,b1,./.,b1,.,./w10,b1,b1,b2 b"})
    choice = minimax(game, game.start(), depth, "hfunc1")
    assert choice.value == WIN - 1, "a move to a2 leaves white without a move"
    assert game.outcome(game.play(game.start(), choice.line[0])) is not None


def test_log_is_called_for_every_node() -> None:
    game = create("cohcoh", {"n": 3, "k": 3})
    rows: list[tuple[int, float, float, float]] = []

    def log(node: Node, value: float, alpha: float, beta: float, /) -> None:
        rows.append((node.depth, value, alpha, beta))

    choice = minimax(game, game.start(), 2, "windows", log)
    assert choice.nodes == 9 + 9 * 8
    assert len(rows) == 1 + 2 * choice.nodes, "one row on entering a node, one for its parent afterwards"
    assert rows[:2] == [(0, -inf, -inf, inf), (1, inf, -inf, inf)]
    assert rows[-1:] == [(0, choice.value, -inf, inf)]
    assert Counter(depth for depth, *_ in rows) == {0: 1 + 9, 1: 9 + 72, 2: 72}


def test_exception_in_the_log_ends_the_search() -> None:
    def stop(node: Node, value: float, alpha: float, beta: float, /) -> None:
        if node.depth == 2:
            raise TimeoutError

    game = create("conga")
    with pytest.raises(TimeoutError):
        alphabeta(game, game.start(), 3, "hfunc0", stop)


def test_unknown_evaluation_is_rejected() -> None:
    game = create("conga")
    with pytest.raises(InvalidOption, match="conga has no evaluation 'best'; use one of hfunc1, hfunc0"):
        minimax(game, game.start(), 1, "best")


def test_deepening_always_finishes_depth_1() -> None:
    game = create("cohcoh", {"n": 4, "k": 3})
    depths = list(deepen(game, game.start(), "windows", 16, stop=lambda: True))
    assert [found.depth for found in depths] == [1]
    assert depths[0].move in game.moves(game.start())


def test_deepening_stops_when_the_game_is_decided() -> None:
    game = create("cohcoh", {"n": 3, "k": 2})
    last = list(deepen(game, game.start(), "windows", 9))[-1]
    assert last.decided
    assert last.value < 0, "docs/rules.md: the first player loses (3,2)"


@pytest.mark.parametrize(
    "text", ["random", "greedy", "greedy:{e}", "minimax:2", "alphabeta:2:{e}", "search", "search:1"]
)
@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
def test_players_choose_legal_moves(game: Game, text: str) -> None:
    state = random_position(game, 3, 5)
    player = make_player(text.format(e=next(iter(game.evaluations))), game, Random(1))
    assert player(state) in game.moves(state)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a player: expected random, greedy"),
        ("random:3", "is not a player"),
        ("minimax:0", "expected a depth from 1 to 100"),
        ("minimax:x", "expected a depth from 1 to 100"),
        ("minimax:2:best", "its evaluations are hfunc1"),
        ("greedy:hfunc0:3", "is not a player"),
        ("alphabeta:2:hfunc0:x", "is not a player"),
    ],
)
def test_unknown_player_is_rejected(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        make_player(text, create("conga"), Random(1))
