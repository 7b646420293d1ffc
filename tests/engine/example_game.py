"""The worked example of docs/adding-a-game.md as an installed game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engine.plugin_folder import installed, write_package
from tests.engine.test_docs import DOCS

TEXT = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")


def code_block(language: str) -> str:
    """Return the only block of the document in a language."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return str(block)


@contextmanager
def example_installed(folder: Path) -> Iterator[None]:
    """Install the example game into a folder, and use it until the block is left."""
    write_package(folder, "apart", code_block("python"), "apart_game", target="apart_game:Apart")
    with installed(folder):
        yield
