"""The pace of a person: nobody likes an opponent who has moved before one's hand is off the piece."""

from __future__ import annotations

from random import Random


def human_delay(choices: int, left: float | None, increment: float, rng: Random) -> float:
    """Seconds a person would take: longer with more to choose from, never a large part of the clock."""
    wanted = min(9.0, rng.lognormvariate(0.35, 0.5) * (0.7 + 0.12 * choices))
    if choices <= 1:  # nothing to think about
        wanted = rng.uniform(0.4, 0.9)
    return wanted if left is None else min(wanted, left / 30 + increment * 0.6)
