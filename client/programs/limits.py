"""Resource limits of a program. A shell sets them and then becomes the program, so they apply from its first moment.

Memory is limited by RLIMIT_DATA, the memory that a program has written to or may write to. A limit of the address space
would be wrong: a Java virtual machine reserves tens of gigabytes that it never uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds and megabytes; 0 means no limit. `grace`: from SIGTERM to SIGKILL."""

    startup: float = 10.0
    memory: int = 2048
    cpu: int = 0
    file: int = 512
    output: int = 16
    grace: float = 0.5

    def command(self, argv: Sequence[str]) -> list[str]:
        """Return a command that sets the limits and runs the program."""
        set_limits = ["ulimit -c 0"]
        if self.memory:
            set_limits.append(f"ulimit -d {self.memory * 1024}")
        if self.file:
            set_limits.append(f"ulimit -f {self.file * 2048}")
        if self.cpu:
            set_limits.append(f"ulimit -S -t {self.cpu}; ulimit -H -t {self.cpu + 1}")
        return ["/bin/sh", "-c", f'{{ {"; ".join(set_limits)}; }} 2>/dev/null; exec "$@"', "sh", *argv]
