"""`parlour course conga`: a game between two agents."""

from __future__ import annotations

import re
import sys

import pexpect
import pytest

from engine.registry import create
from parlour.cli.main import main
from tests.waiting import TIMEOUT_S

MOVE = re.compile(r"^(\d+)\. player ([12]) \((.*)\) moves \((\d),(\d)\) towards \((\d),(\d)\)$", re.M)


def game(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["course", "conga", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_search_beats_random(capsys: pytest.CaptureFixture[str], seed: str) -> None:
    out = game(capsys, "--players", "search:3:hfunc1,random", "--seed", seed)
    assert re.search(r"\nPlayer 1 \(search:3:hfunc1\) wins after \d+ moves: player 2 cannot move\.\n$", out)
    assert "\x1b" not in out, "no colours in a pipe"
    out = game(capsys, "--players", "random,search:3", "--seed", seed)
    assert re.search(r"\nPlayer 2 \(search:3\) wins after \d+ moves: player 1 cannot move\.\n$", out)


def test_printed_moves_are_legal(capsys: pytest.CaptureFixture[str]) -> None:
    out = game(capsys, "--players", "minimax:1:neighbour, random", "--seed", "5", "--max-plies", "30")
    conga = create("conga")
    state = conga.start()
    moves = MOVE.findall(out)
    assert len(moves) > 5
    for number, (ply, player, name, *places) in enumerate(moves, 1):
        x, y, to_x, to_y = map(int, places)
        assert (int(ply), int(player) - 1) == (number, state.turn)
        assert name == ("minimax:1:neighbour", "random")[state.turn]
        state = conga.play(state, conga.parse(state, f"{'abcd'[x - 1]}{y}{'abcd'[to_x - 1]}{to_y}"))


def test_the_same_seed_gives_the_same_game(capsys: pytest.CaptureFixture[str]) -> None:
    first, again, other = (game(capsys, "--players", "random,random", "--seed", seed) for seed in ("4", "4", "5"))
    assert first == again
    assert first != other


def test_game_at_the_ply_limit_is_a_draw(capsys: pytest.CaptureFixture[str]) -> None:
    out = game(capsys, "--players", "random,random", "--seed", "1", "--max-plies", "6")
    assert out.endswith("\nA draw after 6 moves: the ply limit was reached.\n")


def test_output_is_coloured_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    out = game(capsys, "--players", "random,random", "--seed", "1", "--max-plies", "2", "--color", "always")
    for colour in ("\x1b[94m", "\x1b[91m", "\x1b[93m"):
        assert colour in out


def test_output_is_coloured_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    command = ["-m", "parlour", "course", "conga", "--players", "random,random", "--max-plies", "1"]
    terminal = pexpect.spawn(sys.executable, command, encoding="utf-8", timeout=TIMEOUT_S)
    terminal.expect(pexpect.EOF)
    assert "\x1b[94m" in terminal.before
    terminal.close()
    assert terminal.exitstatus == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--players", "random"], "--players needs two players, for example search:3,random"),
        (["--players", "random,random,random"], "--players needs two players"),
        (["--players", "random,genius"], "'genius' is not a player: expected random, greedy"),
        (["--players", "search:3:best,random"], "its evaluations are hfunc1, hfunc0"),
        (["--max-plies", "0"], "option max_plies of conga must be a whole number from 1 to 10000"),
    ],
)
def test_wrong_arguments_are_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    assert main(["course", "conga", *words]) == 2
    out, err = capsys.readouterr()
    assert sentence in err
    assert (out, err.count("\n")) == ("", 1)
