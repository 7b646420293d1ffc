from __future__ import annotations

import pytest

from client.sdk.time_control import parse_time_control
from engine.errors import GameError
from protocol.types import MAX_TIME_MS, TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", TimeControl()),
        ("5+3", TimeControl(kind="fischer", base=300_000, increment=3000)),
        ("90s+1.5", TimeControl(kind="fischer", base=90_000, increment=1500)),
        ("1", TimeControl(kind="fischer", base=60_000)),
        (" 10/move ", TimeControl(kind="move", per_move=10_000)),
        ("0.5/MOVE+60", TimeControl(kind="bank", per_move=500, bank=60_000)),
        (f"{MAX_TIME_MS // 60_000}", TimeControl(kind="fischer", base=MAX_TIME_MS)),
    ],
)
def test_time_control_is_parsed(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize("text", ["", "5+", "+3", "-5+3", "5+3+1", "ten", "5m", "5/turn", "nan", "1e5"])
def test_invalid_time_controls_are_rejected(text: str) -> None:
    with pytest.raises(GameError, match=r"is not a valid clock: try 5\+3, 90s\+1, 10/move"):
        parse_time_control(text)


@pytest.mark.parametrize("text", ["0+0", "0+1", "0s", "0.05s+3", "0/move", "0.09/move", "0/move+60", "5/move+0.05"])
def test_too_short_time_control_is_rejected(text: str) -> None:
    with pytest.raises(GameError, match=r"is not a valid clock: a player needs at least 0\.1 s: try 5\+3"):
        parse_time_control(text)


def test_too_long_time_control_is_rejected() -> None:
    with pytest.raises(GameError, match="'999999' is not a valid clock: use at most 30 days"):
        parse_time_control("999999")
