"""Pauses after aborted rated games."""

from __future__ import annotations

import pytest

from server.domain.decision import Refusal
from server.domain.pauses import (
    ABORT_MEMORY_MS,
    FIRST_PAUSE_MS,
    FREE_ABORTS,
    MAX_PAUSE_MS,
    check_pause,
    pause_ms,
    recent_aborts,
)
from tests.server.domain.helpers import MINUTE_MS, NOW

MANY = tuple(NOW + n for n in range(FREE_ABORTS + 1))


def test_pause_doubles_up_to_a_limit() -> None:
    pauses = [pause_ms(count) for count in range(FREE_ABORTS, FREE_ABORTS + 4)]
    assert pauses == [0, FIRST_PAUSE_MS, 2 * FIRST_PAUSE_MS, 4 * FIRST_PAUSE_MS]
    assert pause_ms(10**6) == MAX_PAUSE_MS


def test_few_aborts_cost_no_pause() -> None:
    for count in range(FREE_ABORTS + 1):
        check_pause(MANY[:count], NOW + 1)


def test_player_who_aborts_often_waits() -> None:
    with pytest.raises(Refusal) as refused:
        check_pause(MANY, MANY[-1])
    assert (refused.value.code, refused.value.retry_after) == ("too_early", FIRST_PAUSE_MS // 1000)
    assert str(refused.value).endswith("play a casual game, or try again in 2 min")
    check_pause(MANY, MANY[-1] + FIRST_PAUSE_MS)


def test_old_aborts_are_forgotten() -> None:
    assert recent_aborts((NOW, NOW + MINUTE_MS), NOW + ABORT_MEMORY_MS) == (NOW + MINUTE_MS,)
    check_pause((NOW, NOW, NOW + ABORT_MEMORY_MS), NOW + ABORT_MEMORY_MS)
