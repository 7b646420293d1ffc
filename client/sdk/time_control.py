"""Parse time controls: none, 5+3 (minutes and seconds), 90s+1, 10/move, 10/move+60 (seconds)."""

from __future__ import annotations

import re

from engine.errors import GameError
from protocol.types import MAX_TIME_MS, MIN_TIME_MS, TimeControl

RATED_DEFAULT = "5+3"
NUMBER = r"(\d{1,6}(?:\.\d{1,3})?)"
FISCHER = re.compile(rf"{NUMBER}(s?)(?:\+{NUMBER})?")
EXAMPLES = "try 5+3, 90s+1, 10/move, 10/move+60 or none"
PER_MOVE = re.compile(rf"{NUMBER}/move(?:\+{NUMBER})?")


def parse_time_control(text: str) -> TimeControl:
    """Return the time control that a user wrote. Raises GameError if it is not valid."""
    given = text.strip().lower()
    control = None
    if given == "none":
        return TimeControl()
    if (match := PER_MOVE.fullmatch(given)) is not None:
        per_move, bank = milliseconds(match[1]), milliseconds(match[2] or "0")
        kind = "bank" if bank else "move"
        control = TimeControl(kind=kind, per_move=per_move, bank=bank)  # type: ignore[arg-type]
    elif (match := FISCHER.fullmatch(given)) is not None:
        base = milliseconds(match[1]) * (1 if match[2] else 60)
        control = TimeControl(kind="fischer", base=base, increment=milliseconds(match[3] or "0"))
    if control is None:
        raise GameError(f"{text[:40]!r} is not a valid clock: {EXAMPLES}")
    if max(control.base, control.increment, control.per_move, control.bank) > MAX_TIME_MS:
        raise GameError(f"{text[:40]!r} is not a valid clock: use at most {MAX_TIME_MS // 86_400_000} days")
    if (control.base or control.per_move) < MIN_TIME_MS or 0 < control.bank < MIN_TIME_MS:
        least = f"a player needs at least {MIN_TIME_MS / 1000:g} s"
        raise GameError(f"{text[:40]!r} is not a valid clock: {least}: {EXAMPLES}")
    return control


def default_clock(rated: bool) -> str:
    """Return the clock of a game for which none was given. Rated games need one."""
    return RATED_DEFAULT if rated else "none"


def milliseconds(text: str) -> int:
    return round(float(text) * 1000)
