"""Migrations: numbered SQL files that lead from an empty database to the current schema.

A migration that was released is never changed again.
"""

from __future__ import annotations

from importlib.resources import files


def load_migrations(package: str) -> list[tuple[int, str]]:
    """Return number and SQL of each file in the `migrations` folder of a package, in order."""
    scripts = [entry for entry in (files(package) / "migrations").iterdir() if entry.name.endswith(".sql")]
    return sorted((int(script.name.partition("_")[0]), script.read_text("utf-8")) for script in scripts)
