"""The generated source of a compiled search."""

from __future__ import annotations

import inspect

import pytest

from engine.games import mancala
from engine.registry import create
from engine.search import kernel


def other_guess(mine: int, rest: int) -> int:
    return 1


def test_source_changes_with_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    game = create("mancala")
    before = kernel.source(game)
    monkeypatch.setattr(other_guess, "__module__", mancala.__name__)
    monkeypatch.setattr(mancala, "guess", other_guess)
    assert kernel.source(game) != before


def test_source_depends_on_the_options() -> None:
    texts = {
        kernel.source(create("mancala", {"pits": pits, "rules": rules}))
        for pits in (5, 6)
        for rules in ("course", "prose")
    }
    assert len(texts) == 4
    assert "def run(" in texts.pop()


def test_source_of_a_function_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A puzzle is a game of its own. Thousands of them differ in their start only."""
    kernel.source(create("mancala", {"pits": 3, "start": "3,3,3/3,3,3 0,0 1"}))
    monkeypatch.setattr(inspect, "getsource", None)
    assert kernel.source(create("mancala", {"pits": 3, "start": "3,0,3/3,3,3 3,0 1"}))
