"""What the bots of the house are called; light, for those who only need to know the names."""

from __future__ import annotations

import re
from collections.abc import Sequence

COURSE = ("random", "greedy", "minimax:DEPTH", "alphabeta:DEPTH")
NAMES = (*COURSE, "search")


def begins_with(forms: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"({'|'.join(form.partition(':')[0] for form in forms)})\b")


COURSE_BOT = begins_with(COURSE)
HOUSE_BOT = begins_with(NAMES)
