"""Errors of the operating system about a file, as sentences for a user."""

from __future__ import annotations

from pathlib import Path
from typing import Literal


def describe_file_error(action: Literal["read", "write"], path: str | Path, error: OSError) -> str:
    """Return what is wrong with a file that cannot be read or written, and what to do."""
    name, folder = str(path), Path(path).parent
    if not name:
        return "the file name is empty: give the name of a file"
    if isinstance(error, IsADirectoryError):
        how = "give the name of a file" if action == "read" else "rename it, or choose another file"
        return f"{name} is a folder: {how}"
    if isinstance(error, PermissionError):
        return f"no permission to {action} {name}: change its permissions, or choose another file"
    if isinstance(error, FileNotFoundError) and action == "read":
        return f"there is no file {name}: check the name"
    if isinstance(error, FileNotFoundError) and not folder.exists():
        return f"cannot write {name}: there is no folder {folder}: create it, or choose another file"
    return f"cannot {action} {name}: {(error.strerror or str(error)).lower()}"
