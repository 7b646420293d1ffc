"""The age of this process.

A course program's time limit includes the start of Python and its imports. Those are over before our first line runs,
so the age comes from the operating system.
"""

from __future__ import annotations

import os
import time

START_UP_S = 0.05  # estimate for the start of Python and the imports, if the system does not tell
MAX_START_UP_S = 2.0  # a longer start-up means that the system's figure is wrong


def process_age() -> float:
    """Return the seconds since the process was started, or an estimate."""
    busy = time.process_time()
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 -- pathlib costs milliseconds that count here
            fields = file.read().rpartition(b")")[2].split()
        # field 22 of proc(5), in clock ticks since boot; the fields after the name start with field 3
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, ValueError, IndexError, AttributeError):
        return busy + START_UP_S
    return age if busy <= age <= busy + MAX_START_UP_S else busy + START_UP_S
