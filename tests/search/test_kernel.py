"""The generated source of a compiled search."""

from __future__ import annotations

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
