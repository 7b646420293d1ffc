"""How long this process has been running: a program that has a second has it from its very start.

Python's own start and the imports are over before the first line of ours runs, so only the system knows.
"""

from __future__ import annotations

import os
import time

START_UP = 0.05  # what Python and our imports take, where nobody can tell
UNLIKELY = 2.0  # seconds of start-up that show the figure to be none


def process_age() -> float:
    """Seconds since the process was started; never too little by more than a start-up's variation."""
    busy = time.process_time()
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 -- pathlib costs milliseconds that count here
            fields = file.read().rpartition(b")")[2].split()
        # field 22, the third after the name being field 3; in ticks since the machine's start
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, ValueError, IndexError, AttributeError):
        return busy + START_UP
    return age if busy <= age <= busy + UNLIKELY else busy + START_UP
