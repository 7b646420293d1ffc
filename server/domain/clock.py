"""Clocks, pure: whoever calls says what time it is. All times are whole milliseconds.

Every time control is one rule with three numbers: a move has `free` time first, then eats from what is `left`, and
gets `increment` once it is made. Fischer has no free time, time per move nothing but that, and a bank both.

    available = free + left        charged = took - credit        left' = left - max(0, charged - free) + increment

The credit is what the network took, as the server measured it with its own pings. A side has a small quota of it,
which grows back move by move, so that no one can gain by pretending to be far away.
"""

from __future__ import annotations

from protocol.types import TimeControl, TimesLeft

MOST_CREDIT = 500  # for one move
QUOTA = 1000  # for a whole game, at any time
REGAIN = 50  # of the quota, with every move
SHORTEST = 100  # a time control with less for a move cannot be played over a network

Pair = tuple[int, int]
# What both sides have left, how much lag they may still be credited with, and since when the turn lasts. A plain tuple,
# which is made and read for every move, several times
Clocks = tuple[TimesLeft, Pair, int]
Charge = tuple[
    int, int, TimesLeft | None, bool
]  # what a move took and is charged, what that leaves, and if the flag fell


def problem(control: TimeControl) -> str | None:
    """What is wrong with a time control, in a sentence."""
    needed = {"none": (), "fischer": ("base",), "move": ("per_move",), "bank": ("per_move", "bank")}[control.kind]
    allowed = {*needed, "increment"} if control.kind == "fischer" else set(needed)
    for name in ("base", "increment", "per_move", "bank"):
        value = getattr(control, name)
        if value and name not in allowed:
            return f"a clock of kind {control.kind} has no {name}"
        if name in needed and value < SHORTEST:
            return f"a clock of kind {control.kind} needs {name}, at least {SHORTEST} milliseconds"
    return None


def free(control: TimeControl) -> int:
    return control.per_move


def wound(control: TimeControl, now: int) -> Clocks:
    """The clocks at the start of a game."""
    left = control.base or control.bank
    return (left, left), (QUOTA, QUOTA), now


def charge(control: TimeControl, clocks: Clocks, side: int, now: int, lag: int) -> Charge:
    """What a move that arrives now costs its side, and what both sides have left then, unless there are no clocks."""
    left, quota, since = clocks
    took = charged = now - since if now > since else 0
    if lag:
        charged = max(0, took - min(lag, MOST_CREDIT, quota[side]))
    if control.kind == "none":
        return took, charged, None, False
    first, second = left
    over = charged - control.per_move
    change = control.increment - over if over > 0 else control.increment
    if side == 0:
        return took, charged, (first + change, second), over > first
    return took, charged, (first, second + change), over > second


def moved_on(clocks: Clocks, side: int, at: int, took: int, charged: int, left: TimesLeft | None) -> Clocks:
    """The clocks after a move."""
    shown, quota, _ = clocks
    credit = took - charged
    if credit or quota[side] != QUOTA:
        mine = min(QUOTA, quota[side] - credit + REGAIN)
        quota = (mine, quota[1]) if side == 0 else (quota[0], mine)
    return left or shown, quota, at


def run_out(clocks: Clocks, side: int) -> Clocks:
    """The clocks when the flag of a side has fallen."""
    (first, second), quota, since = clocks
    return ((0, second) if side == 0 else (first, 0)), quota, since


def deadline(control: TimeControl, clocks: Clocks, side: int) -> int | None:
    """When the flag falls at the latest, all credit included."""
    if control.kind == "none":
        return None
    left, quotas, since = clocks
    quota = quotas[side]
    return since + control.per_move + left[side] + (quota if quota < MOST_CREDIT else MOST_CREDIT)


def grace(control: TimeControl) -> int:
    """How long a player may be gone before the opponent may claim: a tenth of the time, 10 s to 2 min."""
    time = control.base + 20 * control.increment + 20 * control.per_move + control.bank
    return 60_000 if control.kind == "none" else max(10_000, min(120_000, time // 10))


def text(control: TimeControl) -> str:
    """A time control as records write it: 300+3, 10/move, 10/move+60."""

    def seconds(ms: int) -> str:
        return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")

    if control.kind == "none":
        return "none"
    if control.kind == "fischer":
        return f"{seconds(control.base)}+{seconds(control.increment)}"
    per_move = f"{seconds(control.per_move)}/move"
    return per_move if control.kind == "move" else f"{per_move}+{seconds(control.bank)}"
