"""Hostile programs that speak the line protocol. Each attacks at its first request, and is harmless without a jail."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from client.programs.jail.bubblewrap import Bubblewrap
from client.programs.jail.choice import find_problem
from client.programs.limits import Limits

needs_jail = pytest.mark.skipif(
    sys.platform != "linux" or bool(find_problem(Bubblewrap("empty"))), reason="bubblewrap does not work here"
)
TIGHT = Limits(memory=200, processes=24, disk=16, grace=0.1)
SECRET = "the neighbour's secret"

# `attack` is defined by each attacker; `limited` guards the machine against an attacker without a jail.
FRAME = """
import json, mmap, os, resource, signal, socket, subprocess, sys, time
sys.path[:] = [path for path in sys.path if path]

def limited(kind, most):
    low, high = resource.getrlimit(kind)
    if not 0 < high <= most:
        sys.exit(f"not limited: {{high}}")

def hold(seconds=60):
    time.sleep(seconds)  # until it is ended

def attack():
{attack}

for line in sys.stdin:
    asked = json.loads(line)
    attack()
    print(asked["moves"][0], flush=True)
"""

ATTACKS = {
    "forks": """
    limited(resource.RLIMIT_NPROC, 100)
    for _ in range(300):
        if os.fork() == 0:
            hold()
    """,
    "malloc": """
    limited(resource.RLIMIT_DATA, 1 << 30)
    hoard = [bytearray(16 << 20) for _ in range(64)]
    hold()
    """,
    "shared": """
    limited(resource.RLIMIT_AS, 8 << 30)
    hoard = [mmap.mmap(-1, 16 << 20) for _ in range(40)]
    for block in hoard:
        block.write(bytes(16 << 20))
    hold()
    """,
    "family": """
    limited(resource.RLIMIT_NPROC, 100)
    for _ in range(10):
        if os.fork() == 0:
            hoard = bytearray(os.urandom(1 << 20) * 40)
            hold()
    hold()
    """,
    "files": """
    limited(resource.RLIMIT_FSIZE, 1 << 30)
    for number in range(60):
        with open(f"fill-{number}", "wb") as file:
            file.write(bytes(1 << 20))
    """,
    "shm": """
    for number in range(60):
        with open(f"/dev/shm/fill-{number}", "wb") as file:
            file.write(bytes(1 << 20))
    """,
    "memfd": """
    hoard = [os.memfd_create("hoard") for _ in range(3)]
    """,
    "empties": """
    for number in range(400_000):
        os.close(os.open(f"/tmp/empty-{number}", os.O_CREAT))
    hold()
    """,
    "neighbour": """
    print(open(NEIGHBOUR).read(), file=sys.stderr)
    """,
    "token": """
    found = dict(os.environ)
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            found[number] = open(f"/proc/{number}/environ").read() + open(f"/proc/{number}/cmdline").read()
        except OSError:
            pass
    sys.exit(f"found {'a token' if 'sesame' in str(found) else 'nothing'} in {len(found)} places")
    """,
    "network": """
    socket.create_connection(("192.0.2.1", 80), 5)
    """,
    "secretive": """
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            socket.socket(socket.AF_INET, kind).connect(("192.0.2.1", 80))
        except OSError:
            pass
    sys.exit("nothing happened")
    """,
    "loopback": """
    socket.create_connection(("127.0.0.1", PORT), 5)
    """,
    "signals": """
    for number in (os.getppid(), 1, -1):
        try:
            os.kill(number, signal.SIGKILL)
        except OSError as error:
            print(error, file=sys.stderr)
    sys.exit("I am still here")
    """,
    "writer": """
    open("/usr/lib/parlour-was-here", "w").close()
    """,
    "opener": """
    hoard = [os.open("/dev/null", os.O_RDONLY) for _ in range(2000)]
    """,
}
Place = Callable[[str], str]


def attacker(folder: Path, name: str, **values: object) -> tuple[str, ...]:
    """Write an attacking program to its own folder and return its command. `values`: names that its attack uses."""
    folder.mkdir(parents=True, exist_ok=True)
    given = "\n".join(f"{key} = {value!r}" for key, value in values.items())
    body = ATTACKS[name].strip("\n") or "    pass"
    (folder / f"{name}.py").write_text(FRAME.format(attack=body).replace("def limited", f"{given}\n\ndef limited", 1))
    return (sys.executable, f"{name}.py")
