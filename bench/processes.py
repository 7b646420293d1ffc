"""Server processes of the benchmarks, and what they use: CPU time and memory, as /proc reports them."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

NO_LIMITS = [
    "--house",
    "none",
    "--rate",
    "1e9",
    "--burst",
    "1000000",
    "--connections-per-address",
    "100000",
    "--log-level",
    "error",
    "--rooms-per-minute",
    "1000000",
]
# a variable, because bench.compare also starts older servers: they ignore what they do not know
NO_ROOM_LIMIT = {"PARLOUR_ROOMS_PER_MINUTE": "1000000000"}
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Cpu(NamedTuple):
    """CPU microseconds of a server process, and of the processes that it started: the writer of the database."""

    server_us: float
    children_us: float

    @property
    def total_us(self) -> float:
        return self.server_us + self.children_us

    def per(self, count: float, since: Cpu) -> Cpu:
        """Return the CPU time since an earlier reading, for each of `count` operations."""
        count = max(1, count)
        return Cpu((self.server_us - since.server_us) / count, (self.children_us - since.children_us) / count)


class Memory(NamedTuple):
    """The memory of a process in MB, by kind."""

    rss: float
    pss: float  # of memory that processes share, only its share
    anonymous: float  # what it has allocated: objects, caches, stacks
    file: float  # mapped files, of which the kernel keeps as much as it likes: programs, libraries
    database: float  # of these, the -shm of SQLite and other maps of the database


class Server:
    """A server process. The last word of the first line it prints is its URL."""

    def __init__(self, *command: str, tree: Path | None = None) -> None:
        """Start a module of this checkout, or of another one."""
        checkout = {} if tree is None else {"PYTHONPATH": str(tree)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=tree,
            env={**os.environ, **NO_ROOM_LIMIT, **checkout},
        )
        assert self.process.stdout is not None
        words = self.process.stdout.readline().decode().split()
        if not words:
            raise SystemExit(f"{' '.join(command)} does not start{f' in {tree}' if tree else ''}")
        self.url = words[-1]

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def port(self) -> int:
        match = re.search(r":(\d+)/", self.url)
        assert match is not None
        return int(match[1])

    def rss_bytes(self) -> int:
        return rss_bytes(self.pid)

    def children_rss_bytes(self) -> int:
        """Return the memory of its child processes: the one that writes to the database."""
        return sum(rss_bytes(pid) for pid in descendants(self.pid))

    def descriptors(self) -> int:
        """Return the number of its open files and sockets."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def pss_bytes(self) -> int:
        """Return the memory of the server and its child processes. Memory that processes share counts once."""
        return sum(pss_bytes(pid) for pid in (self.pid, *descendants(self.pid)))

    def cpu(self) -> Cpu:
        """Return the CPU time so far."""
        return Cpu(1e6 * cpu_s(self.pid), 1e6 * sum(cpu_s(pid) for pid in descendants(self.pid)))

    def send_line(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have started."""
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return children + [below for child in children for below in descendants(child)]


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def precise_cpu_us(pid: int) -> float:
    """Return the CPU time of a process so far. The system counts it in nanoseconds, and per thread."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1000


def rss_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def pss_bytes(pid: int) -> int:
    """Return the memory of a process; of memory that it shares with other processes, its share."""
    return 1024 * kilobytes(Path(f"/proc/{pid}/smaps_rollup").read_text(), "Pss")


def memory(pid: int, database: str = "bench.db") -> Memory:
    """Return the memory of a process as the kernel counts it. `database`: a part of the name of its files."""
    total = Path(f"/proc/{pid}/smaps_rollup").read_text()
    rss, pss, anonymous = (kilobytes(total, name) for name in ("Rss", "Pss", "Anonymous"))
    maps = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path(f"/proc/{pid}/smaps").read_text(), flags=re.MULTILINE)
    mapped = sum(kilobytes(part, "Rss") for part in maps if database in part.partition("\n")[0])
    return Memory(*(1024 * size / 1e6 for size in (rss, pss, anonymous, rss - anonymous, mapped)))


def kilobytes(text: str, name: str) -> int:
    """Return a number of smaps."""
    match = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    assert match is not None
    return int(match[1])


@contextmanager
def server(*command: str, tree: Path | None = None) -> Iterator[Server]:
    running = Server(*command, tree=tree)
    try:
        yield running
    finally:
        running.process.terminate()
        running.process.communicate()


@contextmanager
def parlour(folder: str | None, *flags: str, tree: Path | None = None) -> Iterator[Server]:
    """Run `parlour serve` on a free port without limits, with a database in a temporary folder inside `folder`."""
    with (
        TemporaryDirectory(dir=folder) as place,
        server("parlour", "serve", "--port", "0", "--db", f"{place}/bench.db", *NO_LIMITS, *flags, tree=tree) as ours,
    ):
        yield ours
