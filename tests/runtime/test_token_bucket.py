from __future__ import annotations

import pytest

from runtime.token_bucket import TokenBucket


def test_wait_allows_a_burst_then_keeps_to_the_rate() -> None:
    bucket = TokenBucket(rate=9.0, burst=9.0, now=0.0)
    assert [bucket.wait(0.0) for _ in range(9)] == [0.0] * 9
    assert bucket.wait(0.0) == pytest.approx(1 / 9)
    assert bucket.wait(1 / 18) == pytest.approx(1 / 18)
    assert bucket.wait(0.112) == 0.0


def test_wait_never_saves_more_than_one_burst() -> None:
    bucket = TokenBucket(rate=9.0, burst=9.0, now=0.0)
    assert [bucket.wait(60.0) for _ in range(9)] == [0.0] * 9
    assert bucket.wait(60.0) == pytest.approx(1 / 9)


def test_take_reads_the_clock_only_when_empty() -> None:
    bucket = TokenBucket(rate=2.0, burst=3.0, now=0.0)

    def unread() -> float:
        raise AssertionError("the clock was read although tokens are left")

    assert [bucket.take(unread) for _ in range(3)] == [True] * 3
    assert not bucket.take(lambda: 0.25)
    assert bucket.seconds_to_token() == pytest.approx(0.25)
    assert bucket.take(lambda: 0.5)
    assert not bucket.take(lambda: 0.5)


def test_take_never_saves_more_than_one_burst() -> None:
    bucket = TokenBucket(rate=2.0, burst=3.0, now=0.0)
    assert sum(bucket.take(lambda: 0.0) for _ in range(10)) == 3
    assert sum(bucket.take(lambda: 60.0) for _ in range(10)) == 3
