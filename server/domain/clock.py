"""Chess clocks. Pure: the caller passes the current time. All times are integers in milliseconds.

All time controls follow one rule with three numbers. A move first uses the free time (`per_move`), then the time that
its side has left, and adds the increment. Fischer clocks have no free time, clocks per move have nothing else, and
bank clocks have both.

    available = per_move + left
    charged = took - credit
    new left = left - max(0, charged - per_move) + increment

The credit compensates for the network latency of the player's connection, measured in server/transport/connection.py.
Each side has a small quota of credit, which grows back with every move.
"""

from __future__ import annotations

from protocol.types import MIN_TIME_MS, TimeControl, TimesLeft

MAX_CREDIT_PER_MOVE_MS = 500
MAX_QUOTA_MS = 1000
QUOTA_REGAIN_PER_MOVE_MS = 50

Pair = tuple[int, int]
# The time left of both sides, their quotas of latency credit, and the start of the turn. A plain tuple: it is built and
# read several times per move.
Clocks = tuple[TimesLeft, Pair, int]
# The time a move took, the time charged, the time left of both sides (None without clocks), whether the flag fell
Charge = tuple[int, int, TimesLeft | None, bool]


def problem(control: TimeControl) -> str | None:
    """Return what is wrong with a time control, as a sentence, or None if it is valid."""
    kind = control.kind
    needed = {"none": (), "fischer": ("base",), "move": ("per_move",), "bank": ("per_move", "bank")}[kind]
    allowed = {*needed, "increment"} if kind == "fischer" else set(needed)
    for name in ("base", "increment", "per_move", "bank"):
        value = getattr(control, name)
        if value and name not in allowed:
            return f"a clock of kind {kind} has no {name}: leave it out"
        if name in needed and value < MIN_TIME_MS:
            return f"a clock of kind {kind} needs {name}: give at least {MIN_TIME_MS} milliseconds"
    return None


def initial_clocks(control: TimeControl, now: int) -> Clocks:
    """Return the clocks of a game that starts now."""
    left = control.base or control.bank
    return (left, left), (MAX_QUOTA_MS, MAX_QUOTA_MS), now


def charge(control: TimeControl, clocks: Clocks, side: int, now: int, lag: int) -> Charge:
    """Return what a move that arrives now costs its side."""
    left, quota, since = clocks
    took = charged = now - since if now > since else 0
    if lag:
        charged = max(0, took - min(lag, MAX_CREDIT_PER_MOVE_MS, quota[side]))
    if control.kind == "none":
        return took, charged, None, False
    first, second = left
    over = charged - control.per_move
    change = control.increment - over if over > 0 else control.increment
    if side == 0:
        return took, charged, (first + change, second), over > first
    return took, charged, (first, second + change), over > second


def after_flag(clocks: Clocks, side: int) -> Clocks:
    """Return the clocks after the flag of a side fell: it has no time left."""
    (first, second), quota, since = clocks
    return ((0, second) if side == 0 else (first, 0)), quota, since


def deadline(control: TimeControl, clocks: Clocks, side: int) -> int | None:
    """Return the latest time at which the flag of a side falls, with all credit it may get, or None without clocks."""
    if control.kind == "none":
        return None
    left, quotas, since = clocks
    quota = quotas[side]
    return since + control.per_move + left[side] + (quota if quota < MAX_CREDIT_PER_MOVE_MS else MAX_CREDIT_PER_MOVE_MS)


def claim_delay(control: TimeControl) -> int:
    """Return how long a player may be away before the opponent may claim the game.

    A tenth of the expected time of the player, at least 10 seconds and at most 2 minutes. Without clocks, 1 minute.
    """
    time = control.base + 20 * control.increment + 20 * control.per_move + control.bank
    return 60_000 if control.kind == "none" else max(10_000, min(120_000, time // 10))


def format_control(control: TimeControl) -> str:
    """Return a time control in the form of records: 300+3, 10/move, 10/move+60 or none."""

    def seconds(ms: int) -> str:
        return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")

    if control.kind == "none":
        return "none"
    if control.kind == "fischer":
        return f"{seconds(control.base)}+{seconds(control.increment)}"
    per_move = f"{seconds(control.per_move)}/move"
    return per_move if control.kind == "move" else f"{per_move}+{seconds(control.bank)}"
