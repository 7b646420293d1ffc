from __future__ import annotations

from random import Random

import pytest

from client.bots.time_management import allot_time, human_delay
from client.sdk.room_view import RoomView
from protocol.types import TimeControl
from tests.client.sdk.room_log import RoomLog


def view(clock: TimeControl) -> RoomView:
    return RoomView(RoomLog(clock=clock).snapshot(-1), now=0.0)


@pytest.mark.parametrize(
    ("clock", "low", "high"),
    [
        (TimeControl(kind="fischer", base=300_000, increment=3000), 5.0, 20.0),
        (TimeControl(kind="fischer", base=10_000), 0.2, 0.6),
        (TimeControl(kind="fischer", base=200), 0.01, 0.1),
        (TimeControl(kind="move", per_move=2000), 1.2, 1.8),
        (TimeControl(kind="bank", per_move=1000, bank=10_000), 0.9, 1.5),
        (TimeControl(), 1.0, 3.0),
    ],
)
def test_advised_time_is_a_share_of_the_clock(clock: TimeControl, low: float, high: float) -> None:
    allotted = allot_time(view(clock), 0.0, latency=0.02, move_timeout=60.0)
    assert low <= allotted.seconds <= high
    assert allotted.seconds < allotted.most
    assert allotted.by_clock == (clock.kind != "none" and allotted.left is not None and allotted.left <= 60)


def test_move_timeout_and_wanted_time_limit_the_share() -> None:
    rich = view(TimeControl(kind="fischer", base=3_600_000))
    allotted = allot_time(rich, 0.0, 0.0, move_timeout=4.0)
    assert (allotted.most, allotted.by_clock) == (4.0, False)
    assert allotted.seconds < 4.0
    assert allot_time(rich, 0.0, 0.0, move_timeout=60.0, wanted=0.5).seconds == 0.5


def test_empty_clock_still_gets_a_little_time() -> None:
    rich = view(TimeControl(kind="fischer", base=3_600_000))
    assert allot_time(rich, 3599.99, 0.3, move_timeout=60.0, wanted=5.0).seconds <= 0.01
    assert allot_time(rich, 9999.0, 0.3, move_timeout=60.0).seconds > 0


def test_human_delay_depends_on_the_choices_and_the_clock() -> None:
    rng = Random(1)
    delays = [human_delay(12, None, 0.0, rng) for _ in range(200)]
    assert 0.5 < min(delays) < max(delays) <= 9.0
    assert max(human_delay(1, None, 0.0, rng) for _ in range(50)) < 1.0
    assert max(human_delay(12, 3.0, 0.0, rng) for _ in range(50)) <= 0.1
