"""Test vectors from an independent program: moves, perft counts, evaluations and values of positions.

The data is in ../shared/data, next to the checkout. The tests are skipped if it is missing.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.game import Game, State
from engine.perft import perft
from engine.registry import create

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not (DATA / "vectors.json").exists(), reason="the shared data is missing")
MAX_QUICK_COUNT = 60_000


@cache
def vectors(game: str) -> Any:
    return json.loads((DATA / "vectors.json").read_text())[game]


def check_perft(game: Game, counts: list[int]) -> None:
    quick = [count for count in counts if count <= MAX_QUICK_COUNT]
    assert [perft(game, game.start(), depth) for depth in range(1, len(quick) + 1)] == quick


def square(x: int, y: int) -> str:
    return " abcd"[x] + str(y)


def mancala_text(position: list[Any]) -> str:
    top, bottom, store2, store1, player = position
    return f"{','.join(map(str, top))}/{','.join(map(str, bottom))} {store2},{store1} {player}"


def best(game: Game, state: State, table: dict[State, int]) -> int:
    """Return the exact value for the side to move."""
    if state not in table:
        if game.outcome(state) is not None:
            table[state] = int(game.rules.score(state.mine, state.rest))
        else:
            table[state] = max(value(game, state, move, table) for move in game.moves(state))
    return table[state]


def value(game: Game, state: State, move: int, table: dict[State, int]) -> int:
    after = game.after(state, move)
    return best(game, after, table) * (1 if after.turn == state.turn else -1)


def values(game: Game) -> dict[str, int]:
    """Map each move in the start position to its value for the first side."""
    state, table = game.start(), dict[State, int]()
    sign = 1 - 2 * state.turn
    return {game.format(state, move): sign * value(game, state, move, table) for move in game.moves(state)}


def test_conga_positions_match_the_vectors() -> None:
    for entry in vectors("conga")["positions"]:
        game = create("conga", {"start": entry["pos"]})
        legal = {
            square(int(move[0]), int(move[1])) + square(int(move[3]), int(move[4])) for move in entry["legal"].split()
        }
        assert set(game.legal(game.start())) == legal
        check_perft(game, entry["perft"])
        for side, letter in enumerate("bw"):
            names = ("hfunc0", "hfunc1", "neighbour", "move+neighbour")
            assert [game.evaluate(name, game.start(), side) for name in names] == entry["eval"][letter]


def test_conga_transitions_match_the_vectors() -> None:
    lines = (DATA / "conga" / "transitions.jsonl").read_text().splitlines()
    for entry in map(json.loads, lines):
        turn = entry["player"].lower()
        game = create("conga", {"start": conga_text(entry["board"], turn)})
        state = game.start()
        assert set(game.legal(state)) == {square(*a) + square(*b) for a, b in entry["legal_moves"]}
        move = game.parse(state, square(*entry["move"][0]) + square(*entry["move"][1]))
        assert game.dump(game.play(state, move)) == conga_text(entry["result"], "w" if turn == "b" else "b")
    assert len(lines) >= 100


def conga_text(board: list[Any], turn: str) -> str:
    cells = {(x, y): f"{owner.lower()}{stones}" for x, y, owner, stones in board}
    return "/".join(",".join(cells.get((x, y), ".") for x in (1, 2, 3, 4)) for y in (4, 3, 2, 1)) + f" {turn}"


@pytest.mark.parametrize("rules", ["course", "prose", "standard"])
def test_mancala_positions_match_the_vectors(rules: str) -> None:
    for size, counts in vectors("mancala")["perft_start"].items():
        pits, stones = map(int, size.split(","))
        check_perft(create("mancala", {"pits": pits, "stones": stones, "rules": rules}), counts[rules])
    for entry in vectors("mancala")["positions"]:
        game = create("mancala", {"start": mancala_text(entry["pos"]), "rules": rules})
        assert game.legal(game.start()) == tuple(map(str, entry["legal"]))
        assert game.evaluate("stores", game.start(), 0) == entry["eval_stores_p1"]
        check_perft(game, entry["perft"][rules])


@pytest.mark.parametrize("rules", ["course", "prose", "standard"])
@pytest.mark.parametrize("number", [1, *(pytest.param(n, marks=pytest.mark.long) for n in (0, 2, 3, 5))])
def test_late_mancala_positions_match_the_vectors(rules: str, number: int) -> None:
    entry = vectors("mancala")["late"][number]
    game = create("mancala", {"start": mancala_text(entry["pos"]), "rules": rules})
    assert values(game) == entry[rules]["moves"]


def test_maxconnect4_positions_match_the_vectors() -> None:
    for entry in vectors("maxconnect4")["positions"]:
        game = create("maxconnect4", {"start": f"{'/'.join(entry['rows'])} {entry['next']}"})
        state = game.start()
        assert game.legal(state) == tuple(map(str, entry["legal"]))
        check_perft(game, entry["perft"])
        assert [game.rules.fours(word) for word in state.of(0)] == entry["score"]
        assert [game.rules.threes(word) for word in state.of(0)] == entry["threes_of_four"]
        assert game.evaluate("score", state, 0) == entry["score"][0] - entry["score"][1]


@pytest.mark.parametrize("number", [0, 1, 7])
def test_late_maxconnect4_positions_match_the_vectors(number: int) -> None:
    entry = vectors("maxconnect4")["late"][number]
    game = create("maxconnect4", {"start": f"{'/'.join(entry['rows'])} {entry['next']}"})
    assert values(game) == entry["moves"]


def test_cohcoh_positions_match_the_vectors() -> None:
    for size, counts in vectors("cohcoh")["perft_start"].items():
        n, k = map(int, size.split(","))
        check_perft(create("cohcoh", {"n": n, "k": k}), counts)
    for entry in vectors("cohcoh")["positions"]:
        game = create("cohcoh", {"n": entry["n"], "k": entry["k"], "start": f"{entry['pos']} {entry['next']}"})
        assert game.evaluate("windows", game.start(), 0) == entry["eval_w"]
        assert set(entry["unique"]) <= set(game.moves(game.start()))
        check_perft(game, entry["perft"])


def test_all_reachable_positions_of_cohcoh_3_3_match_the_table() -> None:
    game, table = create("cohcoh", {"n": 3, "k": 3}), dict[State, int]()
    ends = {"draw_full": ("1/2-1/2", "no_moves"), "w_lost": ("0-1", "line"), "b_lost": ("1-0", "line")}
    _, *lines = (DATA / "cohcoh" / "exact_n3_k3.tsv").read_text().splitlines()
    for line in lines:
        board, _, status, white, cells = line.split("\t")
        state = game.load(f"{board} {'wb'[board.count('w') - board.count('b')]}")
        outcome = game.outcome(state)
        assert outcome is None if status == "open" else outcome is not None
        if outcome is not None:
            assert (outcome.result, outcome.reason) == ends[status]
            assert game.moves(state) == ()
            continue
        assert game.moves(state) == tuple(i for i, mark in enumerate(board) if mark == ".")
        assert best(game, state, table) == int(white) * (1 - 2 * state.turn)
        optimal = [move for move in game.moves(state) if value(game, state, move, table) == best(game, state, table)]
        assert optimal == sorted(map(int, cells.split(",")))
    assert len(lines) == 5478
