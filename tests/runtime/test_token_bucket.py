from __future__ import annotations

import pytest

from runtime.token_bucket import MIN_BUCKETS_SWEPT, TokenBucket, TokenBuckets


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


def test_message_of_more_weight_makes_the_next_one_wait_longer() -> None:
    bucket = TokenBucket(rate=2.0, burst=3.0, now=0.0)
    assert bucket.wait(0.0, weight=2.0) == 0.0
    assert bucket.wait(0.0, weight=2.0) == pytest.approx(0.5)
    assert bucket.wait(0.5, weight=2.0) == 0.0
    assert bucket.wait(9.0, weight=5.0) == 0.0  # two of them are owed
    assert bucket.wait(9.0) == pytest.approx(1.5)


def test_nothing_more_is_owed_until_the_debt_is_paid() -> None:
    bucket = TokenBucket(rate=2.0, burst=3.0, now=0.0)
    assert bucket.owe(9.0, 0.0) == 0.0
    assert bucket.owe(9.0, 0.0) == pytest.approx(3.0)
    assert bucket.owe(9.0, 1.0) == pytest.approx(2.0)
    assert bucket.owe(1.0, 3.0) == 0.0


def test_delay_spreads_what_exceeds_the_burst() -> None:
    bucket = TokenBucket(rate=2.0, burst=3.0, now=0.0)
    assert [bucket.delay(2.0, 0.0) for _ in range(3)] == [0.0, 0.5, 1.5]
    assert bucket.delay(1.0, 1.5) == pytest.approx(0.5)
    assert bucket.delay(3.0, 60.0) == 0.0


def test_buckets_of_different_keys_are_independent() -> None:
    buckets = TokenBuckets(rate=1.0, burst=1.0)
    assert buckets.of("a", 0.0).wait(0.0) == 0.0
    assert buckets.of("a", 0.0).wait(0.0) == 1.0
    assert buckets.of("b", 0.0).wait(0.0) == 0.0


def test_full_buckets_are_forgotten() -> None:
    buckets = TokenBuckets(rate=1.0, burst=2.0)
    for number in range(10 * MIN_BUCKETS_SWEPT):
        buckets.of(str(number), float(number)).wait(float(number))
    assert len(buckets) <= 2 * MIN_BUCKETS_SWEPT
    buckets.of("used", 1000.0).wait(1000.0)
    for number in range(10 * MIN_BUCKETS_SWEPT):
        buckets.of(f"again{number}", 1000.5)
    assert buckets.of("used", 1000.5).wait(1000.5) == 0.0
    assert buckets.of("used", 1000.5).wait(1000.5) > 0.0


def test_debt_for_work_that_is_done_has_a_limit() -> None:
    bucket = TokenBucket(rate=2.0, burst=4.0, now=0.0)
    bucket.spend_up_to(3.0, 5.0, 0.0)
    assert bucket.tokens == -1.0
    bucket.spend_up_to(3.0, 100.0, 0.0)
    assert bucket.tokens == -6.0
    bucket.spend(4.0, 0.0)
    bucket.spend_up_to(3.0, 1.0, 0.0)  # more was owed before
    assert bucket.tokens == -10.0


def test_delay_that_would_be_too_long_takes_no_tokens() -> None:
    bucket = TokenBucket(rate=2.0, burst=4.0, now=0.0)
    assert [bucket.delay_up_to(1.0, 3.0, 0.0) for _ in range(3)] == [0.0, 1.0, None]
    assert bucket.delay_up_to(1.0, 3.0, 1.5) == 1.0
