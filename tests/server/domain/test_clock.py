"""Clocks: what a move costs, how much time is left, when the flag falls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.events import Moved
from protocol.types import TimeControl
from server.domain import clock
from server.domain.clock import MAX_CREDIT_PER_MOVE_MS, MAX_QUOTA_MS, QUOTA_REGAIN_PER_MOVE_MS, Clocks
from server.domain.room import apply
from tests.server.domain.helpers import running

FISCHER = TimeControl(kind="fischer", base=10_000, increment=1000)
PER_MOVE = TimeControl(kind="move", per_move=5000)
BANK = TimeControl(kind="bank", per_move=5000, bank=20_000)
NONE = TimeControl()


def after_move(control: TimeControl, clocks: Clocks, side: int, now: int, lag: int = 0) -> Clocks:
    """Return the clocks of a room after a move that arrives now."""
    took, charged, left, fell = clock.charge(control, clocks, side, now, lag)
    assert not fell
    room = running(clock=control)
    room.clocks = clocks
    moved = Moved(
        room="r1", seq=room.seq + 1, at=now, ply=1, side=side, move="", position="", turn=1 - side,
        took=took, charged=charged, left=left,
    )  # fmt: skip
    return apply(room, moved, room.state).clocks


def test_fischer_subtracts_the_time_and_adds_the_increment() -> None:
    clocks = after_move(FISCHER, clock.initial_clocks(FISCHER, 0), 0, 3000)
    assert clocks[0] == (8000, 10_000)
    assert after_move(FISCHER, clocks, 1, 3500)[0] == (8000, 10_500)


def test_time_per_move_is_full_again_each_turn() -> None:
    clocks = after_move(PER_MOVE, clock.initial_clocks(PER_MOVE, 0), 0, 4999)
    assert clock.deadline(PER_MOVE, clocks, 0) == 4999 + 5000 + MAX_CREDIT_PER_MOVE_MS


def test_bank_pays_only_time_beyond_the_time_per_move() -> None:
    clocks = after_move(BANK, clock.initial_clocks(BANK, 0), 0, 4000)
    assert clocks[0] == (20_000, 20_000)
    assert after_move(BANK, clocks, 1, 4000 + 8000)[0] == (20_000, 17_000)


def test_no_flag_falls_without_clocks() -> None:
    clocks = clock.initial_clocks(NONE, 0)
    assert clock.deadline(NONE, clocks, 0) is None
    assert clock.charge(NONE, clocks, 0, 10**9, 0) == (10**9, 10**9, None, False)


def test_side_has_no_time_left_after_its_flag() -> None:
    clocks = clock.initial_clocks(FISCHER, 0)
    assert clock.after_flag(clocks, 0)[0] == (0, 10_000)
    assert clock.after_flag(clocks, 1)[0] == (10_000, 0)


def test_lag_is_credited_within_a_quota() -> None:
    clocks = clock.initial_clocks(FISCHER, 0)
    assert clock.charge(FISCHER, clocks, 0, 1000, 300) == (1000, 700, (10_300, 10_000), False)
    most = (1000, 1000 - MAX_CREDIT_PER_MOVE_MS, (10_500, 10_000), False)
    assert clock.charge(FISCHER, clocks, 0, 1000, 9999) == most
    for turn in range(1, 30):
        clocks = after_move(FISCHER, clocks, 0, turn * 1000, 9999)
    assert clocks[1][0] == QUOTA_REGAIN_PER_MOVE_MS, "the quota is used up: only the regain of one move is left"
    assert clocks[1][1] == MAX_QUOTA_MS


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
def test_control_is_formatted_as_in_records(control: TimeControl, text: str) -> None:
    assert clock.format_control(control) == text


@pytest.mark.parametrize("control", [NONE, FISCHER, PER_MOVE, BANK])
def test_valid_control_has_no_problem(control: TimeControl) -> None:
    assert clock.problem(control) is None


@pytest.mark.parametrize(
    ("control", "problem"),
    [
        (TimeControl(kind="fischer"), "a clock of kind fischer needs base: give at least 100 milliseconds"),
        (TimeControl(kind="move", per_move=99), "needs per_move"),
        (TimeControl(kind="bank", per_move=5000), "needs bank"),
        (TimeControl(kind="none", base=1000), "a clock of kind none has no base: leave it out"),
        (TimeControl(kind="move", per_move=5000, increment=1000), "has no increment"),
    ],
)
def test_invalid_control_is_explained(control: TimeControl, problem: str) -> None:
    assert problem in (clock.problem(control) or "")


def test_claim_delay_grows_with_the_time_within_bounds() -> None:
    assert clock.claim_delay(NONE) == 60_000
    assert clock.claim_delay(TimeControl(kind="fischer", base=1000)) == 10_000
    assert clock.claim_delay(TimeControl(kind="fischer", base=600_000)) == 60_000
    assert clock.claim_delay(TimeControl(kind="fischer", base=10**8)) == 120_000


@given(
    control=st.sampled_from([FISCHER, PER_MOVE, BANK]),
    waits=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 12_000), st.integers(0, 2000)), max_size=40),
)
def test_time_left_is_never_negative_and_the_flag_falls_by_the_deadline(
    control: TimeControl, waits: list[tuple[int, int, int]]
) -> None:
    clocks, now = clock.initial_clocks(control, 0), 0
    for side, wait, lag in waits:
        now += wait
        due = clock.deadline(control, clocks, side)
        assert due is not None
        took, charged, _, fell = clock.charge(control, clocks, side, now, lag)
        assert charged <= took
        assert fell or now <= due
        if fell:
            assert now > due - MAX_CREDIT_PER_MOVE_MS
            return
        clocks = after_move(control, clocks, side, now, lag)
        assert min(clocks[0]) >= 0
        assert all(0 <= quota <= MAX_QUOTA_MS for quota in clocks[1])
