"""Positions of games with their moves, results and values, for learners."""
