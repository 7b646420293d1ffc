from __future__ import annotations

from client.bots.builtin.rng import PositionRng
from engine.registry import create

GAME = create("maxconnect4")
START = GAME.start()


def draw(rng: PositionRng, ply: int = 0) -> float:
    rng.reseed(GAME, START, ply)
    return rng.random.random()


def test_seeded_numbers_depend_on_the_position_only() -> None:
    rng = PositionRng(1)
    first = draw(rng)
    assert draw(rng, ply=2) != first
    assert draw(rng) == first == draw(PositionRng(1))
    assert draw(PositionRng(2)) != first


def test_numbers_without_a_seed_differ() -> None:
    rng = PositionRng()
    assert draw(rng) != draw(rng)
