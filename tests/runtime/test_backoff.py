from __future__ import annotations

from random import Random

from runtime.backoff import Backoff


def test_delays_double_up_to_the_limit() -> None:
    backoff = Backoff(0.2, 15.0, Random(1))
    for number in range(12):
        full = min(15.0, 0.2 * 2**number)
        assert full / 2 <= backoff.next() <= full
    assert backoff.failures == 12


def test_delay_is_at_least_what_the_server_asked_for() -> None:
    assert Backoff(0.2, 15.0).next(min_s=30.0) >= 30.0


def test_reset_starts_at_the_first_delay() -> None:
    backoff = Backoff(0.2, 15.0)
    for _ in range(5):
        backoff.next()
    backoff.reset()
    assert backoff.next() <= 0.2


def test_two_clients_get_different_delays() -> None:
    assert Backoff(rng=Random(1)).next() != Backoff(rng=Random(2)).next()
