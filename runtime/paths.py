"""Folders of the user: state and cache, at the usual place of each operating system.

On Linux and macOS the XDG variables override the defaults. The functions do not create the folders.
"""

from __future__ import annotations

import os
from pathlib import Path

APP_NAME = "parlour"


def state_folder() -> Path:
    """Return the folder for sessions, private games and crash reports: `~/.local/state/parlour` on Linux.

    Older versions used that folder on every system. It stays in use where it exists and the usual one does not.
    Raises RuntimeError if the home folder is unknown.
    """
    from platformdirs import user_state_path

    folder = with_home(user_state_path(APP_NAME, appauthor=False))
    if not os.environ.get("XDG_STATE_HOME") and not folder.exists():
        older = with_home(Path("~/.local/state") / APP_NAME)
        return older if older.is_dir() else folder
    return folder


def cache_folder() -> Path:
    """Return the folder for files that can be made again: PARLOUR_CACHE_DIR, or `~/.cache/parlour` on Linux.

    Raises RuntimeError if the home folder is unknown.
    """
    if chosen := os.environ.get("PARLOUR_CACHE_DIR"):
        return Path(chosen)
    from platformdirs import user_cache_path

    return with_home(user_cache_path(APP_NAME, appauthor=False, opinion=False))


def with_home(path: Path) -> Path:
    """Return the path with `~` expanded. Raises RuntimeError if the home folder is unknown."""
    return path.expanduser()
