"""A folder of installed packages that bring games, for a test or for the processes that it starts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine import registry
from engine.registry import GAMES, Games
from server.domain import snapshots


def write_package(folder: Path, name: str, text: str, module: str = "", package: str = "", target: str = "") -> None:
    """Write a module and the files that pip writes when it installs the module's package."""
    module = module or f"{name}_game"
    package = package or module
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    write_entry_points(info, {name: target or module})


def write_entry_points(info: Path, games: dict[str, str]) -> None:
    lines = [
        "[console_scripts]",
        "other = other:main",
        "",
        "[parlour.games]",
        *(f"{n} = {t}" for n, t in games.items()),
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@contextmanager
def installed(*folders: Path) -> Iterator[Games]:
    """Look for games in these folders too, as a new process does, until the block is left."""
    path, modules, before = sys.path.copy(), set(sys.modules), vars(GAMES).copy()
    sys.path[:0] = map(str, folders)
    vars(GAMES).update(vars(Games(tuple(GAMES[name] for name in GAMES.own))))
    snapshots.game_list.cache_clear()
    try:
        yield GAMES
    finally:
        vars(GAMES).update(before)
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(tuple(map(str, folders))):
                del sys.modules[name]
        registry._shared.cache_clear()
        snapshots.game_list.cache_clear()


def play_in(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Let the processes that a test starts find the packages of these folders."""
    import os

    path = os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)
