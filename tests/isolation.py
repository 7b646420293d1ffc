"""Give the tests, and the processes they start, the same surroundings on every machine and under every parent."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

KEPT = ("PARLOUR_SNAPSHOTS",)  # tests/tui/test_snapshots.py
# Settings of programs and libraries that tests use: Parlour, desktop folders, locale, terminal, colours, Textual,
# PostgreSQL, Git.
DROPPED_PREFIXES = ("PARLOUR_", "XDG_", "LC_", "TEXTUAL", "CLICOLOR", "PG", "GIT_")
DROPPED = (
    "LANGUAGE",
    "COLUMNS",
    "LINES",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONCOERCECLOCALE",
    "PYTHONWARNINGS",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",  # else each process that a test starts compiles all modules again
)
DEFAULT_SIGNALS = ("SIGHUP", "SIGQUIT", "SIGTERM", "SIGCHLD", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGALRM")


def isolate(home: Path, cache: Path) -> None:
    """Set the environment and the signals of this process. Children inherit both.

    The time zone and the file mode mask stay as they are: the tests must pass with any.
    """
    isolate_environment(home, cache)
    reset_signals()


def isolate_environment(home: Path, cache: Path) -> None:
    """Use an empty home folder, a UTF-8 locale and a usual terminal. `cache` keeps compiled searches between runs.

    XDG_CACHE_HOME names it, because Parlour removes variables of its own from the environment of its children.
    """
    for name in list(os.environ):
        proxy = name.lower().endswith("_proxy")  # servers of tests are on this machine
        if name not in KEPT and (name.startswith(DROPPED_PREFIXES) or name in DROPPED or proxy):
            del os.environ[name]
    os.environ |= {"HOME": str(home), "XDG_CACHE_HOME": str(cache), "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    sys.dont_write_bytecode = False


def reset_signals() -> None:
    """Handle signals as in a shell's foreground. A script's `job &` ignores SIGINT, nohup ignores SIGHUP."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in DEFAULT_SIGNALS:
        signal.signal(signal.Signals[name], signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
