"""Exclusive locks on files, released by the operating system when the last process that holds them exits.

A lock belongs to an open file. A child process that inherits the descriptor holds the lock too.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def open_locked(path: Path) -> int | None:
    """Open and lock a file that only its owner may read; create it if missing. Close the descriptor to unlock.

    Return None if another process holds the lock. Raises OSError if the file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if try_lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def try_lock(descriptor: int) -> bool:
    """Lock an open file without waiting. Return False if another process holds the lock.

    Return True without a lock where there are none: on some file systems, and on Windows, where a lock would also
    prevent its owner from reading the file through another descriptor.
    """
    if sys.platform == "win32":
        return True
    from filelock import lock_descriptor

    try:
        return lock_descriptor(descriptor, blocking=False)
    except OSError:
        return True
