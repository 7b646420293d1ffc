"""Puzzles: positions in which exactly one move keeps the proved value. docs/puzzles.md has the file format."""

from engine.puzzles.maker import candidates, follow_ups, make_puzzle
from engine.puzzles.proofs import is_proved, wins_within
from engine.puzzles.puzzle import InvalidPuzzles, Puzzle, parse_puzzles, shipped_puzzles, write_puzzles

__all__ = [
    "InvalidPuzzles",
    "Puzzle",
    "candidates",
    "follow_ups",
    "is_proved",
    "make_puzzle",
    "parse_puzzles",
    "shipped_puzzles",
    "wins_within",
    "write_puzzles",
]
