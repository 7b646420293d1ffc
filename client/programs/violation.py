"""Say which limit a failed program has met, as far as its exit and its error output tell.

A limit shows in a program as an error of the system. A program that hides its errors hides this too.
"""

from __future__ import annotations

import re
import signal

from client.programs.limits import Limits

NETWORK_NOTICE = "jail: the program tried to use the network"  # printed by the jail, not by the program
NETWORK = re.compile(
    rf"{NETWORK_NOTICE}|"
    r"Network is unreachable|name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|getaddrinfo|"
    r"UnknownHostException|NoRouteToHost|No route to host|nodename nor servname|Could not resolve host",
)
MEMORY = re.compile(
    r"os::commit_memory|Not enough space|OutOfMemoryError|\bMemoryError|bad_alloc|Cannot allocate memory|out of memory",
    re.IGNORECASE,
)
PROCESSES = re.compile(
    r"Resource temporarily unavailable|Cannot fork|can't start new thread|unable to create (native )?thread"
)
READ_ONLY = re.compile(r"Read-only file system|EROFS")
DISK = re.compile(r"No space left on device|ENOSPC|File size limit exceeded|File too large")
OPEN_FILES = re.compile(r"Too many open files|EMFILE")


def explain(status: int, errors: str, limits: Limits, jailed: bool) -> str:
    """Return which limit the program met, and how to change it, or an empty text if that is not known."""
    if limits.cpu and status == -signal.SIGXCPU:
        return f"it used more than {limits.cpu} s of CPU time: --cpu sets the limit"
    if status == -signal.SIGXFSZ:
        return f"it wrote a file of more than {min(limits.file, limits.disk) if jailed else limits.file} MB"
    if limits.memory and MEMORY.search(errors):
        return f"Parlour's limit is {limits.memory} MB of memory: --memory sets it"
    if not jailed:
        return ""
    if NETWORK.search(errors):
        return "it tried to use the network, which the jail does not have"
    if limits.processes and PROCESSES.search(errors):
        return f"it started too many processes and threads: the jail allows {limits.processes}"
    if READ_ONLY.search(errors):
        return "it tried to write outside its folder and /tmp"
    if DISK.search(errors):
        return f"its files in the jail are too large: --disk sets the limit, {limits.disk} MB"
    if OPEN_FILES.search(errors):
        return f"it opened too many files: the jail allows {limits.open_files}"
    return ""
