"""Tests mirror the sources: each module of these packages has its namesake test."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MIRRORED = [
    "runtime", "server/domain", "server/handlers", "server/lobby", "server/rooms", "client/bots", "client/sdk",
]  # fmt: skip


@pytest.mark.parametrize("package", MIRRORED)
def test_every_module_has_a_namesake_test(package: str) -> None:
    modules = [path.stem for path in (ROOT / package).glob("*.py") if not path.stem.startswith("__")]
    assert modules
    assert [name for name in modules if not (ROOT / "tests" / package / f"test_{name}.py").exists()] == []
