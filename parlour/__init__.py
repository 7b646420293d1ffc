"""Parlour: where board-game bots and people meet."""

from __future__ import annotations

import importlib.util
from pathlib import Path

HOUSE = ("engine", "protocol", "server", "client")


def check_house() -> None:
    """Say so in one sentence if a foreign module of the same name hides one of ours."""
    home = Path(__file__).resolve().parent.parent
    for name in HOUSE:
        spec = importlib.util.find_spec(name)
        origin = None if spec is None else spec.origin
        if origin is None or Path(origin).resolve().parent.parent != home:
            where = origin or "nothing that can be imported"
            raise ImportError(f"parlour needs its own package {name!r}, but that name leads to {where}; rename that")


check_house()
