"""Engines that speak UGI as players, and our own search as such an engine."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from client.programs.failure import Failure
from client.programs.line_bot import ProgramPool
from client.programs.ugi_bot import UgiBot, position_command
from client.sdk.bot import Thought
from engine.record import ending
from engine.registry import GAMES, create
from tests.client.sample_programs import budget, program

ENGINE = """
import sys
log = open("log.txt", "a")
for line in sys.stdin:
    print(line.rstrip(), file=log, flush=True)
    word = line.split()[0]
    if word == "ugi":
        print("id name sample\\noption name n type spin default 4 min 1 max 12\\nugiok", flush=True)
    elif word == "isready":
        print("info string loaded\\nreadyok", flush=True)
    elif word == "go":
        print("info depth 3 score cp -12 nodes 40 pv a1 b2\\nbestmove {move} ponder b2", flush=True)
"""


def engine(folder: Path, move: str) -> ProgramPool:
    made = program(folder, ENGINE.replace("{move}", move))
    return ProgramPool(replace(made, protocol="ugi", folder=folder))


def test_engine_gets_options_positions_and_time_and_answers(tmp_path: Path) -> None:
    pool = engine(tmp_path, "a1")
    bot, game = UgiBot(pool), create("cohcoh", {"n": 5, "k": 4})
    state = game.play(game.start(), game.parse(game.start(), "b2"))
    try:
        thought = bot.choose(game, state, replace(budget(30), seconds=1.5, history=("b2",), ply=1))
    finally:
        bot.close()
        pool.close()
    assert isinstance(thought, Thought)
    assert thought.move == "a1"
    assert "depth 3 score cp -12 nodes 40" in str(thought.note)
    assert (tmp_path / "log.txt").read_text().splitlines() == [
        "ugi",
        "setoption name n value 5",
        "setoption name k value 4",
        "uginewgame",
        "isready",
        "position startpos moves b2",
        "go movetime 1500",
    ]


def test_position_is_sent_as_text_if_the_moves_are_not_known() -> None:
    game = create("maxconnect4")
    state = game.play(game.start(), game.parse(game.start(), "4"))
    assert position_command(game, state, replace(budget(1), ply=1)) == f"position fen {game.dump(state)}"
    other = create("maxconnect4", {"start": game.dump(state)})
    assert position_command(other, other.start(), budget(1)) == f"position fen {game.dump(state)}"


@pytest.mark.parametrize(("move", "kind"), [("b2", "illegal"), ("?", "garbage"), ("", "garbage")])
def test_wrong_best_move_is_reported_as_what_it_is(tmp_path: Path, move: str, kind: str) -> None:
    pool = engine(tmp_path, move)
    bot, game = UgiBot(pool), create("cohcoh")
    state = game.play(game.start(), game.parse(game.start(), "b2"))
    try:
        with pytest.raises(Failure) as failed:
            bot.choose(game, state, replace(budget(30), history=("b2",), ply=1))
    finally:
        bot.close()
        pool.close()
    assert failed.value.kind == kind


def test_program_that_does_not_speak_ugi_cannot_start(tmp_path: Path) -> None:
    pool = ProgramPool(replace(program(tmp_path, "import sys\nsys.stdin.readline()"), protocol="ugi"))
    try:
        with pytest.raises(Failure, match="it was not ready to play"):
            pool.warm()
    finally:
        pool.close()


def test_our_own_search_plays_over_ugi(tmp_path: Path) -> None:
    """Both sides are ours: `parlour ugi` and the player that drives such engines."""
    for name in GAMES:
        options = {"max_plies": 6} if name == "conga" else {"n": 3} if name == "cohcoh" else {}
        game = create(name, options)
        command = (sys.executable, "-m", "parlour", "ugi", name, "--plain")
        made = replace(program(tmp_path, ""), argv=command, protocol="ugi", folder=Path.cwd())
        pool = ProgramPool(made)
        moves: list[str] = []
        bot, states = UgiBot(pool), [game.start()]
        try:
            while ending(game, states) is None and len(moves) < 8:
                given = replace(budget(60), seconds=0.01, history=tuple(moves), ply=len(moves))
                thought = bot.choose(game, states[-1], given)
                moves.append(str(thought.move))
                states.append(game.play(states[-1], game.parse(states[-1], moves[-1])))
        finally:
            bot.close()
            pool.close()
        assert moves
