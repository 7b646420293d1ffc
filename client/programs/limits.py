"""What a program may use. The shell sets the limits before it becomes the program, so none of its work escapes them.

Memory is counted as RLIMIT_DATA counts it: what a program has written to or may write to. Address space would be the
wrong measure: a Java machine reserves tens of gigabytes that it never touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and megabytes; 0 is without limit. `grace`: between being asked to leave and being killed."""

    startup: float = 10.0
    memory: int = 2048
    cpu: int = 0
    file: int = 512
    output: int = 16
    grace: float = 0.5

    def command(self, words: Sequence[str]) -> list[str]:
        """The words with the limits set around them."""
        set_limits = ["ulimit -c 0"]
        if self.memory:
            set_limits.append(f"ulimit -d {self.memory * 1024}")
        if self.file:
            set_limits.append(f"ulimit -f {self.file * 2048}")
        if self.cpu:
            set_limits.append(f"ulimit -S -t {self.cpu}; ulimit -H -t {self.cpu + 1}")
        return ["/bin/sh", "-c", f'{{ {"; ".join(set_limits)}; }} 2>/dev/null; exec "$@"', "sh", *words]
