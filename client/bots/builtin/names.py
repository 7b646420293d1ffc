"""Names of the built-in bots. Cheap to import: loads no bot."""

from __future__ import annotations

import re
from collections.abc import Sequence

COURSE = ("random", "greedy", "minimax:DEPTH", "alphabeta:DEPTH")
NAMES = (*COURSE, "search")


def name_pattern(forms: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"({'|'.join(form.partition(':')[0] for form in forms)})\b")


COURSE_BOT = name_pattern(COURSE)
BUILTIN_BOT = name_pattern(NAMES)
