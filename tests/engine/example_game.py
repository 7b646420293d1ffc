"""The worked example of docs/adding-a-game.md as a registered game."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from engine.registry import GAMES
from tests.engine.test_docs import DOCS

TEXT = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")


def code_block(language: str) -> str:
    """Return the only block of the document in a language."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return str(block)


def register_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the example game until the test ends. The folder gets its module."""
    file = folder / "apart.py"
    file.write_text(code_block("python"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("apart_example", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "apart_example", module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(GAMES, "apart", module.Apart)
