"""Reports on tournaments, for tests of the screens that show them."""

from __future__ import annotations

from typing import Any

from protocol.types import (
    TournamentGame,
    TournamentGoal,
    TournamentReport,
    TournamentRow,
    TournamentTest,
    TournamentTie,
)


def rich_report(**more: Any) -> TournamentReport:
    """Return a report with every part of a page."""
    names = ("blockade", "search@5", "homework-7")
    given: dict[str, Any] = {
        "title": "Autumn cup",
        "game": "conga",
        "format": "round-robin",
        "players": 3,
        "done": 3,
        "total": 12,
        "left": 2400,
        "rows": tuple(TournamentRow(name=name, points=1.5, games=2, wins=1, elo=-9, error=8) for name in names),
        "crosstable": (("-", "1.5/2", ""), ("0.5/2", "-", "1/1"), ("", "0/1", "-")),
        "bracket": (
            TournamentTie(round=1, first=names[0], winner=names[0], bye=True),
            TournamentTie(round=1, first=names[1], second=names[2], left=2),
            TournamentTie(round=2, first=names[0]),
        ),
        "latest": (
            TournamentGame(number=2, first=names[1], second=names[0], result="0-1", why="search@5 left", forfeit=True),
            TournamentGame(number=1, first=names[0], second=names[1], result="1/2-1/2", why="repetition", moves=9),
        ),
        "sprt": TournamentTest(
            player=names[0], against=names[1], llr=1.66, lower=-2.94, upper=2.94, elo0=0, elo1=50, pairs=26
        ),
        "goals": (
            TournamentGoal(student=names[2], goal="beats random", verdict="pass", evidence="9 points of 10"),
            TournamentGoal(student=names[2], goal="beats search", verdict="fail", evidence="2 points of 10"),
        ),
        "goals_met": 1,
        "goals_total": 2,
    }  # fmt: skip
    return TournamentReport(**{**given, **more})
