"""Numbered steps from an empty database to today's. A step that was released is never changed again."""

from __future__ import annotations

from importlib.resources import files


def migrations() -> list[tuple[int, str]]:
    """Number and SQL of every step, in order."""
    steps = [entry for entry in files(__package__).iterdir() if entry.name.endswith(".sql")]
    return sorted((int(step.name.partition("_")[0]), step.read_text("utf-8")) for step in steps)
