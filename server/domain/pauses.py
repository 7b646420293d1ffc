"""Pauses: a player who aborts rated games again and again waits before the next one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.domain.decision import Refusal

FREE_ABORTS = 2  # rated games that a player may abort within ABORT_MEMORY_MS without a pause
ABORT_MEMORY_MS = 60 * 60_000
FIRST_PAUSE_MS = 2 * 60_000  # doubles with every further abort
MAX_PAUSE_MS = 30 * 60_000


def recent_aborts(aborts: Sequence[int], now: int) -> tuple[int, ...]:
    """Return the times of the aborts that still count."""
    return tuple(at for at in aborts if now - at < ABORT_MEMORY_MS)


def pause_ms(count: int) -> int:
    """Return how long a player pauses after this many aborts."""
    over = count - FREE_ABORTS
    return 0 if over <= 0 else min(FIRST_PAUSE_MS << min(over - 1, 10), MAX_PAUSE_MS)


def check_pause(aborts: Sequence[int], now: int) -> None:
    """Raise Refusal if a player who aborted rated games at these times may not start another one yet."""
    recent = recent_aborts(aborts, now)
    wait_ms = recent[-1] + pause_ms(len(recent)) - now if recent else 0
    if wait_ms > 0:
        wait_s = (wait_ms + 999) // 1000
        text = (
            f"you aborted {len(recent)} rated games within an hour: play a casual game, or try again in "
            f"{(wait_s + 59) // 60} min"
        )
        raise Refusal("too_early", text, retry_after=wait_s)
