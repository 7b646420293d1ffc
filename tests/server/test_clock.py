"""Clocks: what a move costs, what is left, when the flag falls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.types import TimeControl
from server.domain import clock
from server.domain.clock import MOST_CREDIT, QUOTA, Clocks

FISCHER = TimeControl(kind="fischer", base=10_000, increment=1000)
PER_MOVE = TimeControl(kind="move", per_move=5000)
BANK = TimeControl(kind="bank", per_move=5000, bank=20_000)
NONE = TimeControl()


def after(control: TimeControl, clocks: Clocks, side: int, now: int, lag: int = 0) -> Clocks:
    took, charged, left, fell = clock.charge(control, clocks, side, now, lag)
    assert not fell
    return clock.moved_on(clocks, side, now, took, charged, left)


def test_fischer_takes_the_time_and_adds_the_increment() -> None:
    clocks = after(FISCHER, clock.wound(FISCHER, 0), 0, 3000)
    assert clocks[0] == (8000, 10_000)
    assert after(FISCHER, clocks, 1, 3500)[0] == (8000, 10_500)


def test_time_per_move_begins_anew() -> None:
    clocks = after(PER_MOVE, clock.wound(PER_MOVE, 0), 0, 4999)
    assert clock.deadline(PER_MOVE, clocks, 0) == 4999 + 5000 + MOST_CREDIT


def test_a_bank_pays_only_what_the_move_time_does_not() -> None:
    clocks = after(BANK, clock.wound(BANK, 0), 0, 4000)
    assert clocks[0] == (20_000, 20_000)
    assert after(BANK, clocks, 1, 4000 + 8000)[0] == (20_000, 17_000)


def test_without_a_clock_no_flag_falls() -> None:
    clocks = clock.wound(NONE, 0)
    assert clock.deadline(NONE, clocks, 0) is None
    assert clock.charge(NONE, clocks, 0, 10**9, 0) == (10**9, 10**9, None, False)


def test_lag_is_credited_within_a_quota() -> None:
    clocks = clock.wound(FISCHER, 0)
    assert clock.charge(FISCHER, clocks, 0, 1000, 300) == (1000, 700, (10_300, 10_000), False)
    assert clock.charge(FISCHER, clocks, 0, 1000, 9999) == (1000, 1000 - MOST_CREDIT, (10_500, 10_000), False)
    for turn in range(1, 30):
        clocks = after(FISCHER, clocks, 0, turn * 1000, 9999)
    assert clocks[1][0] == clock.REGAIN  # all spent: from now on no more than grows back
    assert clocks[1][1] == QUOTA


@pytest.mark.parametrize(
    ("control", "text"),
    [
        (NONE, "none"),
        (TimeControl(kind="fischer", base=300_000, increment=3000), "300+3"),
        (TimeControl(kind="fischer", base=90_500, increment=0), "90.5+0"),
        (PER_MOVE, "5/move"),
        (BANK, "5/move+20"),
    ],
)
def test_a_clock_has_a_short_name(control: TimeControl, text: str) -> None:
    assert clock.text(control) == text


def test_the_grace_grows_with_the_time_within_bounds() -> None:
    assert clock.grace(TimeControl(kind="fischer", base=1000)) == 10_000
    assert clock.grace(TimeControl(kind="fischer", base=600_000)) == 60_000
    assert clock.grace(TimeControl(kind="fischer", base=10**8)) == 120_000


@given(
    control=st.sampled_from([FISCHER, PER_MOVE, BANK]),
    waits=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 12_000), st.integers(0, 2000)), max_size=40),
)
def test_what_is_left_is_never_less_than_nothing_and_the_flag_falls_at_the_deadline(
    control: TimeControl, waits: list[tuple[int, int, int]]
) -> None:
    clocks, now = clock.wound(control, 0), 0
    for side, wait, lag in waits:
        now += wait
        due = clock.deadline(control, clocks, side)
        assert due is not None
        took, charged, _, fell = clock.charge(control, clocks, side, now, lag)
        assert charged <= took
        assert fell or now <= due
        if fell:
            assert now > due - MOST_CREDIT
            return
        clocks = after(control, clocks, side, now, lag)
        assert min(clocks[0]) >= 0
        assert all(0 <= quota <= QUOTA for quota in clocks[1])
