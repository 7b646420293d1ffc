"""Resource limits of a program. A shell sets them and then becomes the program, so they apply from its first moment.

Memory is limited by RLIMIT_DATA, the memory that a program has written to or may write to. A limit of the address space
would be wrong: a Java virtual machine reserves gigabytes that it never uses. In a jail the address space is limited
too, with room for reservations, because RLIMIT_DATA does not count shared mappings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RESERVED_MB = 4096  # address space that runtimes reserve without using it
JAVA_MIN_HEAP_MB, JAVA_OTHER_MB = 16, 64  # other: compiled code, class data, threads


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds and megabytes; 0 means no limit. `grace`: from SIGTERM to SIGKILL.

    A jail also enforces `processes` (with threads), `open_files` and `disk`, the size of each writable folder.
    """

    startup: float = 10.0
    memory: int = 2048
    cpu: int = 0
    file: int = 512
    output: int = 16
    grace: float = 0.5
    processes: int = 64
    open_files: int = 256
    disk: int = 256

    def command(self, argv: Sequence[str], jailed: bool = False, finally_run: str = "") -> list[str]:
        """Return a command that sets the limits and runs the program. `jailed`: also those of a jail.

        `finally_run`: what the shell does in a jail after the program.
        """
        set_limits = ["ulimit -c 0"]
        if self.memory:
            set_limits.append(f"ulimit -d {self.memory * 1024}")
        if self.file:
            file = min(self.file, self.disk) if jailed and self.disk else self.file
            set_limits.append(f"ulimit -f {file * 2048}")
        if self.cpu:
            set_limits.append(f"ulimit -S -t {self.cpu}; ulimit -H -t {self.cpu + 1}")
        if jailed and self.memory:
            set_limits.append(f"ulimit -v {(self.memory + RESERVED_MB) * 1024}")
        if jailed and self.open_files:
            set_limits.append(f"ulimit -n {self.open_files}")
        if jailed and self.processes:
            set_limits.append(f"ulimit -u {self.processes} || ulimit -p {self.processes}")  # bash, dash
        # in a jail the shell is the parent that waits for all
        run = f'"$@"; status=$?; {finally_run}exit $status' if jailed else 'exec "$@"'
        return ["/bin/sh", "-c", f"{{ {'; '.join(set_limits)}; }} 2>/dev/null; {run}", "sh", *argv]

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that tell runtimes the memory limit.

        By default Java takes a quarter of the machine's memory, and dies when it reaches the limit. `given`: the
        environment, whose own options for Java come last and win.
        """
        if not self.memory:
            return {}
        heap = max(JAVA_MIN_HEAP_MB, self.memory * 3 // 4 - JAVA_OTHER_MB)
        options = f"-Xmx{heap}m -XX:ReservedCodeCacheSize={JAVA_OTHER_MB}m -XX:+UseSerialGC"
        return {"JAVA_TOOL_OPTIONS": f"{options} {given.get('JAVA_TOOL_OPTIONS', '')}".strip()}
