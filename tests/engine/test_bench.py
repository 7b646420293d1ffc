"""The benchmark of the rules, bench/rules.py."""

from __future__ import annotations

import pytest

from bench.rules import judge, main, measure, samples
from engine.errors import IllegalMove
from engine.registry import GAMES, create


@pytest.mark.parametrize("name", GAMES)
def test_samples_are_legal_moves_of_many_positions(name: str) -> None:
    game = create(name)
    found = samples(game, 100)
    assert len({sample.state for sample in found}) > 10
    assert all(sample.move in game.moves(sample.state) for sample in found)
    for sample in found:
        judge(game, sample.state, sample.text)


def test_judge_raises_for_an_illegal_move() -> None:
    game = create("conga")
    with pytest.raises(IllegalMove):
        judge(game, game.start(), "d1d2")


def test_table_has_one_line_per_game(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["rules", "--rounds", "1"])
    monkeypatch.setattr("bench.rules.POSITIONS", 50)
    main()
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["game", *GAMES]


def test_every_measured_cost_is_positive() -> None:
    assert all(value > 0 for value in measure(create("conga"), 3).values())
