"""The rules of Breakthrough, compared with a simple implementation on lists. Run it with pytest."""

from __future__ import annotations

import json
import random
from pathlib import Path

import breakthrough
import pytest

GAME = breakthrough.Breakthrough()


def naive_successors(position: str) -> dict[str, str]:
    """Return the position after each legal move."""
    board, turn = position.split(" ")
    rows = board.split("/")[::-1]  # row 1 first
    forward, other, home = (1, "b", 7) if turn == "w" else (-1, "w", 0)
    if "b" in rows[0] or "w" in rows[7]:
        return {}
    found = {}
    for row in range(8):
        for file in range(8):
            if rows[row][file] != turn or row == home:
                continue
            for side in (-1, 0, 1):
                to = file + side
                if not 0 <= to < 8:
                    continue
                there = rows[row + forward][to]
                if there == "." or (there == other and side != 0):
                    after = [list(marks) for marks in rows]
                    after[row][file], after[row + forward][to] = ".", turn
                    name = f"{'abcdefgh'[file]}{row + 1}{'abcdefgh'[to]}{row + forward + 1}"
                    found[name] = "/".join("".join(marks) for marks in after[::-1]) + " " + other
    return found


@pytest.mark.parametrize("seed", range(4))
def test_random_games_agree_with_the_simple_implementation(seed: int) -> None:
    rng, state = random.Random(seed), GAME.start()
    while GAME.moves(state):
        after = {GAME.format(state, move): GAME.dump(GAME.after(state, move)) for move in GAME.moves(state)}
        assert after == naive_successors(GAME.dump(state))
        state = GAME.play(state, rng.choice(GAME.moves(state)))
    assert naive_successors(GAME.dump(state)) == {}
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winner == 1 - state.turn


def test_counts_of_the_simple_implementation() -> None:
    file = Path(breakthrough.__file__).with_suffix(".perft.json")
    counts = json.loads(file.read_text())["cases"][0]["counts"]
    level, got = {GAME.start_position: 1}, []
    for _ in counts:
        after: dict[str, int] = {}
        for position, ways in level.items():
            for successor in naive_successors(position).values():
                after[successor] = after.get(successor, 0) + ways
        level = after
        got.append(sum(level.values()))
    assert got == counts


def test_piece_in_front_blocks_and_is_not_captured() -> None:
    state = GAME.load("......../......../......../...bb.../...w..../......../......../........ w")
    assert GAME.legal(state) == ("d4c5", "d4e5")


def test_search_reaches_the_last_row() -> None:
    from engine.search import Limits, think

    state = GAME.load("bbbbb.../......../......w./......../......../......../......../wwwww... w")
    report = think(GAME, state, Limits(nodes=500), compiled=False)
    assert report.proved
    assert report.value == 1
