"""A filter of system calls for bubblewrap: programs get no memory that the kernel does not count as theirs.

Anonymous files, System V segments and queues, and file systems in memory are in no address space, so no limit of a
process counts them. A program that asks for one is told that the kernel does not have it.
"""

from __future__ import annotations

import os
import platform
import struct
from contextlib import suppress
from pathlib import Path

from runtime.paths import cache_folder

LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # instructions of the filter
NUMBER, ARCHITECTURE = 0, 4  # offsets in the data that it sees
ALLOW, NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | 38  # with ENOSYS
FIRST_X32_NUMBER = 0x40000000  # another way to number the calls of x86-64
EVERYWHERE = (425, 430, 447)  # io_uring_setup, fsopen, memfd_secret: newer calls have one number on all machines
# machine -> its number, and those of memfd_create, shmget, msgget and mount
MACHINES = {
    "x86_64": (0xC000003E, (319, 29, 68, 165, *EVERYWHERE)),
    "aarch64": (0xC00000B7, (279, 194, 186, 40, *EVERYWHERE)),
}


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def filter_program(machine: str) -> bytes:
    """Return the filter for a machine. Calls of other machines, which have other numbers, are refused too."""
    number, refused = MACHINES[machine]
    tests = len(refused) + 1
    words = [
        instruction(LOAD, ARCHITECTURE),
        instruction(JUMP_IF_EQUAL, number, if_false=tests + 2),
        instruction(LOAD, NUMBER),
        instruction(JUMP_IF_AT_LEAST, FIRST_X32_NUMBER, if_true=tests),
    ]
    words += [instruction(JUMP_IF_EQUAL, call, if_true=tests - at) for at, call in enumerate(refused, 1)]
    return b"".join([*words, instruction(RETURN, ALLOW), instruction(RETURN, NO_SUCH_CALL)])


def filter_file() -> Path | None:
    """Return a file with the filter for this machine, or None if it is not known or the file cannot be written."""
    machine = platform.machine()
    if machine not in MACHINES:
        return None
    program = filter_program(machine)
    path = cache_folder() / f"jail-{machine}.bpf"
    with suppress(OSError):
        if not path.is_file() or path.read_bytes() != program:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(f".{os.getpid()}")
            draft.write_bytes(program)
            draft.replace(path)
        return path
    return None
